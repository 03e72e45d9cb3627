import Contracts
import FoundationEssentials
import Vocabulary

/// A user as the provider describes them: in a verified ID token, or in a reply of its API.
struct ProviderUser: Equatable, Sendable {
    var providerID: String
    /// 1 to 255 bytes.
    var subject: String
    var claims: ProviderClaims
    /// The claims as the provider wrote them.
    var json: String
    /// The parameter `user` of the response, which nobody has signed.
    var sentBesideToken: String?
    /// Nil: unknown, or never.
    var accessTokenExpiresAt: Timestamp?
}

extension ProviderUser {
    private static let maximumSubjectBytes = 255

    /// The user of a reply.
    /// - Throws: `invalidProviderResponse` without a subject.
    init(
        of providerID: String, json: Data, subject: (ProviderClaims) -> String?
    ) throws(ServiceError) {
        guard let claims = ProviderClaims(json: json), let subject = subject(claims),
            (1...Self.maximumSubjectBytes).contains(subject.utf8.count)
        else { throw ServiceError(.invalidProviderResponse, "The reply of the provider is malformed.") }
        self.init(
            providerID: providerID, subject: subject, claims: claims, json: String(decoding: json, as: UTF8.self))
    }
}

extension Federation.ProviderProfile {
    /// The profile of a user whose claims are those of OpenID Connect.
    init(_ user: ProviderUser, email: EmailAssertion, attributes: String? = nil) {
        let claims = user.claims
        let fullName = claims.name("name")
        self.init(
            identity: ProviderIdentity(
                providerID: user.providerID, subject: user.subject, email: email.address?.rawValue,
                isEmailVerified: email.isVerified, isEmailAuthoritative: email.isAuthoritative,
                displayName: fullName, photoURL: claims.url("picture"), attributes: attributes),
            fullName: fullName, firstName: claims.name("given_name"), lastName: claims.name("family_name"),
            nickName: claims.name("nickname"), screenName: claims.name("preferred_username"),
            language: claims.name("locale"), timeZone: claims.name("zoneinfo"),
            dateOfBirth: claims.name("birthdate"), rawUserInfo: user.json)
    }
}
