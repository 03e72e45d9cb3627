import Contracts
import Vocabulary

/// What a provider asserts about the e-mail address of its user (security rule FE12).
///
/// Only an authoritative provider lets its user into an existing account with that address.
struct EmailAssertion: Equatable, Sendable {
    var address: EmailAddress?
    /// The provider asserts that the user controls the address.
    var isVerified = false
    /// The provider decides who controls the address.
    var isAuthoritative = false
}

extension EmailAssertion {
    /// Google decides about its own domains, and about those that its customers manage there (`hd`).
    static func google(_ claims: ProviderClaims) -> Self {
        let address = claims.email
        let isVerified = address != nil && claims.flag("email_verified")
        let isOwn = address.map { ["gmail.com", "googlemail.com"].contains($0.domain) } ?? false
        return Self(
            address: address, isVerified: isVerified,
            isAuthoritative: isVerified && (isOwn || claims.text("hd")?.isEmpty == false))
    }

    /// Apple verifies every address; its private relay is its own domain.
    static func apple(_ claims: ProviderClaims) -> Self {
        let isVerified = claims.email != nil && claims.flag("email_verified")
        return Self(address: claims.email, isVerified: isVerified, isAuthoritative: isVerified)
    }

    /// Facebook does not say whether it has verified an address (security rule FE14).
    static func facebook(_ address: EmailAddress?) -> Self { Self(address: address) }

    /// An administrator of any Microsoft tenant can give a user any address, so that most addresses are not verified.
    /// Microsoft has verified those of personal accounts, and those that it marks with `xms_edov`.
    static func microsoft(_ claims: ProviderClaims) -> Self {
        let isPersonal = claims.text("tid") == personalMicrosoftTenant
        let isVerified = claims.email != nil && (isPersonal || claims.flag("xms_edov"))
        let isOwn = claims.email.map { microsoftDomains.contains($0.domain) } ?? false
        return Self(
            address: claims.email, isVerified: isVerified, isAuthoritative: isVerified && isPersonal && isOwn)
    }

    static let personalMicrosoftTenant = "9188040d-6c67-4c5b-b112-36a304b66dad"
    private static let microsoftDomains: Set<Substring> = ["outlook.com", "hotmail.com", "live.com", "msn.com"]

    /// GitHub verifies addresses, and provides mailboxes only under its own domain.
    static func gitHub(_ address: EmailAddress?, isVerified: Bool) -> Self {
        let isOwn = address.map { $0.domain == "users.noreply.github.com" } ?? false
        return Self(address: address, isVerified: address != nil && isVerified, isAuthoritative: isVerified && isOwn)
    }

    /// The word of another provider counts in the domains of its configuration only. Elsewhere a lax provider, or one that
    /// lets its users choose an address, would create verified accounts with the addresses of others. The claim itself
    /// stays visible among those of the provider.
    static func openID(_ claims: ProviderClaims, authoritativeDomains: [String]) -> Self {
        let isProven = claims.flag("email_verified") && contains(claims.email, in: authoritativeDomains)
        return Self(address: claims.email, isVerified: isProven, isAuthoritative: isProven)
    }

    /// SAML has no statement about verification: an address is verified in the domains of the configuration only.
    static func saml(_ address: EmailAddress?, authoritativeDomains: [String]) -> Self {
        let isOwn = contains(address, in: authoritativeDomains)
        return Self(address: address, isVerified: isOwn, isAuthoritative: isOwn)
    }

    private static func contains(_ address: EmailAddress?, in domains: [String]) -> Bool {
        address.map { address in
            domains.contains { $0 == "*" || $0.asciiLowercased[...] == address.domain }
        } ?? false
    }
}
