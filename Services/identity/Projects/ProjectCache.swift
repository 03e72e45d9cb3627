import Contracts
import Crypto
import DatabaseService
package import Vocabulary

/// The projects and tenants of requests.
///
/// A change is visible at once in the process that made it, and in the others with its event, or after
/// `RealmCache.timeToLive`.
package actor ProjectCache {
    private let store: IdentityStore
    private let isDev: Bool
    private let publicHost: String?
    private let now: @Sendable () -> Moment
    /// The steady clock.
    private let instant: @Sendable () -> ContinuousClock.Instant
    private var cache = RealmCache<Project>()

    /// - Parameter publicHost: of the public URL, an authorized domain of every new project.
    package init(
        store: IdentityStore, isDev: Bool, publicHost: String? = nil, now: @escaping @Sendable () -> Moment,
        instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.store = store
        self.isDev = isDev
        self.publicHost = publicHost
        self.now = now
        self.instant = instant
    }

    /// A project with the configuration of a realm. In dev mode the first request that names a project creates it.
    /// - Throws: `projectNotFound`, `tenantNotFound`, `projectDisabled`.
    func project(of realm: Realm, traceID: String) async throws -> Project {
        let project = try await projectForAdministration(realm, traceID: traceID)
        guard !project.isDisabled else { throw ServiceError(.projectDisabled) }
        return project
    }

    /// The same for administrators, who may also use a tenant that permits no sign-in.
    /// - Throws: `projectNotFound`, `tenantNotFound`.
    func projectForAdministration(_ realm: Realm, traceID: String) async throws -> Project {
        if let project = cache.value(of: realm, at: instant()) { return project }
        let read = cache.startRead(at: instant())
        guard let project = try await store.project(of: realm) else {
            guard isDev, Realm.isIdentifier(realm.project.rawValue) else { throw ServiceError(.projectNotFound) }
            let project = try await create(realm.project, apiKey: nil, traceID: traceID)
            guard realm.tenant == nil else { throw ServiceError(.tenantNotFound) }
            return project
        }
        cache.insert(project, of: realm, from: read)
        return project
    }

    /// A project by itself, outside all its tenants.
    func project(_ id: ProjectID, traceID: String) async throws -> Project {
        try await projectForAdministration(Realm(project: id), traceID: traceID)
    }

    /// Creates the operator's project if it does not exist, and sets the API key of the settings, if any.
    package func ensure(_ id: ProjectID, apiKey: String?, traceID: String) async throws {
        guard let existing = try await store.project(id) else {
            _ = try await create(id, apiKey: apiKey, traceID: traceID)
            return
        }
        if let apiKey, apiKey != existing.apiKey { try await store.setAPIKey(apiKey, of: id) }
    }

    /// Call it when the configuration of a project or of one of its tenants has changed: tenants inherit from their
    /// project.
    func invalidate(_ id: ProjectID) {
        cache.invalidate(id)
    }

    private func create(_ id: ProjectID, apiKey: String?, traceID: String) async throws -> Project {
        let project = try await store.createProject(
            .new(id, apiKey: apiKey, publicHost: publicHost, isDev: isDev, randomBytes: Random.bytes), at: now(),
            audit: AuditEntry(
                at: now(), realm: Realm(project: id), action: .projectCreated, actor: .system, traceID: traceID))
        cache.insert(project, of: Realm(project: id), from: cache.startRead(at: instant()))
        return project
    }
}
