public import Foundation
import LatchkeyAuth

/// An error of a call of ``AdminAuth`` and its managers. It contains no password and no token.
public struct AdminError: Error, LocalizedError, Sendable {
    /// What went wrong.
    public let code: Code
    /// The code of the server, such as `EMAIL_EXISTS`; nil if the error is of this library.
    public let serverCode: String?
    /// A sentence in English, for a developer.
    public let message: String
    /// The seconds until the server accepts the request, if it said so.
    public let retryAfterSeconds: Int?

    init(_ code: Code, _ message: String? = nil, serverCode: String? = nil, retryAfterSeconds: Int? = nil) {
        self.code = code
        self.message = message ?? serverCode ?? code.rawValue
        self.serverCode = serverCode
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// ``message``.
    public var errorDescription: String? { message }

    /// The kinds of errors. The raw values are those of the admin libraries for other languages.
    public enum Code: String, Sendable, CaseIterable {
        // Accounts.
        case uidAlreadyExists = "uid-already-exists"
        case emailAlreadyExists = "email-already-exists"
        case phoneNumberAlreadyExists = "phone-number-already-exists"
        /// No such account exists.
        case userNotFound = "user-not-found"
        case userDisabled = "user-disabled"
        case invalidUID = "invalid-uid"
        case invalidEmail = "invalid-email"
        case invalidPhoneNumber = "invalid-phone-number"
        /// The password is too short, or does not meet the policy of the project.
        case invalidPassword = "invalid-password"
        /// The claims are not JSON, or are longer than 1,000 characters.
        case invalidClaims = "invalid-claims"
        /// A custom claim has a name that tokens use themselves.
        case forbiddenClaim = "forbidden-claim"
        /// A second factor requires a verified e-mail address.
        case unverifiedEmail = "unverified-email"
        case unsupportedFirstFactor = "unsupported-first-factor"
        case secondFactorLimitExceeded = "second-factor-limit-exceeded"
        // Tokens.
        case invalidIDToken = "invalid-id-token"
        case idTokenExpired = "id-token-expired"
        /// A session cookie needs an ID token of a sign-in in the last five minutes.
        case recentSignInRequired = "recent-sign-in-required"
        case invalidSessionCookieDuration = "invalid-session-cookie-duration"
        // Links.
        case unauthorizedDomain = "unauthorized-continue-uri"
        case invalidContinueURI = "invalid-continue-uri"
        case missingContinueURI = "missing-continue-uri"
        // Projects and tenants.
        case tenantNotFound = "tenant-not-found"
        case tenantIDMismatch = "mismatching-tenant-id"
        /// The project does not allow this operation, or Latchkey has no such function.
        case operationNotAllowed = "operation-not-allowed"
        // Calls.
        /// An argument is not valid; ``AdminError/message`` names it.
        case invalidArgument = "argument-error"
        case notFound = "not-found"
        case alreadyExists = "already-exists"
        /// The server does not accept the credential.
        case invalidCredential = "invalid-credential"
        /// The service account does not have the permission, or belongs to another project.
        case insufficientPermission = "insufficient-permission"
        case tooManyRequests = "too-many-requests"
        /// The server cannot be reached, or one of its services is unavailable.
        case networkError = "network-error"
        case internalError = "internal-error"
    }
}

extension AdminError: Equatable {
    /// Whether the codes are equal.
    public static func == (one: AdminError, other: AdminError) -> Bool { one.code == other.code }
}

extension AdminError {
    /// Reads an error response of the server: `{"error":{"message":"CODE : detail", "status": …}}`.
    init(serverResponse body: Data, status: Int, retryAfterSeconds: Int?) {
        // `try?`: a response without this shape, such as that of a proxy, has no code.
        let error = (try? JSONDecoder().decode(ErrorEnvelope.self, from: body))?.error
        let message = error?.message ?? "HTTP \(status)"
        let (serverCode, detail) = AuthErrorCode.parts(of: message)
        // Errors of the interface itself have a sentence instead of a code.
        let isCode = serverCode.utf8.allSatisfy { (0x41...0x5a).contains($0) || $0 == UInt8(ascii: "_") }
        self.init(
            Self.serverCodes[serverCode] ?? Self.code(status: status, error?.status),
            isCode && !detail.isEmpty ? detail : message, serverCode: isCode ? serverCode : error?.status,
            retryAfterSeconds: retryAfterSeconds)
    }

    private static func code(status: Int, _ statusName: String?) -> Code {
        switch status {
        case 400 where statusName == "INVALID_ARGUMENT": .invalidArgument
        case 401: .invalidCredential
        case 403: .insufficientPermission
        case 404: .notFound
        case 409: .alreadyExists
        case 429: .tooManyRequests
        case 502, 503, 504: .networkError
        default: .internalError
        }
    }

    static let serverCodes: [String: Code] = [
        "DUPLICATE_LOCAL_ID": .uidAlreadyExists,
        "EMAIL_EXISTS": .emailAlreadyExists,
        "PHONE_NUMBER_EXISTS": .phoneNumberAlreadyExists,
        "USER_NOT_FOUND": .userNotFound,
        "EMAIL_NOT_FOUND": .userNotFound,
        "USER_DISABLED": .userDisabled,
        "INVALID_LOCAL_ID": .invalidUID,
        "MISSING_LOCAL_ID": .invalidUID,
        "INVALID_EMAIL": .invalidEmail,
        "MISSING_EMAIL": .invalidEmail,
        "INVALID_NEW_EMAIL": .invalidEmail,
        "INVALID_PHONE_NUMBER": .invalidPhoneNumber,
        "INVALID_MFA_PHONE_NUMBER": .invalidPhoneNumber,
        "WEAK_PASSWORD": .invalidPassword,
        "PASSWORD_DOES_NOT_MEET_REQUIREMENTS": .invalidPassword,
        "INVALID_CLAIMS": .invalidClaims,
        "CLAIMS_TOO_LARGE": .invalidClaims,
        "FORBIDDEN_CLAIM": .forbiddenClaim,
        "UNVERIFIED_EMAIL": .unverifiedEmail,
        "UNSUPPORTED_FIRST_FACTOR": .unsupportedFirstFactor,
        "SECOND_FACTOR_LIMIT_EXCEEDED": .secondFactorLimitExceeded,
        "INVALID_ID_TOKEN": .invalidIDToken,
        "MISSING_ID_TOKEN": .invalidIDToken,
        "TOKEN_EXPIRED": .idTokenExpired,
        "CREDENTIAL_TOO_OLD_LOGIN_AGAIN": .recentSignInRequired,
        "INVALID_DURATION": .invalidSessionCookieDuration,
        "UNAUTHORIZED_DOMAIN": .unauthorizedDomain,
        "INVALID_CONTINUE_URI": .invalidContinueURI,
        "MISSING_CONTINUE_URI": .missingContinueURI,
        "TENANT_NOT_FOUND": .tenantNotFound,
        "TENANT_ID_MISMATCH": .tenantIDMismatch,
        "OPERATION_NOT_ALLOWED": .operationNotAllowed,
        "PASSWORD_LOGIN_DISABLED": .operationNotAllowed,
        "UNSUPPORTED_TENANT_OPERATION": .operationNotAllowed,
        "INVALID_ADJACENT_INTERVAL_RANGE": .invalidArgument,
        "TOO_MANY_ATTEMPTS_TRY_LATER": .tooManyRequests,
        "QUOTA_EXCEEDED": .tooManyRequests,
        // Codes of the token endpoint (RFC 6749 section 5.2).
        "invalid_grant": .invalidCredential,
        "invalid_scope": .invalidCredential,
    ]
}
