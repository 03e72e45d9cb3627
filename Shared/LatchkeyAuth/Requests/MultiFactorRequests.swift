/// `accounts/mfaEnrollment:start` for an authenticator app (REST 3.1).
struct StartTOTPEnrollmentRequest: AuthRequest {
    static let path = "v2/accounts/mfaEnrollment:start"
    static let repetition = Repetition.always

    var idToken: String
    var totpEnrollmentInfo = FactorRecord.EmptyObject()
    var tenantId: String?

    struct Response: Decodable, Sendable {
        var totpSessionInfo: Session
    }

    struct Session: Decodable, Sendable {
        var sharedSecretKey: String
        var verificationCodeLength: Int
        var hashingAlgorithm: String
        var periodSec: Int
        var sessionInfo: String
        var finalizeEnrollmentTime: String
    }
}

/// The code of an SMS with its session.
struct PhoneVerificationInfo: Encodable, Sendable {
    var sessionInfo: String
    var code: String
}

/// `accounts/mfaEnrollment:finalize` (REST 3.2).
struct FinalizeEnrollmentRequest: AuthRequest {
    static let path = "v2/accounts/mfaEnrollment:finalize"
    static let repetition = Repetition.always
    typealias Response = SignInResponse

    struct TOTPInfo: Encodable, Sendable {
        var sessionInfo: String
        var verificationCode: String
    }

    var idToken: String
    var displayName: String?
    var phoneVerificationInfo: PhoneVerificationInfo?
    var totpVerificationInfo: TOTPInfo?
    var tenantId: String?
}

/// `accounts/mfaEnrollment:withdraw` (REST 3.3).
struct WithdrawEnrollmentRequest: AuthRequest {
    static let path = "v2/accounts/mfaEnrollment:withdraw"
    static let repetition = Repetition.always
    typealias Response = SignInResponse

    var idToken: String
    var mfaEnrollmentId: String
    var tenantId: String?
}

/// `accounts/mfaSignIn:finalize` (REST 3.5).
struct FinalizeSignInRequest: AuthRequest {
    static let path = "v2/accounts/mfaSignIn:finalize"
    static let repetition = Repetition.always
    typealias Response = SignInResponse

    struct TOTPInfo: Encodable, Sendable {
        var verificationCode: String
    }

    var mfaPendingCredential: String
    var mfaEnrollmentId: String?
    var phoneVerificationInfo: PhoneVerificationInfo?
    var totpVerificationInfo: TOTPInfo?
    var tenantId: String?
}

/// `accounts/recoveryCodes:signIn`, an addition of Latchkey.
struct RecoveryCodeSignInRequest: AuthRequest {
    static let path = "v2/accounts/recoveryCodes:signIn"
    static let repetition = Repetition.always
    typealias Response = SignInResponse

    var mfaPendingCredential: String
    var recoveryCode: String
    var tenantId: String?
}

/// `accounts/recoveryCodes:generate`, an addition of Latchkey. Each execution replaces the codes.
struct GenerateRecoveryCodesRequest: AuthRequest {
    static let path = "v2/accounts/recoveryCodes:generate"
    static let repetition = Repetition.always

    var idToken: String
    var tenantId: String?

    struct Response: Decodable, Sendable {
        var recoveryCodes: [String]
    }
}

/// `accounts/recoveryCodes:count`, an addition of Latchkey.
struct CountRecoveryCodesRequest: AuthRequest {
    static let path = "v2/accounts/recoveryCodes:count"
    static let repetition = Repetition.always

    var idToken: String
    var tenantId: String?

    struct Response: Decodable, Sendable {
        var recoveryCodesLeft: Int
    }
}
