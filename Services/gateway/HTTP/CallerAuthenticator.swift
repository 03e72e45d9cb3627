import Bus
import Contracts
import HTTPServer
import Synchronization
import Vocabulary

/// Authenticates callers (REST 1.3). Caches the project of an API key, and for seconds the grant of an access token.
final class CallerAuthenticator: Sendable {
    private struct CachedProject: Sendable {
        var project: ProjectID
        var cachedAt: ContinuousClock.Instant
    }

    private struct Grant: Sendable {
        var project: ProjectID
        var permissions: [Identity.AdminPermission]
        var cachedAt: ContinuousClock.Instant
    }

    private static let maximumKeys = 4096
    private static let maximumKeyBytes = 128
    private static let maximumGrants = 1024
    /// A replaced key and a revoked token stay accepted for at most this time: events may be lost, and do not reach other
    /// machines.
    static let lifetime = Duration.seconds(5)

    private let settings: GatewaySettings
    private let cachedProjects = Mutex(LRUCache<String, CachedProject>(capacity: maximumKeys))
    private let cachedGrants = Mutex(LRUCache<String, Grant>(capacity: maximumGrants))

    init(settings: GatewaySettings) {
        self.settings = settings
    }

    /// - Throws: `APIError` for missing or wrong credentials, `ServiceError` when they cannot be verified.
    func authenticate(
        _ request: HTTPRequest, for route: Route, on listener: Listener, dependencies: GatewayDependencies,
        trace: TraceContext
    ) async throws -> Caller {
        switch route.access {
        case .unauthenticated, .operations, .console:
            return .unauthenticated
        case .developer:
            // Test tools may send a bearer token or none, and administer the default project.
            return .administrator(settings.project)
        case .administrator:
            guard let bearer = Self.bearer(of: request) else { throw APIError.missingBearerToken }
            return try await administrator(bearer, route, listener, dependencies, trace)
        case .client:
            if let bearer = Self.bearer(of: request) {
                return try await administrator(bearer, route, listener, dependencies, trace)
            }
            guard let key = (request.queryItem("key") ?? request.headers["x-goog-api-key"]).nilIfEmpty else {
                throw APIError.missingAPIKey
            }
            return .application(try await owner(of: key, dependencies: dependencies, trace: trace))
        }
    }

    /// Call it when the configuration, the API keys or the service accounts of this project changed.
    func invalidate(_ project: ProjectID) {
        cachedProjects.withLock { $0.removeAll { $0.project == project } }
        cachedGrants.withLock { $0.removeAll { $0.project == project } }
    }

    /// In dev mode the libraries' fixed tokens are administrators. A service account's access token is valid for its
    /// project, and outside dev mode only on the admin listener (security rule HT13).
    private func administrator(
        _ bearer: Substring, _ route: Route, _ listener: Listener, _ dependencies: GatewayDependencies,
        _ trace: TraceContext
    ) async throws -> Caller {
        if settings.isDev, bearer.asciiLowercased == "owner" || bearer.hasPrefix("ya29.") {
            return .administrator(settings.project)
        }
        guard settings.isDev || listener == .admin, bearer.hasPrefix(Identity.IssueAccessToken.tokenPrefix),
            bearer.utf8.count <= Self.maximumKeyBytes
        else { throw APIError.invalidBearerToken }
        let grant = try await grant(of: String(bearer), dependencies, trace)
        guard grant.permissions.contains(route.requiredPermission) else { throw APIError.permissionDenied }
        return .serviceAccount(grant.project, grant.permissions)
    }

    private func grant(
        of token: String, _ dependencies: GatewayDependencies, _ trace: TraceContext
    ) async throws -> Grant {
        let now = dependencies.now()
        if let grant = cachedGrants.withLock({ $0[token] }), now - grant.cachedAt < Self.lifetime { return grant }
        let reply = try await dependencies.bus.send(
            Identity.IntrospectAccessToken(accessToken: Secret(token)), trace: trace, timeout: .seconds(5))
        let grant = Grant(project: reply.project, permissions: reply.permissions, cachedAt: now)
        cachedGrants.withLock { $0.set(grant, for: token) }
        return grant
    }

    private func owner(of key: String, dependencies: GatewayDependencies, trace: TraceContext) async throws -> ProjectID
    {
        if settings.isDev, let project = settings.project { return project }
        guard key.utf8.count <= Self.maximumKeyBytes else { throw APIError.unknownAPIKey }
        let now = dependencies.now()
        if let owner = cachedProjects.withLock({ $0[key] }), now - owner.cachedAt < Self.lifetime {
            return owner.project
        }
        let project = try await dependencies.bus.send(
            Identity.ResolveAPIKey(apiKey: key), trace: trace, timeout: .seconds(5)
        ).project
        cachedProjects.withLock { $0.set(CachedProject(project: project, cachedAt: now), for: key) }
        return project
    }

    /// The token of `Authorization: Bearer …`; other schemes are ignored.
    static func bearer(of request: HTTPRequest) -> Substring? {
        guard let (scheme, rest) = request.headers["authorization"]?.halves(at: " "),
            scheme.asciiLowercased == "bearer"
        else { return nil }
        let token = rest?.drop { $0 == " " } ?? ""
        return token.isEmpty ? nil : token
    }
}
