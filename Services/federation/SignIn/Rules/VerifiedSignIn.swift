import Contracts
import Vocabulary

/// A verified response of a provider.
struct VerifiedSignIn: Codable, Equatable, Sendable {
    var profile: Federation.ProviderProfile
    var credential: Federation.ProviderCredential
    /// The context of `StartSignIn`.
    var context: String?

    /// Only the practice provider issues unsigned ID tokens.
    var isPractice: Bool { credential.idToken.map { UnsignedToken.claims(of: $0.reveal()) != nil } ?? false }

    /// For identity's blocking functions.
    var details: Identity.ProviderDetails {
        .init(
            rawUserInfo: profile.rawUserInfo, idToken: credential.idToken, accessToken: credential.accessToken,
            refreshToken: credential.refreshToken, tokenSecret: credential.tokenSecret,
            expiresInSeconds: credential.expiresInSeconds)
    }
}
