import Blocking
package import Contracts
import FoundationEssentials
import JSON
import Tracing
package import Vocabulary
import ZeroMQ

/// One request as the worker sees it.
package struct BusCall: Sendable {
    /// 32 hexadecimal digits; the reply has the same id.
    package let id: String
    /// The name that the caller sent. `BusWorker` checks whether the operation exists.
    package let operation: String
    /// By the clock of this process. After it the caller has stopped waiting.
    package let deadline: Moment
    /// The trace of the caller, with a span id of this process: the requests that the handler sends carry it.
    package private(set) var trace: TraceContext
    /// Present on operations that must take effect once: a second request with this key gets the recorded reply.
    package let idempotencyKey: String?
    /// As whom the request counts. Nil without keys: then every process of the user may send everything.
    package let callers: Set<BusCaller>?
    /// The whole envelope, checked against `JSONLimits`.
    private let envelope: JSONDocument

    /// Reads the part of an envelope that is the same for all operations.
    /// - Parameters:
    ///   - deadline: by the clock of this process, computed from the frames. Nil means the deadline in the envelope,
    ///     which is by the clock of the caller.
    ///   - callers: nil without keys.
    /// - Throws: `invalidRequest` if the body is not a valid envelope.
    package init(
        body: some Sequence<UInt8>, deadline: Moment? = nil, from callers: Set<BusCaller>? = nil
    ) throws(ServiceError) {
        self.callers = callers
        do {
            envelope = try JSONDocument(body)
            let head = try envelope.decode(EnvelopeHeader.self)
            id = head.id
            operation = head.operation
            self.deadline = deadline ?? head.deadline
            trace = head.trace.with(state: head.tracestate)
            idempotencyKey = head.idempotencyKey
        } catch {
            throw ServiceError(.invalidRequest, "not a request envelope")
        }
    }

    /// The call that a worker receives for `request`. For tests, and for services linked into one process.
    package init<Request: BusRequest>(
        _ request: Request, deadline: Moment, trace: TraceContext = .random(), idempotencyKey: String? = nil,
        from callers: Set<BusCaller>? = nil
    ) throws {
        try self.init(
            body: WireJSON.encode(
                RequestEnvelope(
                    id: RequestID.random().description, params: request, deadline: deadline, trace: trace,
                    idempotencyKey: idempotencyKey)), from: callers)
    }

    /// The parameters.
    /// - Throws: `invalidRequest` if they do not decode as `Request`.
    package func params<Request: BusRequest>(of type: Request.Type = Request.self) throws(ServiceError) -> Request {
        do {
            return try envelope.decode(EnvelopeParams<Request>.self).params
        } catch {
            throw ServiceError(.invalidRequest, "the parameters of \(operation) are malformed")
        }
    }

    /// Decodes the parameters, runs the handler and encodes its reply.
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

    /// The parameters as canonical JSON, with members sorted by name and without white space. Equal parameters give
    /// equal bytes, however their JSON was written. They can contain a password, so a store keeps only a keyed hash of
    /// them.
    package var canonicalParams: [UInt8] { canonicalParams(omitting: nil) }

    /// As `canonicalParams`, without the member `name`.
    package func canonicalParams(omitting name: String?) -> [UInt8] {
        // `try?`: a body without parameters fails in its operation anyway. Here it gets an empty value.
        guard var params = try? envelope.decode(AnyParams.self).params else { return [] }
        if let name, case .object(var members) = params {
            members[name] = nil
            params = .object(members)
        }
        // `try?`: values that were decoded can be encoded.
        return (try? WireJSON.encodeSorted(params)).map(Array.init) ?? []
    }

    private struct AnyParams: Decodable {
        var params: JSONValue
    }
}

/// An encoded reply.
package struct BusReply: Sendable {
    let body: Data

    /// Decodes the reply, for tests.
    /// - Throws: the error, if the reply carries one.
    package func result<Reply: Codable & Sendable>(as type: Reply.Type = Reply.self) throws -> Reply {
        switch try WireJSON.decode(ReplyEnvelope<Reply>.self, from: body) {
        case .result(_, let reply): return reply
        case .error(_, let error): throw ServiceError(error)
        }
    }
}

/// Handles one request. A thrown `ServiceError` crosses the bus, also one of another process. A `DependencyFailure` crosses
/// as the error that it defines. Any other error becomes `internal`. Errors other than `ServiceError` are logged.
package typealias BusHandler = @Sendable (BusCall) async throws -> BusReply

extension BusCall {
    /// The reply to a request. There is always exactly one, whatever the handler does.
    /// - Parameters:
    ///   - callers: as whom the request counts; nil without keys.
    ///   - spans: records the call; nil if this process records no traces.
    static func reply(
        to request: BusMessage.Request, from callers: Set<BusCaller>? = nil, with handler: BusHandler,
        at now: @Sendable () -> Moment,
        recordingIn spans: SpanRecorder?,
        note: @Sendable (BusDiagnostic) -> Void
    ) async -> BusMessage.Reply {
        var call: BusCall
        do throws(ServiceError) {
            call = try BusCall(body: [UInt8](request.body), deadline: request.deadline, from: callers)
            // The broker acts on the frames and the handler on the body, so both must name the same request.
            guard call.id == request.id.description else {
                throw ServiceError(.invalidRequest, "the frames and the body disagree")
            }
        } catch {
            return refusal(error, of: request, at: now())
        }
        let span = spans?.begin(.server, parent: call.trace)
        call.trace = span?.context ?? call.trace.child()
        let reply = await ActiveSpan.$current.withValue(span) { [call] in
            await Self.result(of: call, request, handler, note)
        }
        switch reply {
        case .success(let reply):
            span?.end(call, of: request.service)
            return reply
        case .failure(let error):
            span?.end(call, of: request.service, error)
            return refusal(error, of: request, at: now())
        }
    }

    private static func result(
        of call: BusCall, _ request: BusMessage.Request, _ handler: BusHandler,
        _ note: @Sendable (BusDiagnostic) -> Void
    ) async -> Result<BusMessage.Reply, ServiceError> {
        do {
            let mark = RequestMark(high: request.payload.high, low: request.payload.low)
            let reply = try await RequestMark.$current.withValue(mark) { try await handler(call) }
            guard reply.body.count <= BusMessage.maximumBodyBytes else {
                throw ReplyTooLongError(bytes: reply.body.count)
            }
            return .success(.init(id: request.id, body: ZeroMQFrame(reply.body)))
        } catch let error as ServiceError {
            return .failure(error)
        } catch is CallerRefusal {
            note(.callerRefused(operation: call.operation, caller: request.caller, trace: call.trace))
            return .failure(ServiceError(.notPermitted, "this process may not send \(call.operation)"))
        } catch {
            let serviceError = (error as? any DependencyFailure)?.serviceError
            // Overload is counted elsewhere, and a log line per request would add to the load.
            if serviceError?.code != .overloaded {
                note(.handlerFailed(operation: call.operation, trace: call.trace, error))
            }
            return .failure(serviceError ?? ServiceError(.internal, "trace \(call.trace.traceID)"))
        }
    }

    private static func refusal(
        _ error: ServiceError, of request: BusMessage.Request, at now: Moment
    ) -> BusMessage.Reply {
        .init(refusing: request.id, WireError(error, now: now))
    }

    private struct ReplyTooLongError: Error {
        var bytes: Int
    }
}

extension ActiveSpan {
    /// Ends the span of a call. An error of the caller is no error of this process.
    fileprivate func end(_ call: BusCall, of service: BusName, _ error: ServiceError? = nil) {
        // Any caller can name an operation that does not exist.
        let operation = error?.code == .unknownOperation ? "_OTHER" : call.operation
        var attributes: [Span.Attribute] {
            [
                ("rpc.system.name", .text("latchkey")), ("rpc.method", .text("\(service)/\(operation)")),
            ] + (error.map { [("rpc.response.status_code", .text($0.code.rawValue))] } ?? [])
        }
        let isFailure = error.map { Self.failures.contains($0.code) } ?? false
        end("\(service)/\(operation)", attributes, error: isFailure ? error?.code.rawValue : nil)
    }

    private static let failures: Set<WireError.Code> = [.internal, .unavailable, .overloaded, .deadlineExceeded]
}

extension [UInt8] {
    /// Copies the bytes of a frame.
    init(_ frame: ZeroMQFrame) {
        self = frame.withUnsafeBytes { Array($0) }
    }
}
