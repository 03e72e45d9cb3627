internal import Contracts
internal import ServiceRuntime
internal import Vocabulary

// MARK: - What kind of factor

/// Exactly one of two members of a body: `oneof` in protocol buffers.
enum FactorOneOf<Phone, TOTP> {
    /// The pair of members, by its protocol-buffer name.
    enum Pair: String { case enrollment = "enrollment_info", verification = "verification_info" }

    case phone(Phone)
    case totp(TOTP)
    case none

    /// - Throws: `APIError` with the parser's message when both members are present.
    init(phone: Phone?, totp: TOTP?, of pair: Pair) throws(APIError) {
        switch (phone, totp) {
        case (let phone?, nil): self = .phone(phone)
        case (nil, let totp?): self = .totp(totp)
        case (nil, nil): self = .none
        case (.some, .some):
            throw .invalidArgument(
                "Invalid JSON payload received. Invalid value (oneof), oneof field '\(pair.rawValue)' is already set.")
        }
    }
}

extension String? {
    /// Nil for an empty text: protocol buffers do not distinguish it from an absent one.
    var secret: Secret<String>? { nilIfEmpty.map(Secret.init) }
}

// MARK: - Requests

struct StartEnrollmentBody: Decodable {
    var idToken: String?
    var phoneEnrollmentInfo: PhoneInfoBody?
    var totpEnrollmentInfo: TOTPEnrollmentInfo?

    struct TOTPEnrollmentInfo: Decodable {
        /// A Latchkey extension: the response contains the key URI as a QR code.
        enum QRCode: String, WireEnumeration {
            case svg = "SVG", text = "TEXT"

            var form: MFATOTP.StartEnrollment.QRCodeForm {
                switch self {
                case .svg: .svg
                case .text: .text
                }
            }
        }
        var qrCode: OptionalWireEnum<QRCode>?
    }
}

struct FinishEnrollmentBody: Decodable {
    var idToken: String?
    var displayName: String?
    var phoneVerificationInfo: PhoneVerificationBody?
    var totpVerificationInfo: TOTPVerificationBody?
}

struct WithdrawFactorBody: Decodable {
    var idToken: String?
    var mfaEnrollmentId: String?
}

struct StartFactorSignInBody: Decodable {
    var mfaPendingCredential: String?
    var mfaEnrollmentId: String?
    var phoneSignInInfo: AppCredentialBody?
}

struct FinishFactorSignInBody: Decodable {
    var mfaPendingCredential: String?
    var mfaEnrollmentId: String?
    var phoneVerificationInfo: PhoneVerificationBody?
    var totpVerificationInfo: TOTPVerificationBody?
}

/// The number and the app credential (REST 3.1).
struct PhoneInfoBody: Decodable {
    var phoneNumber: String?
    var app: AppCredentialBody

    private enum CodingKeys: CodingKey { case phoneNumber }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        phoneNumber = try container.decodeIfPresent(String.self, forKey: .phoneNumber)
        app = try AppCredentialBody(from: decoder)
    }
}

struct PhoneVerificationBody: Decodable {
    var sessionInfo: String?
    var code: String?
}

struct TOTPVerificationBody: Decodable {
    var sessionInfo: String?
    var verificationCode: String?
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
            finalizeEnrollmentTime: reply.finishUntil.text.dropLast() + "000Z", keyUri: reply.keyURI.reveal(),
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
