import Contracts
import Crypto
package import Vocabulary

/// The projects and tenants of requests, cached for `timeToLive`.
///
/// A change is visible at once in the process that made it, and in the others with its event, or after `timeToLive`.
package actor ProjectCache {
    static let timeToLive = Duration.seconds(1)
    static let cacheLimit = 1000

    private struct Entry {
        var project: Project
        var readAt: ContinuousClock.Instant
    }

    private let store: IdentityStore
    private let isDev: Bool
    private let publicHost: String?
    private let now: @Sendable () -> Moment
    /// The steady clock.
    private let instant: @Sendable () -> ContinuousClock.Instant
    private var entries: [Realm: Entry] = [:]
    /// Incremented by every invalidation: a read that began before it is not cached.
    private var invalidationCount = 0

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
        if let entry = entries[realm], instant() < entry.readAt + Self.timeToLive { return entry.project }
        let (readAt, countBefore) = (instant(), invalidationCount)
        guard let project = try await store.project(of: realm) else {
            guard isDev, Realm.isIdentifier(realm.project.rawValue) else { throw ServiceError(.projectNotFound) }
            let project = try await create(realm.project, apiKey: nil, traceID: traceID)
            guard realm.tenant == nil else { throw ServiceError(.tenantNotFound) }
            return project
        }
        if invalidationCount == countBefore { insert(project, realm, readAt: readAt) }
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
        entries = entries.filter { $0.key.project != id }
        invalidationCount += 1
    }

    private func create(_ id: ProjectID, apiKey: String?, traceID: String) async throws -> Project {
        let project = try await store.createProject(
            .new(id, apiKey: apiKey, publicHost: publicHost, isDev: isDev, randomBytes: Random.bytes), at: now(),
            audit: AuditEntry(
                at: now(), realm: Realm(project: id), action: .projectCreated, actor: .system, traceID: traceID))
        insert(project, Realm(project: id), readAt: instant())
        return project
    }

    private func insert(_ project: Project, _ realm: Realm, readAt: ContinuousClock.Instant) {
        // In dev mode unauthenticated callers name projects: the cache is emptied so that it cannot grow without bound.
        if entries.count >= Self.cacheLimit { entries.removeAll() }
        entries[realm] = Entry(project: project, readAt: readAt)
    }
}
