package import Contracts
package import Vocabulary

/// How a request is sent to another service.
package struct CallOptions: Sendable {
    package var trace: TraceContext
    /// The time until the caller stops waiting for the reply.
    package var timeout: Duration
    /// 32 hexadecimal digits that cannot be guessed. A deduplicated request that is repeated under the same key, with the
    /// same parameters, takes effect once and gets the same reply. Nil for a key of its own.
    package var idempotencyKey: String?

    package init(trace: TraceContext, timeout: Duration, idempotencyKey: String? = nil) {
        self.trace = trace
        self.timeout = timeout
        self.idempotencyKey = idempotencyKey
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
            trace: trace, timeout: timeout.map { min($0, left) } ?? left, idempotencyKey: idempotencyKey)
    }
}
