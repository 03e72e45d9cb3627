import Foundation

/// The response of every call that signs a user in: tokens, or a pending sign-in that waits for a second factor, or
/// what an identity provider said about the user.
struct SignInResponse: Decodable, Sendable {
    var localId: String?
    var idToken: String?
    var refreshToken: String?
    /// Seconds, as text.
    var expiresIn: String?
    var isNewUser: Bool?
    var email: String?

    // Second factors.
    var mfaPendingCredential: String?
    var mfaInfo: [FactorRecord]?
    /// Present if the user has recovery codes.
    var recoveryCodesInfo: RecoveryCodesRecord?

    // Phone numbers.
    var phoneNumber: String?
    var temporaryProof: String?

    // Identity providers.
    var providerId: String?
    var screenName: String?
    /// JSON as text.
    var rawUserInfo: String?
    var oauthIdToken: String?
    var oauthAccessToken: String?
    var oauthTokenSecret: String?
    var pendingToken: String?
    var needConfirmation: Bool?
    /// A code, as in an error response.
    var errorMessage: String?
}

/// The recovery codes of an account, without the codes.
struct RecoveryCodesRecord: Decodable, Sendable {
    var left: Int
}

/// A second factor in responses and in `accounts:lookup`.
package struct FactorRecord: Codable, Hashable, Sendable {
    package var mfaEnrollmentId: String
    package var displayName: String?
    /// RFC 3339 with a fraction.
    package var enrolledAt: String?
    /// Present for phones; masked while a sign-in is pending.
    package var phoneInfo: String?
    /// Present for TOTP.
    package var totpInfo: EmptyObject?

    package struct EmptyObject: Codable, Hashable, Sendable {}
}
