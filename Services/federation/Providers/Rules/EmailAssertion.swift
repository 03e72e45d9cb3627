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
    /// - Parameters:
    ///   - isVerified: whether the provider has verified the address and its word counts.
    ///   - isAuthoritative: whether it decides who controls an address that it has verified.
    init(_ address: EmailAddress?, isVerified: Bool, isAuthoritative: (EmailAddress) -> Bool) {
        self.address = address
        guard let address, isVerified else { return }
        self.isVerified = true
        self.isAuthoritative = isAuthoritative(address)
    }

    /// The word of another provider counts in the domains of its configuration only. Elsewhere a lax provider, or one that
    /// lets its users choose an address, would create verified accounts with the addresses of others. The claim itself
    /// stays visible among those of the provider.
    static func openID(_ claims: ProviderClaims, authoritativeDomains: [String]) -> Self {
        Self(
            claims.email,
            isVerified: claims.flag("email_verified") && contains(claims.email, in: authoritativeDomains)
        ) { _ in true }
    }

    /// SAML has no statement about verification: an address is verified in the domains of the configuration only.
    static func saml(_ address: EmailAddress?, authoritativeDomains: [String]) -> Self {
        Self(address, isVerified: contains(address, in: authoritativeDomains)) { _ in true }
    }

    private static func contains(_ address: EmailAddress?, in domains: [String]) -> Bool {
        address.map { address in
            domains.contains { $0 == "*" || $0.asciiLowercased[...] == address.domain }
        } ?? false
    }
}
