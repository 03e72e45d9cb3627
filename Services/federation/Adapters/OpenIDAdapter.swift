import Contracts

/// A provider that a project describes itself. Its discovery document says what it offers.
struct OpenIDAdapter: ProviderAdapter {
    let configuration: Federation.Provider.OpenID
    let document: DiscoveryDocument

    var description: ProviderDescription { document.description(of: configuration) }

    func email(_ claims: ProviderClaims) -> EmailAssertion {
        .openID(claims, authoritativeDomains: configuration.authoritativeDomains)
    }

    func profile(of user: ProviderUser) -> Federation.ProviderProfile {
        .init(user, email: email(user.claims), attributes: user.claims.attributes)
    }
}
