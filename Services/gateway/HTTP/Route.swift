import Contracts
import HTTPServer
import Vocabulary

/// The required caller of a route (REST 1.3).
enum Access: Sendable, CaseIterable {
    /// Any caller, without credentials: published keys, discovery, status.
    case unauthenticated
    /// An application with its API key, or an administrator with a bearer token.
    case client
    /// A bearer token. Not served on the public listener in production.
    case administrator
    /// Test tools. Dev mode only, without credentials.
    case developer
    /// Operators' tools on the admin listener. Access to the listener is the authorization.
    case operations
    /// Operators at the console, on the admin listener. Each page of it decides whom it lets in (`ConsoleGate`).
    case console
}

/// The error format of a route (REST 1.6).
enum ErrorFormat: Sendable, CaseIterable {
    /// v1 and legacy v3.
    case v1
    /// v2 and Secure Token.
    case v2
    /// An HTML page for users.
    case page
}

/// The bucket of `RateLimiter` that a call consumes from.
enum RateLimitClass: Hashable, Sendable, CaseIterable {
    case signIn, signUp, refresh, other
    /// Calls that use no resources outside this process, and that operators need during overload.
    case exempt
}

/// One operation of the REST protocol: its paths, its access rule and its handler.
struct Route: Sendable {
    typealias Handler = @Sendable (Call) async throws -> HTTPResponse

    let method: HTTPMethod
    /// Every path of the operation: plain, per tenant, legacy, alias.
    let paths: [RoutePath]
    let surface: ErrorFormat
    let access: Access
    let rateClass: RateLimitClass
    /// Whether every well-formed call needs a password hash, the most expensive work of the mesh. Such calls are
    /// refused early during overload (see `ConcurrencyLimit`).
    let hashesPassword: Bool
    /// The permission that an access token must have.
    let requiredPermission: Identity.AdminPermission
    /// For a route that is not implemented: the missing feature.
    let missingFeature: String?
    /// Short and without values of callers, for metrics.
    let name: String
    let handler: Handler

    /// - Parameter onlyReads: true for a call that changes nothing although its method is not GET.
    init(
        _ method: HTTPMethod, _ paths: [RoutePath], _ surface: ErrorFormat, _ access: Access,
        rate: RateLimitClass = .other, isReadOnly: Bool? = nil, hashesPassword: Bool = false, handler: @escaping Handler
    ) {
        self.init(
            method, paths, surface, access, rate, isReadOnly: isReadOnly, hashesPassword: hashesPassword,
            missingFeature: nil, handler)
    }

    private init(
        _ method: HTTPMethod, _ paths: [RoutePath], _ surface: ErrorFormat, _ access: Access, _ rate: RateLimitClass,
        isReadOnly: Bool? = nil, hashesPassword: Bool = false, missingFeature: String?, _ handler: @escaping Handler
    ) {
        self.method = method
        self.paths = paths
        self.surface = surface
        self.access = access
        rateClass = rate
        self.hashesPassword = hashesPassword
        requiredPermission = isReadOnly ?? (method == .get) ? .read : .write
        self.missingFeature = missingFeature
        name = paths.first.map { "\(method.name) \($0.pattern.text)" } ?? method.name
        self.handler = handler
    }

    /// A path of the protocol that is not implemented: after authentication the response is `OPERATION_NOT_ALLOWED`.
    static func notImplemented(
        _ subject: String, _ method: HTTPMethod, _ paths: [RoutePath], _ surface: ErrorFormat, _ access: Access
    ) -> Route {
        .init(method, paths, surface, access, .other, missingFeature: subject) { _ in
            throw APIError.notImplemented(subject)
        }
    }

    /// The other origins that may call a route from a browser.
    enum CrossOriginAccess: Equatable, Sendable {
        case none
        /// Loopback origins.
        case loopback
        case any
    }

    /// Any origin may call the client API. Pages are for their own origin, and administration is not for browsers
    /// (security rule HT5). The dev tools are for tests that a developer runs in a browser.
    var crossOriginAccess: CrossOriginAccess {
        switch access {
        case .unauthenticated, .client: surface == .page ? .none : .any
        case .developer: paths.allSatisfy { $0.pattern.text.hasPrefix("/emulator/v1/") } ? .loopback : .none
        case .administrator, .operations, .console: .none
        }
    }

    /// Whether its requests are part of the overview of the console: not those of probes, dev tools and the console.
    var isForUsersAndBackends: Bool {
        switch access {
        case .unauthenticated: !HealthRoutes.probes.contains(name)
        case .client, .administrator: true
        case .operations, .console, .developer: false
        }
    }

    /// - Parameter origin: as the browser sent it; nil for a request without one.
    func allowsCrossOrigin(from origin: String?) -> Bool {
        switch crossOriginAccess {
        case .none: false
        case .loopback: origin.flatMap { WebURL($0) }?.isLoopback ?? false
        case .any: true
        }
    }
}

/// The names of an API in Google's libraries, as a virtual host or as the first part of a path.
enum APIHost: String, CaseIterable, Sendable {
    case identityToolkit = "identitytoolkit.googleapis.com"
    case secureToken = "securetoken.googleapis.com"
    case googleAPIs = "www.googleapis.com"
    /// The issuer of ID tokens, for OpenID Connect discovery.
    case tokenIssuer = "securetoken.google.com"
    /// The token endpoint of service accounts.
    case oauth = "oauth2.googleapis.com"
}

/// A path of a route. `host == nil`: a Latchkey path, which no virtual host has.
struct RoutePath: Sendable {
    let host: APIHost?
    let pattern: PathPattern

    init(_ host: APIHost?, _ pattern: String) {
        self.host = host
        self.pattern = PathPattern(pattern)
    }
}

extension [RoutePath] {
    /// A v1 client operation and, if it has one, its legacy v3 name (REST 1.2).
    static func v1(_ operation: String, v3 legacy: String? = nil) -> Self {
        [.init(.identityToolkit, "/v1/\(operation)")] + (legacy.map { [legacyPath($0)] } ?? [])
    }

    static func v2(_ operation: String) -> Self { [.init(.identityToolkit, "/v2/\(operation)")] }

    static func v3(_ legacy: String) -> Self { [legacyPath(legacy)] }

    /// Under a project and under one of its tenants; `suffix` begins with its own separator.
    static func v1Realm(_ suffix: String) -> Self {
        ["/v1/projects/{project}", "/v1/projects/{project}/tenants/{tenant}"].map {
            .init(.identityToolkit, $0 + suffix)
        }
    }

    /// Under a project, also under the alias `/admin/v2`.
    static func v2Project(_ suffix: String) -> Self {
        ["/v2", "/admin/v2"].map { .init(.identityToolkit, "\($0)/projects/{project}\(suffix)") }
    }

    /// Under a project and under one of its tenants, also under the alias `/admin/v2`.
    static func v2Realm(_ suffix: String) -> Self {
        v2Project(suffix) + v2Project("/tenants/{tenant}\(suffix)")
    }

    static func local(_ paths: String...) -> Self { paths.map { .init(nil, $0) } }

    private static func legacyPath(_ name: String) -> RoutePath {
        .init(.googleAPIs, "/identitytoolkit/v3/relyingparty/\(name)")
    }
}
