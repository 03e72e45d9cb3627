internal import HTTPServer

/// Why a request gets no success, in the terms of the outside (REST 1.6). `ErrorEnvelope` writes it
/// in the form of the surface that was called.
struct APIError: Error, Equatable, Sendable {
    /// The words of google.rpc.Code that the wire knows.
    enum RPCCode: String, Sendable {
        case invalidArgument = "INVALID_ARGUMENT"
        case unauthenticated = "UNAUTHENTICATED"
        case permissionDenied = "PERMISSION_DENIED"
        case notFound = "NOT_FOUND"
        case alreadyExists = "ALREADY_EXISTS"
        case aborted = "ABORTED"
        case resourceExhausted = "RESOURCE_EXHAUSTED"
        case unavailable = "UNAVAILABLE"
        case `internal` = "INTERNAL"
    }

    /// What stands in `errors[0].reason` instead of the usual `invalid`. Clients act on these words.
    enum Reason: String, Sendable {
        case required, authError, keyInvalid, forbidden
    }

    /// A member of `details`.
    enum Detail: Equatable, Sendable {
        /// `google.rpc.BadRequest`.
        case badRequest([FieldViolation])
        /// `google.rpc.ErrorInfo` with this reason.
        case errorInfo(reason: String)
    }

    /// A field of the request, by its path, and what is wrong with it.
    struct FieldViolation: Equatable, Encodable, Sendable {
        var field: String
        var description: String
    }

    /// The HTTP status.
    var status: Int
    /// `CODE`, `CODE : detail`, or a sentence; reaches the user.
    var message: String
    /// `nil` for a product code: v1 and v3 send it without a status word, v2 derives the word from `status`.
    var rpcCode: RPCCode?
    var reason: Reason?
    var details: [Detail] = []
    /// Becomes `Retry-After`.
    var retryAfterSeconds: Int?
    /// Becomes `Allow`: the methods that this path does know.
    var allowedMethods: [String] = []
}

extension APIError {
    static func invalidArgument(
        _ message: String = "Request contains an invalid argument.", _ violations: [FieldViolation] = []
    ) -> APIError {
        .init(
            status: 400, message: message, rpcCode: .invalidArgument,
            details: violations.isEmpty ? [] : [.badRequest(violations)])
    }

    static let missingAPIKey = APIError(
        status: 403, message: "The request is missing a valid API key.", rpcCode: .permissionDenied, reason: .forbidden)

    static let unknownAPIKey = APIError(
        status: 400, message: "API key not valid. Please pass a valid API key.", rpcCode: .invalidArgument,
        reason: .keyInvalid, details: [.errorInfo(reason: "API_KEY_INVALID")])

    static let missingBearerToken = APIError(
        status: 401,
        message: "Request is missing required authentication credential. Expected OAuth 2 access token.",
        rpcCode: .unauthenticated, reason: .required)

    static let invalidBearerToken = APIError(
        status: 401, message: "Request had invalid authentication credentials. Expected OAuth 2 access token.",
        rpcCode: .unauthenticated, reason: .authError)

    /// A good token that does not reach so far.
    static let permissionDenied = APIError(
        status: 403, message: "The caller does not have permission.", rpcCode: .permissionDenied, reason: .forbidden)

    static let pathNotFound = APIError(
        status: 404, message: "The requested URL was not found on this server.", rpcCode: .notFound)

    static func methodNotAllowed(allowed: [String]) -> APIError {
        .init(status: 405, message: "The method is not allowed for the requested URL.", allowedMethods: allowed)
    }

    static func contentType(expected: String) -> APIError {
        .init(status: 415, message: "The content type must be \(expected).", rpcCode: .invalidArgument)
    }

    static func unavailable(retryAfterSeconds: Int = 1) -> APIError {
        .init(
            status: 503, message: "The service is currently unavailable.", rpcCode: .unavailable,
            retryAfterSeconds: retryAfterSeconds)
    }

    /// The log has the details under the same id.
    static func `internal`(requestID: String) -> APIError {
        .init(status: 500, message: "Internal error encountered. Request \(requestID).", rpcCode: .internal)
    }

    /// Clients know the string with status 400; everybody else gets the plain meaning (security rule RL6).
    static func tooManyAttempts(retryAfterSeconds: Int?, isClientCall: Bool) -> APIError {
        .init(
            status: isClientCall ? 400 : 429, message: "TOO_MANY_ATTEMPTS_TRY_LATER",
            retryAfterSeconds: retryAfterSeconds)
    }
}

extension APIError {
    /// What the HTTP server turned away before any route saw it.
    init(_ reason: RejectedRequest.Reason) {
        self =
            switch reason {
            case .headTooLarge: .init(status: reason.status, message: "The header fields are too large.")
            case .uriTooLong: .init(status: reason.status, message: "The requested URL is too long.")
            case .bodyTooLarge: .init(status: reason.status, message: "The request body is too large.")
            case .headTimeout, .bodyTimeout: .init(status: reason.status, message: "The request took too long.")
            case .overloaded: .unavailable()
            case .invalidFraming: .invalidArgument("The request is malformed.")
            case .unsendable: .init(status: reason.status, message: "Internal error encountered.", rpcCode: .internal)
            }
    }
}
