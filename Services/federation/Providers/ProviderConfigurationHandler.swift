import Bus
import Contracts
import DatabaseService
import Vocabulary

/// The configuration of providers, for administrators (REST 5.3).
struct ProviderConfigurationHandler: FederationComponent {
    let context: FederationContext

    private static let firstRevision: Int64 = 1

    func create(_ request: Federation.CreateProvider, _ call: BusCall) async throws -> Federation.ProviderReply {
        let number = try await projectNumber(of: request.realm, call)
        try request.provider.validate(isDev: isDev)
        let (provider, key) = try await withSigningKey(request.provider, replacing: nil)
        let change = change(.created, in: request.realm, request.client, call)
        guard
            try await store.insert(
                provider, signingKey: key, in: request.realm, revision: Self.firstRevision, change)
        else { throw ServiceError(.providerExists) }
        await context.dependencies.providerChanges.record(change)
        return .init(
            provider: provider, revision: Self.firstRevision, projectNumber: number,
            warning: await warning(about: provider, call))
    }

    func read(_ request: Federation.ReadProvider, _ call: BusCall) async throws -> Federation.ProviderReply {
        let number = try await projectNumber(of: request.realm, call)
        guard let stored = try await store.provider(request.id, in: request.realm) else {
            throw ServiceError(.providerNotFound)
        }
        return .init(provider: stored.provider, revision: stored.revision, projectNumber: number)
    }

    func replace(_ request: Federation.ReplaceProvider, _ call: BusCall) async throws -> Federation.ProviderReply {
        let number = try await projectNumber(of: request.realm, call)
        let found = try await store.provider(request.provider.id, in: request.realm)
        try request.provider.validate(after: found?.provider, isDev: isDev)
        guard let stored = found else { throw ServiceError(.providerNotFound) }
        guard stored.revision == request.expectedRevision else { throw ServiceError(.configurationConflict) }
        let (provider, key) = try await withSigningKey(request.provider, replacing: stored.provider)
        let change = change(.replaced, in: request.realm, request.client, call)
        let result = try await store.replace(
            provider, signingKey: key, in: request.realm, expectedRevision: request.expectedRevision, change)
        switch result {
        case .missing: throw ServiceError(.providerNotFound)
        case .conflict: throw ServiceError(.configurationConflict)
        case .replaced:
            await context.dependencies.providerChanges.record(change)
            return .init(
                provider: provider, revision: request.expectedRevision.addingSaturated(1),
                projectNumber: number, warning: await warning(about: provider, call))
        }
    }

    /// Reads the discovery document of an OpenID provider. One that cannot be read is no error: the provider may be down, or
    /// not exist yet.
    private func warning(about provider: Federation.Provider, _ call: BusCall) async -> String? {
        guard case .oidc(let openID) = provider.kind else { return nil }
        do {
            _ = try await providers.adapter(of: provider)
            return nil
        } catch {
            let reason = (error as? ServiceError)?.message ?? "Its discovery document cannot be read."
            metrics.recordUnresolvedIssuer(of: provider.id, openID.issuer, reason: reason, trace: call.trace)
            return "The issuer \(openID.issuer) does not resolve, and users cannot sign in before it does. \(reason)"
        }
    }

    /// The provider with the certificate of its signing key, and the key if it is a new one. A key is created when
    /// `signsRequests` becomes true, and deleted when it becomes false.
    private func withSigningKey(
        _ provider: Federation.Provider, replacing former: Federation.Provider?
    ) async throws -> (Federation.Provider, Secret<String>?) {
        guard case .saml(var saml) = provider.kind else { return (provider, nil) }
        var provider = provider
        var key: Secret<String>?
        if !saml.signsRequests {
            saml.signingCertificates = []
        } else if case .saml(let stored)? = former?.kind, stored.signsRequests {
            saml.signingCertificates = stored.signingCertificates
        } else {
            let generated = try await self.saml.generateSigningKey(of: provider.id)
            saml.signingCertificates = [generated.certificate]
            key = generated.text
        }
        provider.kind = .saml(saml)
        return (provider, key)
    }

    func delete(_ request: Federation.DeleteProvider, _ call: BusCall) async throws -> EmptyReply {
        let change = change(.deleted, in: request.realm, request.client, call)
        guard try await store.deleteProvider(request.id, in: request.realm, change) else {
            throw ServiceError(.providerNotFound)
        }
        await context.dependencies.providerChanges.record(change)
        return EmptyReply()
    }

    private func change(
        _ change: Identity.RecordProviderChange.Change, in realm: Realm, _ client: ClientContext, _ call: BusCall
    ) -> ProviderChange {
        ProviderChange(id: randomBytes(16).hexadecimal, change, in: realm, by: client, call, at: now())
    }

    func list(_ request: Federation.ListProviders, _ call: BusCall) async throws -> Federation.ListProviders.Reply {
        guard (1...Federation.ListProviders.maximumPageSize).contains(request.pageSize) else {
            throw ServiceError(.invalidRequest, "pageSize is 1 to \(Federation.ListProviders.maximumPageSize)")
        }
        let number = try await projectNumber(of: request.realm, call)
        let found = try await store.providers(
            of: request.list, in: request.realm, after: request.after, limit: request.pageSize.addingSaturated(1))
        return .init(
            providers: Array(found.prefix(request.pageSize)), hasMore: found.count > request.pageSize,
            projectNumber: number)
    }

    func listForSignIn(
        _ request: Federation.ListSignInProviders, _ call: BusCall
    ) async throws -> Federation.ListSignInProviders.Reply {
        var found: [Federation.Provider] = []
        for list in Federation.ProviderList.allCases {
            found += try await store.providers(
                of: list, in: request.realm, after: nil, limit: Federation.ListProviders.maximumPageSize)
        }
        let entries = found.filter { $0.isEnabled && $0.hasSignInPage }.map {
            Federation.ListSignInProviders.Entry(id: $0.id, name: $0.name)
        }
        return .init(providers: entries.sorted { ($0.name, $0.id) < ($1.name, $1.id) })
    }

    private func projectNumber(of realm: Realm, _ call: BusCall) async throws -> String {
        try await configurations.resolve(realm, call.options(at: now())).projectNumber
    }
}

extension Federation.Provider {
    private var supported: Federation.SupportedProvider? { Federation.SupportedProvider(rawValue: id) }

    /// Of a provider without a page, a library of the device signs in.
    fileprivate var hasSignInPage: Bool {
        switch kind {
        case .supported: supported?.adapter.description.authorization.authorizationURL != nil
        case .oidc, .saml: true
        }
    }

    /// As its users know it. A generic provider without a name has that of its ID.
    fileprivate var name: String {
        let own: String? =
            switch kind {
            case .supported: supported?.facts.name
            case .oidc(let configuration): configuration.displayName
            case .saml(let configuration): configuration.displayName
            }
        return own.nilIfEmpty ?? id.halves(at: ".").behind.map(String.init) ?? id
    }
}
