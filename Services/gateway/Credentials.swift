internal import Contracts
internal import HTTPServer
internal import Synchronization
internal import Vocabulary

/// Tells callers apart (wire-protocol 1.3). Remembers which project an API key belongs to.
final class Credentials: Sendable {
    private struct Owner: Sendable {
        var project: ProjectID
        var learnedAt: ContinuousClock.Instant
    }

    private static let maximumKeys = 4096
    private static let maximumKeyBytes = 128
    /// Events are hints and may be lost, so nothing is believed for longer than this.
    private static let keyLifetime = Duration.seconds(60)

    private let settings: GatewaySettings
    private let owners = Mutex(BoundedCache<String, Owner>(capacity: maximumKeys))

    init(settings: GatewaySettings) {
        self.settings = settings
    }

    /// - Throws: `Refusal` for credentials that are missing or wrong, `WireError` when nobody can tell.
    func identify(_ request: HTTPRequest, for access: Access, dependencies: GatewayDependencies, trace: TraceContext)
        async throws -> Caller
    {
        switch access {
        case .open, .operations:
            return .anyone
        case .developer:
            // Test tools come with and without a bearer, and administer the default project.
            return .administrator(settings.project)
        case .administrator:
            guard let bearer = Self.bearer(of: request) else { throw Refusal.missingBearer }
            return try administrator(bearer)
        case .client:
            if let bearer = Self.bearer(of: request) { return try administrator(bearer) }
            guard let key = (request.queryItem("key") ?? request.headers["x-goog-api-key"]).nonEmpty else {
                throw Refusal.missingAPIKey
            }
            return .application(try await owner(of: key, dependencies: dependencies, trace: trace))
        }
    }

    /// The configuration of this project changed, and its keys with it.
    func forget(_ project: ProjectID) {
        owners.withLock { $0.removeAll { $0.project == project } }
    }

    /// In dev mode the libraries' fixed tokens are administrators. Access tokens of service accounts are refused until
    /// the token endpoint exists.
    private func administrator(_ bearer: Substring) throws(Refusal) -> Caller {
        guard settings.isDev, bearer.lowercased() == "owner" || bearer.hasPrefix("ya29.") else { throw .badBearer }
        return .administrator(settings.project)
    }

    private func owner(of key: String, dependencies: GatewayDependencies, trace: TraceContext) async throws -> ProjectID
    {
        if settings.isDev, let project = settings.project { return project }
        guard key.utf8.count <= Self.maximumKeyBytes else { throw Refusal.unknownAPIKey }
        let now = dependencies.now()
        if let owner = owners.withLock({ $0[key] }), now - owner.learnedAt < Self.keyLifetime { return owner.project }
        let project = try await dependencies.mesh.ask(
            Identity.ResolveAPIKey(apiKey: key), trace: trace, within: .seconds(5)
        ).project
        owners.withLock { $0.set(Owner(project: project, learnedAt: now), for: key) }
        return project
    }

    /// The token of `Authorization: Bearer …`; other schemes are no credentials here.
    private static func bearer(of request: HTTPRequest) -> Substring? {
        guard let header = request.headers["authorization"], let blank = header.firstIndex(of: " "),
            header[..<blank].lowercased() == "bearer"
        else { return nil }
        let token = header[header.index(after: blank)...].drop { $0 == " " }
        return token.isEmpty ? nil : token
    }
}
