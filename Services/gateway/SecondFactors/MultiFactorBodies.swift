import Contracts
import ServiceRuntime
import Vocabulary

extension String? {
    /// Nil for an empty text: protocol buffers do not distinguish it from an absent one.
    var secret: Secret<String>? { nilIfEmpty.map(Secret.init) }
}

// MARK: - Requests

struct StartEnrollmentBody: Decodable {
    var idToken: String?
    var info: FactorOneOf<EnrollmentInfo>

    private enum CodingKeys: CodingKey { case idToken }

    init(from decoder: any Decoder) throws {
        idToken = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(String.self, forKey: .idToken)
        info = try .init(from: decoder)
    }
}

struct FinishEnrollmentBody: Decodable {
    var idToken: String?
    var displayName: String?
    var info: FactorOneOf<VerificationInfo>

    private enum CodingKeys: CodingKey { case idToken, displayName }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        idToken = try container.decodeIfPresent(String.self, forKey: .idToken)
        displayName = try container.decodeIfPresent(String.self, forKey: .displayName)
        info = try .init(from: decoder)
    }
}

struct WithdrawFactorBody: Decodable {
    var idToken: String?
    var mfaEnrollmentId: String?
}

/// Names the pending sign-in and the factor that completes it.
struct FactorSignInBody<Info: FactorInfo>: Decodable {
    var mfaPendingCredential: String?
    var mfaEnrollmentId: String?
    var info: FactorOneOf<Info>

    private enum CodingKeys: CodingKey { case mfaPendingCredential, mfaEnrollmentId }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        mfaPendingCredential = try container.decodeIfPresent(String.self, forKey: .mfaPendingCredential)
        mfaEnrollmentId = try container.decodeIfPresent(String.self, forKey: .mfaEnrollmentId)
        info = try .init(from: decoder)
    }
}

// MARK: - Responses

struct PhoneSessionReply: Encodable {
    var phoneSessionInfo: Session

    struct Session: Encodable { var sessionInfo: String }
}

struct PhoneResponseReply: Encodable {
    var phoneResponseInfo: PhoneSessionReply.Session
}

struct TOTPSessionReply: Encodable {
    var totpSessionInfo: Session

    struct Session: Encodable {
        var sharedSecretKey: String
        /// Both are JSON numbers.
        var verificationCodeLength: Int
        var periodSec: Int
        var hashingAlgorithm: String
        var sessionInfo: String
        /// RFC 3339 with six fraction digits.
        var finalizeEnrollmentTime: String
        // A Latchkey extension.
        var keyUri: String
        var qrCode: String?
    }

    init(_ reply: MFATOTP.StartEnrollment.Reply) {
        totpSessionInfo = Session(
            sharedSecretKey: reply.sharedSecretKey.reveal(), verificationCodeLength: reply.digits,
            periodSec: reply.periodSeconds, hashingAlgorithm: reply.hashingAlgorithm,
            sessionInfo: reply.sessionInfo.reveal(),
            // `Moment` text has three fraction digits.
            finalizeEnrollmentTime: reply.expiresAt.text.dropLast() + "000Z", keyUri: reply.keyURI.reveal(),
            qrCode: reply.qrCode?.reveal())
    }
}

/// Without `expiresIn`: clients exchange the refresh token at once. Empty for a session that has ended.
struct FactorTokensReply: Encodable {
    var idToken: String?
    var refreshToken: String?
    var phoneAuthInfo: PhoneAuthInfo?
    /// Its presence indicates the kind of the enrolled factor.
    var totpAuthInfo: TOTPAuthInfo?

    struct PhoneAuthInfo: Encodable { var phoneNumber: String }
    struct TOTPAuthInfo: Encodable {}

    init(_ tokens: TokenSet?, phoneAuthInfo: PhoneAuthInfo? = nil, totpAuthInfo: TOTPAuthInfo? = nil) {
        idToken = tokens?.idToken.reveal()
        refreshToken = tokens?.refreshToken.reveal()
        self.phoneAuthInfo = phoneAuthInfo
        self.totpAuthInfo = totpAuthInfo
    }
}
