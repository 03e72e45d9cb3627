internal import Foundation

/// The account as `accounts:lookup` returns it, and as the session is stored.
struct AccountRecord: Codable, Equatable, Sendable {
    var localId: String
    var email: String?
    var emailVerified: Bool?
    var displayName: String?
    var photoUrl: String?
    var phoneNumber: String?
    var tenantId: String?
    /// Present if the account has a password; never a hash.
    var passwordHash: String?
    /// Milliseconds since 1970, as text.
    var createdAt: String?
    /// Milliseconds since 1970, as text.
    var lastLoginAt: String?
    var providerUserInfo: [ProviderRecord]?
    var mfaInfo: [FactorRecord]?
    var passkeyInfo: [PasskeyRecord]?

    struct ProviderRecord: Codable, Equatable, Sendable {
        var providerId: String
        var rawId: String?
        var federatedId: String?
        var email: String?
        var displayName: String?
        var photoUrl: String?
        var phoneNumber: String?
    }

    struct PasskeyRecord: Codable, Equatable, Sendable {
        var credentialId: String
        var name: String?
    }
}

/// `accounts:lookup` (REST 2.13).
struct LookupRequest: AuthRequest {
    static let path = "v1/accounts:lookup"
    static let repetition = Repetition.always

    var idToken: String

    struct Response: Decodable, Sendable {
        var users: [AccountRecord]?
    }
}

/// A refresh of the tokens (Secure Token).
struct RefreshRequest: AuthRequest {
    static let path = "v1/token"
    static let repetition = Repetition.always

    var grantType = "refresh_token"
    var refreshToken: String

    struct Response: Decodable, Sendable {
        var idToken: String
        var refreshToken: String
        var expiresIn: String

        enum CodingKeys: String, CodingKey {
            case idToken = "id_token"
            case refreshToken = "refresh_token"
            case expiresIn = "expires_in"
        }
    }
}
