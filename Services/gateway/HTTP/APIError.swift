import ConfigurationDocuments
import Contracts
import HTTPServer

/// An error response in the terms of the REST protocol (REST 1.6). `ErrorEnvelope` encodes it in the error format of
/// the route.
struct APIError: Error, Equatable, Sendable {
    /// The google.rpc.Code values that the protocol uses.
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

    /// The value of `errors[0].reason` instead of the usual `invalid`. Clients act on these values.
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

    typealias FieldViolation = DocumentError.FieldViolation

    /// The HTTP status.
    var status: Int
    /// `CODE`, `CODE : detail`, or a sentence; shown to the user.
    var message: String
    /// `nil` for a product code: v1 and v3 send it without a status word, v2 derives the word from `status`.
    var rpcCode: RPCCode?
    var reason: Reason?
    var details: [Detail] = []
    /// Becomes `Retry-After`.
    var retryAfterSeconds: Int?
    /// Becomes `X-Latchkey-Limit`.
    var limit: LimitName?
    /// Becomes `Allow`: the methods that this path supports.
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

    /// The token is valid but does not grant this permission.
    static let permissionDenied = APIError(
        status: 403, message: "The caller does not have permission.", rpcCode: .permissionDenied, reason: .forbidden)

    /// Dev mode only.
    static let foreignHost = APIError(
        status: 403,
        message: "In development mode this server is reached as localhost, as 10.0.2.2 from the Android emulator, or by"
            + " the name in LATCHKEY_PUBLIC_URL.",
        rpcCode: .permissionDenied, reason: .forbidden)

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

    /// The log contains the details under the same id.
    static func `internal`(requestID: String) -> APIError {
        .init(status: 500, message: "Internal error encountered. Request \(requestID).", rpcCode: .internal)
    }

    /// Clients get the protocol string with status 400; all other callers get the standard status (security rule RL6).
    static func tooManyAttempts(retryAfterSeconds: Int?, limit: LimitName?, isClientCall: Bool) -> APIError {
        .init(
            status: isClientCall ? 400 : 429, message: "TOO_MANY_ATTEMPTS_TRY_LATER",
            retryAfterSeconds: retryAfterSeconds, limit: limit)
    }
}

extension APIError {
    /// The HTTP server rejected the request before routing.
    init(_ reason: RejectedRequest.Reason) {
        self =
            switch reason {
            case .headTooLarge: .init(status: reason.status, message: "The header fields are too large.")
            case .uriTooLong: .init(status: reason.status, message: "The requested URL is too long.")
            case .bodyTooLarge: .init(status: reason.status, message: "The request body is too large.")
            case .headTimeout, .bodyTimeout: .init(status: reason.status, message: "The request took too long.")
            case .overloaded: .unavailable()
            case .invalidFraming: .invalidArgument("The request is malformed.")
            case .invalidResponse:
                .init(status: reason.status, message: "Internal error encountered.", rpcCode: .internal)
            }
    }
}
