/// The credential of the application, as each call that sends an SMS carries it (REST 2.7). All nil in tests.
struct AppCredential: Encodable, Equatable, Sendable {
    var iosReceipt: String?
    var iosSecret: String?
    var recaptchaToken: String?
}

/// `accounts:sendVerificationCode` (REST 2.7).
struct SendVerificationCodeRequest: AuthRequest {
    static let path = "v1/accounts:sendVerificationCode"
    static let repetition = Repetition.ifNotReceived

    var phoneNumber: String
    var iosReceipt: String?
    var iosSecret: String?
    var recaptchaToken: String?
    var tenantId: String?

    init(phoneNumber: String, _ credential: AppCredential, tenantId: String?) {
        self.phoneNumber = phoneNumber
        iosReceipt = credential.iosReceipt
        iosSecret = credential.iosSecret
        recaptchaToken = credential.recaptchaToken
        self.tenantId = tenantId
    }

    struct Response: Decodable, Sendable {
        var sessionInfo: String
    }
}

/// `accounts:signInWithPhoneNumber` (REST 2.8).
struct PhoneSignInRequest: AuthRequest {
    static let path = "v1/accounts:signInWithPhoneNumber"
    static let repetition = Repetition.always
    typealias Response = SignInResponse

    enum Operation: String, Encodable, Sendable {
        case signUpOrIn = "SIGN_UP_OR_IN"
        case reauthentication = "REAUTH"
        case update = "UPDATE"
        case link = "LINK"
    }

    var sessionInfo: String?
    var code: String?
    var phoneNumber: String?
    var temporaryProof: String?
    var operation: Operation
    var idToken: String?
    var tenantId: String?

    init(_ content: PhoneCredentialContent, operation: Operation, idToken: String?, tenantId: String?) {
        switch content {
        case .code(let code, let verificationID):
            sessionInfo = verificationID
            self.code = code
        case .temporaryProof(let proof, let phoneNumber):
            temporaryProof = proof
            self.phoneNumber = phoneNumber
        }
        self.operation = operation
        self.idToken = idToken
        self.tenantId = tenantId
    }
}

/// `accounts/mfaEnrollment:start` for a phone (REST 3.1).
struct StartPhoneEnrollmentRequest: AuthRequest {
    static let path = "v2/accounts/mfaEnrollment:start"
    static let repetition = Repetition.ifNotReceived

    struct PhoneInfo: Encodable, Sendable {
        var phoneNumber: String
        var iosReceipt: String?
        var iosSecret: String?
        var recaptchaToken: String?
    }

    var idToken: String
    var phoneEnrollmentInfo: PhoneInfo

    init(idToken: String, phoneNumber: String, _ credential: AppCredential) {
        self.idToken = idToken
        phoneEnrollmentInfo = PhoneInfo(
            phoneNumber: phoneNumber, iosReceipt: credential.iosReceipt, iosSecret: credential.iosSecret,
            recaptchaToken: credential.recaptchaToken)
    }

    struct Response: Decodable, Sendable {
        var phoneSessionInfo: PhoneSession
    }
}

/// `accounts/mfaSignIn:start` (REST 3.4).
struct StartPhoneSignInRequest: AuthRequest {
    static let path = "v2/accounts/mfaSignIn:start"
    static let repetition = Repetition.ifNotReceived

    var mfaPendingCredential: String
    var mfaEnrollmentId: String
    var phoneSignInInfo: AppCredential
    var tenantId: String?

    init(mfaPendingCredential: String, mfaEnrollmentId: String, _ credential: AppCredential, tenantId: String?) {
        self.mfaPendingCredential = mfaPendingCredential
        self.mfaEnrollmentId = mfaEnrollmentId
        phoneSignInInfo = credential
        self.tenantId = tenantId
    }

    struct Response: Decodable, Sendable {
        var phoneResponseInfo: PhoneSession
    }
}

/// The session of an SMS code.
struct PhoneSession: Decodable, Sendable {
    var sessionInfo: String
}
