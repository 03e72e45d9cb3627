package import Contracts
internal import FoundationEssentials
internal import JSON
internal import Vocabulary
internal import ZeroMQ

/// Asks other services.
package struct BusClient: Sendable {
    private static let maximumRetries = 2

    private let connection: BusConnection

    package init(_ connection: BusConnection) {
        self.connection = connection
    }

    /// Asks a service and waits for its reply, no longer than `patience`. A cancelled task stops waiting with
    /// `deadlineExceeded`.
    ///
    /// What the contract calls repeatable or recorded is asked again when nobody could be reached: at most twice, after
    /// a random pause, inside the same deadline, and not by more than one call in ten. A recorded request carries the
    /// same idempotency key each time.
    ///
    /// - Throws: `unavailable`, `overloaded`, `deadlineExceeded`, `invalidRequest` for more than a mebibyte, or the
    ///   service's own refusal. A reply that is not what the contract says is `internal`.
    package func send<Request: BusRequest>(
        _ request: Request, trace: TraceContext, timeout: Duration = .seconds(5)
    ) async throws(WireError) -> Request.Reply {
        try await send(request, trace: trace, timeout: timeout, idempotencyKey: nil)
    }

    /// The same for a recorded request that a later call may repeat, with the same parameters, to get the same reply.
    /// - Parameter idempotencyKey: 32 hexadecimal digits that nobody can guess; nil for one of its own.
    package func send<Request: BusRequest>(
        _ request: Request, trace: TraceContext, timeout: Duration, idempotencyKey: String?
    ) async throws(WireError) -> Request.Reply {
        let now = BusTime.now()
        let expiresAt = now.steady + timeout
        let frames = try Self.frames(
            for: request, trace: trace, deadline: now.wall + timeout, idempotencyKey: idempotencyKey)
        let isRetryable = Request.delivery != .atMostOnce
        connection.depositRetry()
        var retries = 0
        while true {
            do throws(WireError) {
                let body = try await connection.send(frames, isRetryable: isRetryable, expiresAt: expiresAt).get()
                return try Self.reply(in: body)
            } catch {
                let pause = Duration.milliseconds(Int.random(in: 20...(100 << retries)))
                guard error.code == .unavailable, isRetryable, retries < Self.maximumRetries, !Task.isCancelled,
                    ContinuousClock.now + pause < expiresAt, connection.consumeRetry()
                else { throw error }
                retries += 1
                // Cancelled in its sleep, the task finds out at its next call.
                try? await Task.sleep(for: pause)
            }
        }
    }

    private static func frames<Request: BusRequest>(
        for request: Request, trace: TraceContext, deadline: Moment, idempotencyKey: String?
    ) throws(WireError) -> BusMessage.Request {
        let id = RequestID.random()
        let delivery = Request.delivery
        let envelope = RequestEnvelope(
            id: id.description, params: request, deadline: deadline, trace: trace,
            idempotencyKey: delivery == .deduplicated ? idempotencyKey ?? RequestID.random().description : nil)
        // Sorted, so that equal requests have equal digests.
        guard let json = try? WireJSON.encodeSorted(envelope) else {
            throw WireError(.invalidRequest, "\(envelope.operation) has a value that JSON cannot hold")
        }
        guard json.count <= BusMessage.maximumBodyBytes else {
            throw WireError(
                .invalidRequest, "\(envelope.operation) is longer than \(BusMessage.maximumBodyBytes) bytes")
        }
        let service = BusName(Request.Operation.service)
        return BusMessage.Request(
            service: service, id: id, deadline: deadline, isIdempotent: delivery == .idempotent,
            payload: PayloadDigest(service: service, sortedEnvelope: json), body: ZeroMQFrame(json))
    }

    private static func reply<Reply: Codable & Sendable>(in body: ZeroMQFrame) throws(WireError) -> Reply {
        // Not scanned for our limits first: it is bounded in length, and written by the owner of what it says. Scanning is
        // a tenth of what an answer costs here.
        guard let envelope = try? WireJSON.decodeUnchecked(ReplyEnvelope<Reply>.self, from: Data(body)) else {
            throw WireError(.internal, "the reply breaks the contract")
        }
        switch envelope {
        case .result(_, let reply): return reply
        case .error(_, let error): throw error
        }
    }
}
