import Bus
import Contracts
import Vocabulary

/// Finds configured providers and what they offer.
struct ProviderDirectory: Sendable {
    let store: FederationStore
    let discovery: RemoteDocumentCache<DiscoveryDocument>
    let peers: PeerClient
    let now: @Sendable () -> Moment

    /// - Throws: `providerNotFound`, `providerDisabled`.
    func enabledProvider(_ id: String, in realm: Realm) async throws -> Federation.Provider {
        guard let provider = try await configuredProvider(id, in: realm) else {
            throw ServiceError(.providerNotFound)
        }
        return provider
    }

    /// - Returns: nil without configuration.
    /// - Throws: `providerDisabled`.
    func configuredProvider(_ id: String, in realm: Realm) async throws -> Federation.Provider? {
        guard let stored = try await store.provider(id, in: realm) else { return nil }
        guard stored.provider.isEnabled else { throw ServiceError(.providerDisabled) }
        return stored.provider
    }

    /// - Throws: `providerUnavailable` without the discovery document.
    func description(of provider: Federation.Provider) async throws -> ProviderDescription {
        switch provider.kind {
        case .supported: return try Federation.SupportedProvider(of: provider).description
        case .oidc(let openID):
            let document = try await discovery.document(at: DiscoveryDocument.url(of: openID.issuer)).document
            guard document.issuer == openID.issuer else {
                throw ServiceError(.providerUnavailable, "The issuer of the provider is not the configured one.")
            }
            return document.description(of: openID)
        case .saml: throw ServiceError(.invalidProviderCredential, "Invalid IdP response/credential: no SAMLResponse")
        }
    }

    /// The client IDs that tokens may be for: with Google also those of the project's mobile applications, with Apple
    /// the bundle IDs of the configuration, with Game Center the bundle IDs of both (security rule FE5).
    func audiences(of provider: Federation.Provider, in realm: Realm, _ call: BusCall) async throws -> Set<String> {
        switch provider.kind {
        case .oidc: return [provider.clientID]
        case .saml: return []
        case .supported(let apple):
            switch try Federation.SupportedProvider(of: provider) {
            case .apple: return Set([provider.clientID] + (apple?.bundleIDs ?? []))
            case .facebook, .gitHub, .microsoft: return [provider.clientID]
            case .google:
                return Set([provider.clientID] + (try await mobileApps(of: realm, call)).compactMap(\.clientId))
            case .gameCenter:
                return Set([provider.clientID] + (try await mobileApps(of: realm, call)).compactMap(\.bundleId))
            }
        }
    }
    private func mobileApps(of realm: Realm, _ call: BusCall) async throws -> [ProjectConfiguration.MobileApp] {
        try await peers.resolveConfiguration(.init(realm: realm), call.options(at: now())).configuration.mobileApps
            ?? []
    }
}
