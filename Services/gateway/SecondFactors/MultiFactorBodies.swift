internal import Contracts
internal import ServiceRuntime
internal import Vocabulary

// MARK: - What kind of factor

/// One of two members of a body, of which a client gives one: `oneof` in protocol buffers.
enum FactorOneOf<Phone, TOTP> {
    /// The pair of members, by what protocol buffers call it.
    enum Pair: String { case enrollment = "enrollment_info", verification = "verification_info" }

    case phone(Phone)
    case totp(TOTP)
    case none

    /// - Throws: `APIError` in the words of a parser when both are there.
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
    /// Nil for an empty text: protocol buffers do not tell it from an absent one.
    var secret: Secret<String>? { nilIfEmpty.map(Secret.init) }
}

// MARK: - Requests

struct StartEnrollmentBody: Decodable {
    var idToken: String?
    var phoneEnrollmentInfo: PhoneInfoBody?
    var totpEnrollmentInfo: TOTPEnrollmentInfo?

    struct TOTPEnrollmentInfo: Decodable {
        /// Beyond the original: in this form the key URI comes as a QR code.
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

/// The number, and what shows that the app is genuine (REST 3.1).
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

// MARK: - Answers

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
        /// Numbers, both.
        var verificationCodeLength: Int
        var periodSec: Int
        var hashingAlgorithm: String
        var sessionInfo: String
        /// RFC 3339 with six digits behind the point.
        var finalizeEnrollmentTime: String
        // Beyond the original.
        var keyUri: String
        var qrCode: String?
    }

    init(_ reply: MFATOTP.StartEnrollment.Reply) {
        totpSessionInfo = Session(
            sharedSecretKey: reply.sharedSecretKey.reveal(), verificationCodeLength: reply.digits,
            periodSec: reply.periodSeconds, hashingAlgorithm: reply.hashingAlgorithm,
            sessionInfo: reply.sessionInfo.reveal(),
            // Ours has three digits.
            finalizeEnrollmentTime: reply.finishUntil.text.dropLast() + "000Z", keyUri: reply.keyURI.reveal(),
            qrCode: reply.qrCode?.reveal())
    }
}

/// Without `expiresIn`: clients trade the refresh token at once. Without anything for a session that has ended.
struct FactorTokensReply: Encodable {
    var idToken: String?
    var refreshToken: String?
    var phoneAuthInfo: PhoneAuthInfo?
    /// Its presence says what kind of factor was enrolled.
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
