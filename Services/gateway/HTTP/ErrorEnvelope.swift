import Contracts
import HTTPServer
import Pages

/// The body of an error response. v1 and v3 list the error under `errors` and have no status word for product codes. v2
/// and Secure Token have the word and no list, except where clients read the reason (REST 1.3, 1.6).
struct ErrorEnvelope: Encodable {
    private var error: Body

    init(_ refusal: APIError, on surface: ErrorFormat) {
        var body = Body(code: refusal.status, message: refusal.message)
        switch surface {
        case .v1, .page:
            body.status = refusal.rpcCode?.rawValue
            body.errors = [Entry(refusal)]
        case .v2:
            body.status = (refusal.rpcCode ?? Self.word(for: refusal.status))?.rawValue
            body.errors = refusal.reason == nil ? nil : [Entry(refusal)]
        }
        body.details = refusal.details.isEmpty ? nil : refusal.details.map(Detail.init)
        error = body
    }

    /// The status word of a product code, by its HTTP status.
    private static func word(for status: Int) -> APIError.RPCCode? {
        switch status {
        case 400: .invalidArgument
        case 403: .permissionDenied
        case 404: .notFound
        case 409: .alreadyExists
        case 429: .resourceExhausted
        default: nil
        }
    }

    private struct Body: Encodable {
        var code: Int
        var message: String
        var status: String?
        var errors: [Entry]?
        var details: [Detail]?
    }

    private struct Entry: Encodable {
        var message: String
        var domain = "global"
        var reason: String
        var location: String?
        var locationType: String?

        init(_ refusal: APIError) {
            message = refusal.message
            reason = refusal.reason?.rawValue ?? "invalid"
            switch refusal.reason {
            case .authError, .required:
                location = "Authorization"
                locationType = "header"
            case .keyInvalid, .forbidden, nil:
                break
            }
        }
    }

    private struct Detail: Encodable {
        let detail: APIError.Detail

        enum CodingKeys: String, CodingKey { case type = "@type", fieldViolations, reason, domain }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            switch detail {
            case .badRequest(let violations):
                try container.encode("type.googleapis.com/google.rpc.BadRequest", forKey: .type)
                try container.encode(violations, forKey: .fieldViolations)
            case .errorInfo(let reason):
                try container.encode("type.googleapis.com/google.rpc.ErrorInfo", forKey: .type)
                try container.encode(reason, forKey: .reason)
                try container.encode("googleapis.com", forKey: .domain)
            }
        }
    }
}

extension HTTPResponse {
    init(_ refusal: APIError, on surface: ErrorFormat) {
        guard surface != .page else {
            self = Page(refusal).response
            return
        }
        self = .json(ErrorEnvelope(refusal, on: surface), status: refusal.status)
        if let seconds = refusal.retryAfterSeconds { headers.append(("Retry-After", String(max(1, seconds)))) }
        if let limit = refusal.limit { headers.append((LimitName.header, limit.rawValue)) }
        if !refusal.allowedMethods.isEmpty {
            headers.append(("Allow", refusal.allowedMethods.joined(separator: ", ")))
        }
    }
}
