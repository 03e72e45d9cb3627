import Bus
import Contracts
import DatabaseService
import Vocabulary

/// Finds configured providers and what they offer.
struct ProviderDirectory: FederationComponent {
    let context: FederationContext

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

    /// - Throws: `providerNotFound` for a provider that this version does not know, `providerUnavailable` without the
    ///   discovery document, `invalidProviderCredential` for a SAML provider, which has none.
    func adapter(of provider: Federation.Provider) async throws -> any ProviderAdapter {
        switch provider.kind {
        case .supported:
            guard let supported = Federation.SupportedProvider(rawValue: provider.id) else {
                throw ServiceError(.providerNotFound)
            }
            return supported.adapter
        case .oidc(let openID):
            let document = try await context.discovery.document(at: DiscoveryDocument.url(of: openID.issuer)).document
            guard document.issuer == openID.issuer else {
                throw ServiceError(.providerUnavailable, "The issuer of the provider is not the configured one.")
            }
            return OpenIDAdapter(configuration: openID, document: document)
        case .saml: throw ServiceError.invalidCredential("no SAMLResponse")
        }
    }

    /// The client IDs that tokens may be for (security rule FE5).
    func audiences(
        of provider: Federation.Provider, _ adapter: any ProviderAdapter, in realm: Realm, _ call: BusCall
    ) async throws -> Set<String> {
        let clientIDs = Set(adapter.clientIDs(of: provider))
        guard let mobileClientID = adapter.mobileClientID else { return clientIDs }
        let configuration = try await configurations.resolve(realm, call.options(at: now())).configuration
        return clientIDs.union((configuration.mobileApps ?? []).compactMap(mobileClientID))
    }
}

extension Federation.Provider {
    /// - Throws: `providerDisabled` without a client secret.
    func requiredClientSecret() throws(ServiceError) -> String {
        guard let clientSecret else { throw ServiceError(.providerDisabled, "\(id) has no client secret") }
        return clientSecret.reveal()
    }
}
