internal import Blocking
package import Contracts
package import FoundationEssentials
internal import JSON
package import Vocabulary
internal import ZeroMQ

/// One request as the worker sees it.
package struct BusCall: Sendable {
    /// 32 hexadecimal digits; the reply names it.
    package let id: String
    /// As the caller wrote it: `BusWorker` tells whether there is such an operation.
    package let operation: String
    /// By the clock of this process. After it nobody wants the answer.
    package let deadline: Moment
    /// Requests that the handler makes in its course carry a child of it.
    package let trace: TraceContext
    /// On operations that must take effect once: a second request under the key gets the recorded reply.
    package let idempotencyKey: String?
    /// The JSON of the whole envelope, checked against `JSONLimits`.
    private let body: Data

    /// Reads the part of an envelope that is the same for all operations.
    /// - Parameter deadline: by the clock of this process, as the frames say it; nil for the one in the envelope, which
    ///   is by the clock of the caller.
    /// - Throws: `invalidRequest` for what is no envelope.
    package init(body: Data, deadline: Moment? = nil) throws(WireError) {
        do {
            let head = try WireJSON.decode(EnvelopeHeader.self, from: body)
            id = head.id
            operation = head.operation
            self.deadline = deadline ?? head.deadline
            trace = head.trace
            idempotencyKey = head.idempotencyKey
            self.body = body
        } catch {
            throw WireError(.invalidRequest, "not a request envelope")
        }
    }

    /// A call as it arrives when `request` is asked: for tests, and for services linked into one process.
    package init<Request: BusRequest>(
        _ request: Request, deadline: Moment, trace: TraceContext = .random(), idempotencyKey: String? = nil
    ) throws {
        try self.init(
            body: WireJSON.encode(
                RequestEnvelope(
                    id: RequestID.random().description, params: request, deadline: deadline, trace: trace,
                    idempotencyKey: idempotencyKey)))
    }

    /// The parameters.
    /// - Throws: `invalidRequest` if they are not those of `Request`.
    package func params<Request: BusRequest>(of type: Request.Type = Request.self) throws(WireError) -> Request {
        do {
            // `init` has checked the text, so it is not scanned again.
            return try WireJSON.decodeUnchecked(EnvelopeParams<Request>.self, from: body).params
        } catch {
            throw WireError(.invalidRequest, "the parameters of \(operation) are malformed")
        }
    }

    /// Decodes the parameters, runs the handler, encodes its reply.
    package func reply<Request: BusRequest>(
        with handler: (Request) async throws -> Request.Reply
    ) async throws -> BusReply {
        try await reply { (request: Request, _) in try await handler(request) }
    }

    /// The same for a handler that needs the trace, the deadline or the idempotency key.
    package func reply<Request: BusRequest>(
        with handler: (Request, BusCall) async throws -> Request.Reply
    ) async throws -> BusReply {
        let reply = try await handler(params(), self)
        return BusReply(body: try WireJSON.encode(ReplyEnvelope.result(id: id, reply)))
    }

    /// The parameters in one spelling, members sorted by name without white space: equal for equal parameters, however
    /// their JSON was written. They can hold a password, so whoever keeps them keeps a keyed hash.
    package var canonicalParams: [UInt8] {
        // `try?`: a body without parameters fails its operation anyway; here it is one of its own kind.
        let canonical = try? WireJSON.encodeSorted(WireJSON.decodeUnchecked(AnyParams.self, from: body).params)
        return Array(canonical ?? Data())
    }

    private struct AnyParams: Decodable {
        var params: JSONValue
    }
}

/// An encoded reply on its way back.
package struct BusReply: Sendable {
    let body: Data

    /// Reads the reply again: for tests.
    /// - Throws: the refusal, if it is one.
    package func result<Reply: Codable & Sendable>(as type: Reply.Type = Reply.self) throws -> Reply {
        switch try WireJSON.decode(ReplyEnvelope<Reply>.self, from: body) {
        case .result(_, let reply): return reply
        case .error(_, let error): throw error
        }
    }
}

/// Answers one request. A `WireError` it throws crosses the bus as it is, and a `DependencyFailure` as what it says of
/// itself; any other error leaves as `internal`. What is no refusal is logged.
package typealias BusHandler = @Sendable (BusCall) async throws -> BusReply

extension BusCall {
    /// The answer to a request: always one, whatever the handler does.
    static func reply(
        to request: BusMessage.Request, with handler: BusHandler, note: @Sendable (BusDiagnostic) -> Void
    ) async -> BusMessage.Reply {
        let call: BusCall
        do throws(WireError) {
            call = try BusCall(body: Data(request.body), deadline: request.deadline)
            // The broker acts on the frames and the handler on the body: they must say the same.
            guard call.id == request.id.description else {
                throw WireError(.invalidRequest, "the frames and the body disagree")
            }
        } catch {
            return .init(refusing: request.id, error)
        }
        do {
            let mark = RequestMark(high: request.payload.high, low: request.payload.low)
            let reply = try await RequestMark.$current.withValue(mark) { try await handler(call) }
            guard reply.body.count <= BusMessage.maximumBodyBytes else {
                throw ReplyTooLongError(bytes: reply.body.count)
            }
            return .init(id: request.id, body: ZeroMQFrame(reply.body))
        } catch let error as WireError {
            return .init(refusing: request.id, error)
        } catch {
            let refusal = (error as? any DependencyFailure)?.wireError
            // A full line is our own doing and counted elsewhere: a log line each would add to the load.
            if refusal?.code != .overloaded {
                note(.handlerFailed(operation: call.operation, trace: call.trace, error))
            }
            return .init(refusing: request.id, refusal ?? WireError(.internal, "trace \(call.trace.traceID)"))
        }
    }

    private struct ReplyTooLongError: Error {
        var bytes: Int
    }
}

extension Data {
    /// A copy of a frame's bytes.
    init(_ frame: ZeroMQFrame) {
        self = frame.withUnsafeBytes { Data($0) }
    }
}
