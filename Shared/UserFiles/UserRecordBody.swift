import Vocabulary

/// A user in JSON: the fields of `accounts:batchGet` (REST 2.13) and of the files that `firebase auth:export` writes.
/// Unknown fields are ignored.
struct UserRecordBody: Decodable {
    struct Pepper: Codable {
        var id: String
        var key: String
    }

    var localId: String?
    var tenantId: String?
    var email: String?
    var emailVerified: FlexibleBoolean?
    var emailLinkSignin: FlexibleBoolean?
    var displayName: String?
    var photoUrl: String?
    var phoneNumber: String?
    var disabled: FlexibleBoolean?
    var passwordHash: String?
    var salt: String?
    var version: FlexibleInteger?
    var passwordUpdatedAt: FlexibleInteger?
    var validSince: FlexibleInteger?
    var createdAt: FlexibleInteger?
    var lastLoginAt: FlexibleInteger?
    /// The name in files of `firebase auth:export`.
    var lastSignedInAt: FlexibleInteger?
    /// RFC 3339.
    var deletionDueAt: String?
    var customAttributes: String?
    var providerUserInfo: [ProviderUserBody]?
    var mfaInfo: [FactorRecordBody]?
    var passkeyInfo: [PasskeyRecord]?
    /// Not a user, but a key for the hashes of later lines.
    var latchkeyPepper: Pepper?
}

struct ProviderUserBody: Decodable {
    var providerId: String?
    var rawId: String?
    var email: String?
    var displayName: String?
    var photoUrl: String?
}

struct FactorRecordBody: Decodable {
    var mfaEnrollmentId: String?
    var displayName: String?
    var enrolledAt: String?
    var phoneInfo: String?
    var unobfuscatedPhoneInfo: String?
    var totpInfo: TOTPRecordBody?
}

/// A TOTP factor, with the names of Firebase's enrollment. Absent numbers are those that authenticator apps assume.
struct TOTPRecordBody: Decodable {
    enum SecretEncoding: String { case base32, base64, hex, text }

    var sharedSecretKey: String?
    /// A `SecretEncoding`; absent: base32, as apps show it.
    var secretEncoding: String?
    var hashingAlgorithm: String?
    var verificationCodeLength: FlexibleInteger?
    var periodSec: FlexibleInteger?
}

/// A number, or its decimal digits in a string. Empty text means the same as absent.
struct FlexibleInteger: Decodable {
    let value: Int64?

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int64.self) {  // `try?`: a string is tried next.
            value = number
            return
        }
        let text = try container.decode(String.self)
        value = text.isEmpty ? nil : Int64(text)
        guard text.isEmpty || value != nil else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a number")
        }
    }

    init?(_ text: String) {
        guard let number = Int64(text) else { return nil }
        value = number
    }

    /// In milliseconds.
    var moment: Moment? { value.map { Moment(milliseconds: $0) } }
}

/// A truth value, or its name in a string. Empty text means the same as absent.
struct FlexibleBoolean: Decodable {
    let value: Bool?

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let truth = try? container.decode(Bool.self) {  // `try?`: a string is tried next.
            value = truth
            return
        }
        guard let truth = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a truth value")
        }
        self = truth
    }

    init?(_ text: String) {
        switch text.asciiLowercased {
        case "true": value = true
        case "false": value = false
        case "": value = nil
        default: return nil
        }
    }
}
