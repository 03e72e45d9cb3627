package import Contracts
import JSON
import Vocabulary
import ZeroMQ

/// Sends requests to other services.
package struct BusClient: BusRequestSending {
    private static let maximumRetries = 2

    private let connection: BusConnection

    package init(_ connection: BusConnection) {
        self.connection = connection
    }

    /// Sends a request and waits for its reply, for at most the timeout. If the task is cancelled, the call ends with
    /// `deadlineExceeded`.
    ///
    /// If no worker was reached, the client repeats idempotent and deduplicated operations. It repeats at most twice,
    /// after a random delay, before the same deadline, and for at most one call in ten. A deduplicated request carries
    /// the same idempotency key each time.
    ///
    /// - Throws: `unavailable`, `overloaded`, `deadlineExceeded`, `invalidRequest` for more than 1 MiB, or the error
    ///   that the service returned. A reply that violates the contract is `internal`.
    package func send<Request: BusRequest>(
        _ request: Request, _ options: CallOptions
    ) async throws(ServiceError) -> Request.Reply {
        let machine = connection.machine
        let now = machine.now()
        let expiresAt = now.steady + options.timeout
        let frames = try Self.frames(
            for: request, id: machine.randomRequestID(), trace: options.trace, deadline: now.wall + options.timeout,
            idempotencyKey: options.idempotencyKey ?? machine.randomRequestID().description)
        let isRetryable = Request.retrySemantics != .atMostOnce
        connection.depositRetry()
        var retries = 0
        while true {
            do throws(ServiceError) {
                let body = try await connection.send(frames, isRetryable: isRetryable, expiresAt: expiresAt).get()
                return try Self.reply(in: body)
            } catch {
                // 20 to 99 milliseconds, then 20 to 199.
                let span: UInt64 = retries == 0 ? 80 : 180
                let pause = Duration.milliseconds(20) + .milliseconds(machine.randomNumber() % span)
                guard error.code == .unavailable, isRetryable, retries < Self.maximumRetries, !Task.isCancelled,
                    machine.now().steady + pause < expiresAt, connection.consumeRetry()
                else { throw error }
                retries += 1
                // If the task is cancelled during the sleep, its next call detects it.
                try? await machine.pause(for: pause)
            }
        }
    }

    private static func frames<Request: BusRequest>(
        for request: Request, id: RequestID, trace: TraceContext, deadline: Moment, idempotencyKey: String
    ) throws(ServiceError) -> BusMessage.Request {
        let retrySemantics = Request.retrySemantics
        let envelope = RequestEnvelope(
            id: id.description, params: request, deadline: deadline, trace: trace,
            idempotencyKey: retrySemantics == .deduplicated ? idempotencyKey : nil)
        // Sorted, so that equal requests have equal digests.
        guard let json = try? WireJSON.encodeSorted(envelope) else {
            throw ServiceError(.invalidRequest, "\(envelope.operation) has a value that JSON cannot hold")
        }
        guard json.count <= BusMessage.maximumBodyBytes else {
            throw ServiceError(
                .invalidRequest, "\(envelope.operation) is longer than \(BusMessage.maximumBodyBytes) bytes")
        }
        let service = BusName(Request.Operation.service)
        return BusMessage.Request(
            service: service, id: id, deadline: deadline, isIdempotent: retrySemantics == .idempotent,
            payload: PayloadDigest(service: service, sortedEnvelope: json), body: ZeroMQFrame(json))
    }

    private static func reply<Reply: Codable & Sendable>(in body: ZeroMQFrame) throws(ServiceError) -> Reply {
        // The reply has a bounded length and comes from the service that owns the data. Lists of accounts have more
        // values than a request may have.
        guard let envelope = try? WireJSON.decodeUnchecked(ReplyEnvelope<Reply>.self, from: [UInt8](body)) else {
            throw ServiceError(.internal, "the reply breaks the contract")
        }
        switch envelope {
        case .result(_, let reply): return reply
        case .error(_, let error): throw ServiceError(error)
        }
    }
}
