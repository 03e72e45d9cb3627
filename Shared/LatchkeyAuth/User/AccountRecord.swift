import Foundation

/// The account as `accounts:lookup` returns it, and as the session is stored.
package struct AccountRecord: Codable, Equatable, Sendable {
    package var localId: String
    package var email: String?
    package var emailVerified: Bool?
    package var displayName: String?
    package var photoUrl: String?
    package var phoneNumber: String?
    package var tenantId: String?
    /// Present if the account has a password; never a hash.
    package var passwordHash: String?
    /// Milliseconds since 1970, as text.
    package var createdAt: String?
    /// Milliseconds since 1970, as text.
    package var lastLoginAt: String?
    package var providerUserInfo: [ProviderRecord]?
    package var mfaInfo: [FactorRecord]?
    package var passkeyInfo: [PasskeyRecord]?

    package struct ProviderRecord: Codable, Equatable, Sendable {
        package var providerId: String
        package var rawId: String?
        package var federatedId: String?
        package var email: String?
        package var displayName: String?
        package var photoUrl: String?
        package var phoneNumber: String?
    }

    package struct PasskeyRecord: Codable, Equatable, Sendable {
        package var credentialId: String
        package var name: String?
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
