import Contracts
import Pages
import Synchronization
import Vocabulary

/// The brandings of pages, by the API key and the tenant in the address of the page.
///
/// A change of the configuration takes effect with its event, or after `lifetime`.
final class PageBrandings: Sendable {
    struct Key: Hashable, Sendable {
        var apiKey: String
        var tenant: String?
    }

    private struct Entry: Sendable {
        var branding: PageBranding
        var project: ProjectID
        var readAt: ContinuousClock.Instant
    }

    /// Unauthenticated callers choose keys and tenants.
    private static let capacity = 256
    static let lifetime = Duration.seconds(5)

    private let entries = Mutex(LRUCache<Key, Entry>(capacity: capacity))

    /// - Throws: for a key or a tenant that does not exist, and if identity cannot be asked.
    fileprivate func branding(of key: Key, _ call: Call) async throws -> PageBranding {
        let readAt = call.gateway.dependencies.now()
        if let entry = entries.withLock({ $0[key] }), readAt - entry.readAt < Self.lifetime { return entry.branding }
        let project = try await call.project(ofKey: key.apiKey)
        let realm = Realm(project: project, tenant: key.tenant.map { TenantID($0) })
        let reply = try await call.send(Identity.ResolveConfiguration(realm: realm))
        let branding = PageBranding(reply.configuration.branding)
        entries.withLock { $0.set(Entry(branding: branding, project: project, readAt: readAt), for: key) }
        return branding
    }

    /// Tenants inherit from their project, so a change of a project concerns its tenants too.
    func invalidate(_ project: ProjectID) {
        entries.withLock { $0.removeAll { $0.project == project } }
    }
}

extension Call {
    /// The name and the look of the realm whose page this is. The page of an unknown realm, and a page while identity cannot
    /// be asked, has none: it says what is wrong itself.
    func branding(apiKey: String?, tenant: String?) async -> PageBranding {
        guard let apiKey = apiKey.nilIfEmpty, (tenant?.utf8.count ?? 0) <= 128 else { return PageBranding() }
        // `try?`: a page without its look is better than none.
        let branding = try? await gateway.brandings.branding(
            of: .init(apiKey: apiKey, tenant: tenant.nilIfEmpty), self)
        return branding ?? PageBranding()
    }
}
