package import Contracts

/// Sends requests to other services: `BusClient`, or a scripted implementation in a test. A protocol because a closure
/// cannot be generic.
package protocol BusRequestSending: Sendable {
    /// Sends a request and waits for its reply.
    /// - Throws: as `BusClient.send`.
    func send<Request: BusRequest>(
        _ request: Request, _ options: CallOptions
    ) async throws(ServiceError) -> Request.Reply
}

extension BusRequestSending {
    /// The same with the options one by one.
    package func send<Request: BusRequest>(
        _ request: Request, trace: TraceContext, timeout: Duration = .seconds(5), idempotencyKey: String? = nil
    ) async throws(ServiceError) -> Request.Reply {
        try await send(request, CallOptions(trace: trace, timeout: timeout, idempotencyKey: idempotencyKey))
    }
}
