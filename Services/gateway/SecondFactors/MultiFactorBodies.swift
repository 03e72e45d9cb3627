import Contracts
import ServiceRuntime
import Vocabulary

extension String? {
    /// Nil for an empty text: protocol buffers do not distinguish it from an absent one.
    var secret: Secret<String>? { nilIfEmpty.map(Secret.init) }
}

// MARK: - Requests

/// A body with the fields of a route and one `FactorInfo`.
@dynamicMemberLookup
struct FactorInfoBody<Fields: Decodable, Info: FactorInfo>: Decodable {
    var fields: Fields
    var info: FactorOneOf<Info>

    init(from decoder: any Decoder) throws {
        fields = try Fields(from: decoder)
        info = try FactorOneOf(from: decoder)
    }

    subscript<Value>(dynamicMember member: KeyPath<Fields, Value>) -> Value { fields[keyPath: member] }
}

struct FinishEnrollmentFields: Decodable {
    var idToken: String?
    var displayName: String?
}

struct WithdrawFactorBody: Decodable {
    var idToken: String?
    var mfaEnrollmentId: String?
}

/// Names the pending sign-in and the factor that completes it.
struct FactorSignInFields: Decodable {
    var mfaPendingCredential: String?
    var mfaEnrollmentId: String?
}

// MARK: - Responses

/// The session of a code that was sent by SMS or e-mail.
struct SentCodeReply: Encodable {
    var sessionInfo: String
}

struct PhoneSessionReply: Encodable {
    var phoneSessionInfo: SentCodeReply
}

struct PhoneResponseReply: Encodable {
    var phoneResponseInfo: SentCodeReply
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
