/// `accounts:sendEmailCode` (REST 2.18).
struct SendEmailCodeRequest: AuthRequest {
    static let path = "v1/accounts:sendEmailCode"
    static let repetition = Repetition.ifNotReceived

    enum Purpose: String, Encodable, Sendable {
        case signIn = "SIGN_IN"
        case verifyEmail = "VERIFY_EMAIL"
    }

    struct Response: Decodable, Sendable {
        var sessionInfo: String
    }

    var purpose: Purpose
    var email: String?
    var idToken: String?
    var tenantId: String?
}

/// `accounts:signInWithEmailCode` (REST 2.18). The server counts each try of a code.
struct EmailCodeSignInRequest: AuthRequest {
    static let path = "v1/accounts:signInWithEmailCode"
    static let repetition = Repetition.ifNotReceived
    typealias Response = SignInResponse

    var sessionInfo: String
    var code: String
    var idToken: String?
    var tenantId: String?
}

/// `accounts:verifyEmailWithCode` (REST 2.18). As `EmailCodeSignInRequest`.
struct EmailCodeVerificationRequest: AuthRequest {
    static let path = "v1/accounts:verifyEmailWithCode"
    static let repetition = Repetition.ifNotReceived
    typealias Response = EmptyResponse

    var sessionInfo: String
    var code: String
    var tenantId: String?
}
