import Contracts
import Vocabulary

/// A verified response of a provider.
struct VerifiedSignIn: Codable, Equatable, Sendable {
    var profile: Federation.ProviderProfile
    var credential: Federation.ProviderCredential
    /// Of `StartSignIn`.
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

extension Federation.ProviderProfile {
    /// The profile of a verified ID token, or of a reply with the same claims.
    init(
        of providerID: String, subject: String, _ claims: ProviderClaims, json: String, email: EmailAssertion,
        attributes: String? = nil
    ) {
        let fullName = claims.name("name")
        self.init(
            identity: ProviderIdentity(
                providerID: providerID, subject: subject, email: email.address?.rawValue,
                isEmailVerified: email.isVerified, isEmailAuthoritative: email.isAuthoritative,
                displayName: fullName, photoURL: claims.url("picture"), attributes: attributes),
            fullName: fullName, firstName: claims.name("given_name"), lastName: claims.name("family_name"),
            nickName: claims.name("nickname"), screenName: claims.name("preferred_username"),
            language: claims.name("locale"), timeZone: claims.name("zoneinfo"),
            dateOfBirth: claims.name("birthdate"), rawUserInfo: json)
    }

    /// The profile of a classic Facebook login.
    init(_ user: GraphUser, userID: String) {
        let email = EmailAssertion.facebook(user.claims.email)
        self.init(
            of: Federation.SupportedProvider.facebook.rawValue, subject: userID, user.claims, json: user.json,
            email: email)
        firstName = user.claims.name("first_name")
        lastName = user.claims.name("last_name")
        identity.photoURL = user.photoURL
    }

    init(_ user: GitHubUser, _ email: EmailAssertion) {
        self.init(
            of: Federation.SupportedProvider.gitHub.rawValue, subject: String(user.id), user.claims, json: user.json,
            email: email)
        screenName = user.claims.name("login")
        identity.photoURL = user.claims.url("avatar_url")
    }

    /// With the name that Apple sends beside its token.
    func named(_ name: AppleUserName) -> Self {
        var profile = self
        profile.firstName = name.firstName
        profile.lastName = name.lastName
        profile.fullName = name.fullName
        profile.identity.displayName = name.fullName ?? profile.identity.displayName
        return profile
    }
}
