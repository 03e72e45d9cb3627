import Contracts

/// What a request says about a second factor. The body has one member for each method, and a client gives one of them:
/// a `oneof` of protocol buffers.
protocol FactorInfo: Sendable {
    /// The name of the `oneof` in protocol buffers.
    static var oneOfField: String { get }

    /// Decodes the member for `method` from the object that `decoder` reads.
    /// - Returns: nil if the member is absent, or if the method has none.
    static func decode(_ method: SecondFactor.Method, from decoder: any Decoder) throws -> Self?
}

/// The members of one `oneof` that a body contains.
struct FactorOneOf<Info: FactorInfo>: Decodable, Sendable {
    private var members: [Info]

    init(from decoder: any Decoder) throws {
        members = try SecondFactor.Method.allCases.compactMap { try Info.decode($0, from: decoder) }
    }

    /// The only member; nil without any.
    /// - Throws: `APIError` with the text of a protocol-buffers parser if there are several.
    func onlyMember() throws(APIError) -> Info? {
        guard members.count <= 1 else {
            throw .invalidArgument(
                "Invalid JSON payload received. Invalid value (oneof), "
                    + "oneof field '\(Info.oneOfField)' is already set.")
        }
        return members.first
    }
}

/// The factor that an enrollment starts with.
enum EnrollmentInfo: FactorInfo {
    case phone(PhoneInfoBody)
    case totp(TOTPEnrollmentBody)

    static let oneOfField = "enrollment_info"

    private enum CodingKeys: CodingKey { case phoneEnrollmentInfo, totpEnrollmentInfo }

    static func decode(_ method: SecondFactor.Method, from decoder: any Decoder) throws -> Self? {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        return switch method {
        case .phone: try members.decodeIfPresent(PhoneInfoBody.self, forKey: .phoneEnrollmentInfo).map(Self.phone)
        case .totp: try members.decodeIfPresent(TOTPEnrollmentBody.self, forKey: .totpEnrollmentInfo).map(Self.totp)
        }
    }
}

/// The code that finishes an enrollment or a sign-in.
enum VerificationInfo: FactorInfo {
    case phone(PhoneVerificationBody)
    case totp(TOTPVerificationBody)

    static let oneOfField = "verification_info"

    private enum CodingKeys: CodingKey { case phoneVerificationInfo, totpVerificationInfo }

    static func decode(_ method: SecondFactor.Method, from decoder: any Decoder) throws -> Self? {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        return switch method {
        case .phone:
            try members.decodeIfPresent(PhoneVerificationBody.self, forKey: .phoneVerificationInfo).map(Self.phone)
        case .totp:
            try members.decodeIfPresent(TOTPVerificationBody.self, forKey: .totpVerificationInfo).map(Self.totp)
        }
    }
}

/// The factor that a sign-in sends a code to.
enum SignInInfo: FactorInfo {
    case phone(AppCredentialBody)

    static let oneOfField = "sign_in_info"

    private enum CodingKeys: CodingKey { case phoneSignInInfo }

    static func decode(_ method: SecondFactor.Method, from decoder: any Decoder) throws -> Self? {
        switch method {
        case .phone:
            try decoder.container(keyedBy: CodingKeys.self)
                .decodeIfPresent(AppCredentialBody.self, forKey: .phoneSignInInfo).map(Self.phone)
        // An authenticator app shows its code without a request.
        case .totp: nil
        }
    }
}

// MARK: - Members

/// The number, and the credential of the app (REST 3.1).
struct PhoneInfoBody: Decodable, Sendable {
    var phoneNumber: String?
    var app: AppCredentialBody

    private enum CodingKeys: CodingKey { case phoneNumber }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        phoneNumber = try container.decodeIfPresent(String.self, forKey: .phoneNumber)
        app = try AppCredentialBody(from: decoder)
    }
}

struct TOTPEnrollmentBody: Decodable, Sendable {
    /// Not in the original protocol: the response contains the key URI as a QR code of this form.
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

struct PhoneVerificationBody: Decodable, Sendable {
    var sessionInfo: String?
    var code: String?
}

struct TOTPVerificationBody: Decodable, Sendable {
    var sessionInfo: String?
    var verificationCode: String?
}
