public import Foundation

/// An ID token or a session cookie that a verifier has accepted.
public struct VerifiedIDToken: Sendable {
    /// The ID of the account, 1 to 128 characters. It identifies the account together with ``tenantID``.
    public let uid: String
    /// The tenant of the account; nil for accounts of the project itself.
    public let tenantID: String?
    /// The ID of the project.
    public let projectID: String
    /// When the user signed in, with the second factor if there was one. A refresh keeps this time.
    public let authTime: Date
    /// When the token was issued.
    public let issuedAt: Date
    /// When the token expires.
    public let expiresAt: Date
    /// How the user signed in: `password`, `phone`, `passkey`, `anonymous`, `custom`, or the ID of an identity provider.
    public let signInProvider: String
    /// The second factor: `phone`, `totp` or `recovery_code`; nil for a sign-in without.
    public let signInSecondFactor: String?
    /// The ID of the enrollment of the second factor; nil for recovery codes.
    public let secondFactorID: String?
    /// The e-mail address.
    public let email: String?
    /// Whether the user has verified ``email``.
    public let isEmailVerified: Bool
    /// The phone number with which the user signs in; never that of a second factor.
    public let phoneNumber: String?
    /// The name to show.
    public let displayName: String?
    /// The picture to show.
    public let photoURL: URL?
    /// All claims: `String`, `Int`, `Double`, `Bool`, `NSNull`, arrays and dictionaries of these. Custom claims are at
    /// the top level.
    public let claims: [String: any Sendable]
    private let payload: Data

    /// Reads claims as a type of the backend, such as its custom claims.
    /// - Throws: `DecodingError` if a claim is missing or has another type.
    public func claims<Value: Decodable>(as type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: payload)
    }

    init(_ record: IDTokenClaims, claims: [String: any Sendable], payload: Data) {
        uid = record.sub
        tenantID = record.firebase.tenant
        projectID = record.aud
        authTime = Date(timeIntervalSince1970: record.authTime)
        issuedAt = Date(timeIntervalSince1970: record.iat)
        expiresAt = Date(timeIntervalSince1970: record.exp)
        signInProvider = record.firebase.signInProvider
        signInSecondFactor = record.firebase.signInSecondFactor
        secondFactorID = record.firebase.secondFactorIdentifier
        email = record.email
        isEmailVerified = record.emailVerified ?? false
        phoneNumber = record.phoneNumber
        displayName = record.name
        photoURL = record.picture.flatMap(URL.init(string:))
        self.claims = claims
        self.payload = payload
    }
}

/// The claims that the library reads (docs/use/tokens.md, section 2).
struct IDTokenClaims: Decodable, Sendable {
    var iss: String
    /// Empty if the token has no single audience.
    var aud: String
    /// Empty if the token has none.
    var sub: String
    /// Seconds since 1970, as all times of the token.
    var iat: Double
    var exp: Double
    var authTime: Double
    var firebase: SignIn
    var email: String?
    var emailVerified: Bool?
    var phoneNumber: String?
    var name: String?
    var picture: String?

    struct SignIn: Decodable, Sendable {
        var signInProvider: String
        var signInSecondFactor: String?
        var secondFactorIdentifier: String?
        var tenant: String?

        enum CodingKeys: String, CodingKey {
            case signInProvider = "sign_in_provider"
            case signInSecondFactor = "sign_in_second_factor"
            case secondFactorIdentifier = "second_factor_identifier"
            case tenant
        }
    }

    enum CodingKeys: String, CodingKey {
        case iss, aud, sub, iat, exp, firebase, email, name, picture
        case authTime = "auth_time"
        case emailVerified = "email_verified"
        case phoneNumber = "phone_number"
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func time(_ key: CodingKeys) throws -> Double {
            let seconds = try members.decode(Double.self, forKey: key)
            // A `Double` has every second up to here.
            guard (0...0x1p53).contains(seconds) else {
                throw DecodingError.dataCorruptedError(forKey: key, in: members, debugDescription: "not a time")
            }
            return seconds
        }
        iss = try members.decode(String.self, forKey: .iss)
        // `try?`: a value of another type is no audience and no account of this server.
        aud = (try? members.decode(String.self, forKey: .aud)) ?? ""
        sub = (try? members.decode(String.self, forKey: .sub)) ?? ""
        iat = try time(.iat)
        exp = try time(.exp)
        authTime = try time(.authTime)
        firebase = try members.decode(SignIn.self, forKey: .firebase)
        email = try members.decodeIfPresent(String.self, forKey: .email)
        emailVerified = try members.decodeIfPresent(Bool.self, forKey: .emailVerified)
        phoneNumber = try members.decodeIfPresent(String.self, forKey: .phoneNumber)
        name = try members.decodeIfPresent(String.self, forKey: .name)
        picture = try members.decodeIfPresent(String.self, forKey: .picture)
    }
}
