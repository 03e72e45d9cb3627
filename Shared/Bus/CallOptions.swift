package import Contracts
package import Vocabulary

/// How a service sends a request to another one in the course of a call.
package struct CallOptions: Sendable {
    package var trace: TraceContext
    /// The time until the caller stops waiting for the reply.
    package var timeout: Duration
    /// A request that is repeated under the same key takes effect once; nil for a key of its own.
    package var idempotencyKey: String?

    package init(trace: TraceContext, timeout: Duration, idempotencyKey: String? = nil) {
        self.trace = trace
        self.timeout = timeout
        self.idempotencyKey = idempotencyKey
    }
}

/// One request that a service sends to another one, as a value that a test can replace.
/// - Throws: as `BusClient.send`.
package typealias PeerCall<Request: BusRequest> = @Sendable (Request, CallOptions) async throws -> Request.Reply

extension BusClient {
    /// The call over the bus.
    package func call<Request: BusRequest>(_: Request.Type = Request.self) -> PeerCall<Request> {
        { request, options in
            try await send(
                request, trace: options.trace, timeout: options.timeout, idempotencyKey: options.idempotencyKey)
        }
    }
}

extension BusCall {
    /// Options for a request in the course of this call. Its reply is not awaited longer than the call itself has time.
    /// - Parameter timeout: nil for all of that time.
    package func options(
        at now: Moment, timeout: Duration? = nil, idempotencyKey: String? = nil
    ) -> CallOptions {
        let left = Duration.milliseconds(max(1, deadline.milliseconds(since: now)))
        return CallOptions(
            trace: trace.child(), timeout: timeout.map { min($0, left) } ?? left, idempotencyKey: idempotencyKey)
    }
}
