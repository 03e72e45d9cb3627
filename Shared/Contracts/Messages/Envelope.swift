package import Vocabulary

/// The JSON body of a request message. Written by `BusClient`, read by `BusWorker`.
///
/// The members are declared in the order of their names: then `WireJSON.encodeSorted` has nothing to sort.
package struct RequestEnvelope<Params: BusRequest>: Codable, Sendable {
    /// Unix milliseconds by the clock of the caller, for information only: workers use the frame.
    package var deadline: Moment
    package var id: String
    /// Present on operations with the retry semantics `deduplicated`.
    package var idempotencyKey: String?
    package var operation: String
    package var params: Params
    package var trace: TraceContext
    /// The `tracestate` of the trace, if it has one.
    package var tracestate: String?

    package init(
        id: String, params: Params, deadline: Moment, trace: TraceContext, idempotencyKey: String? = nil
    ) {
        self.id = id
        operation = Params.operation.rawValue
        self.params = params
        self.deadline = deadline
        self.trace = trace
        tracestate = trace.state
        self.idempotencyKey = idempotencyKey
    }
}

/// The part of a request that can be read before its operation is known.
package struct EnvelopeHeader: Codable, Equatable, Sendable {
    package var id: String
    package var operation: String
    package var deadline: Moment
    package var trace: TraceContext
    package var tracestate: String?
    package var idempotencyKey: String?
}

/// The part of a request that can be read once its operation is known.
package struct EnvelopeParams<Params: BusRequest>: Decodable, Sendable {
    package var params: Params
}

/// The JSON body of a reply message: the request's id and exactly one of `result` and `error`.
package enum ReplyEnvelope<Result: Codable & Sendable>: Codable, Sendable {
    case result(id: String, Result)
    case error(id: String, WireError)

    private enum CodingKeys: String, CodingKey { case id, result, error }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let id = try container.decode(String.self, forKey: .id)
        if let error = try container.decodeIfPresent(WireError.self, forKey: .error) {
            self = .error(id: id, error)
        } else {
            self = .result(id: id, try container.decode(Result.self, forKey: .result))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .result(let id, let result):
            try container.encode(id, forKey: .id)
            try container.encode(result, forKey: .result)
        case .error(let id, let error):
            try container.encode(id, forKey: .id)
            try container.encode(error, forKey: .error)
        }
    }
}
