internal import Contracts
internal import HTTPServer
internal import Vocabulary

/// Who may call a route (REST 1.3).
enum Access: Sendable, CaseIterable {
    /// Everybody, without credentials: published keys, discovery, status.
    case unauthenticated
    /// An application with its API key, or an administrator with a bearer token.
    case client
    /// A bearer token. Absent from the public listener in production.
    case administrator
    /// Test tools. Exists in dev mode only, and asks for nothing there.
    case developer
    /// Operators' tools on the admin listener, which is the credential.
    case operations
}

/// The form in which a route tells of errors (REST 1.6).
enum ErrorFormat: Sendable, CaseIterable {
    /// v1 and legacy v3.
    case v1
    /// v2 and Secure Token.
    case v2
    /// For people, as a page.
    case page
}

/// Which bucket of `RateLimiter` a call draws from.
enum RateLimitClass: Hashable, Sendable, CaseIterable {
    case signIn, signUp, refresh, other
    /// What costs nothing beyond this process, and tells operators most when everything else is refused.
    case exempt
}

/// One operation of the REST protocol: where it answers, who may call it, and how.
struct Route: Sendable {
    typealias Handler = @Sendable (Call) async throws -> HTTPResponse

    let method: HTTPMethod
    /// Every spelling of the address: plain, per tenant, legacy, alias.
    let paths: [RoutePath]
    let surface: ErrorFormat
    let access: Access
    let rateClass: RateLimitClass
    /// What an access token must allow to get through here.
    let right: Identity.AdminPermission
    /// Of a route that waits for its issue: what is missing.
    let unimplementedFeature: String?
    /// Short and without values of callers: for metrics.
    let name: String
    let handler: Handler

    /// - Parameter onlyReads: for a call that changes nothing though its method is not GET.
    init(
        _ method: HTTPMethod, _ paths: [RoutePath], _ surface: ErrorFormat, _ access: Access,
        rate: RateLimitClass = .other, isReadOnly: Bool? = nil, handler: @escaping Handler
    ) {
        self.init(method, paths, surface, access, rate, isReadOnly: isReadOnly, unimplementedFeature: nil, handler)
    }

    private init(
        _ method: HTTPMethod, _ paths: [RoutePath], _ surface: ErrorFormat, _ access: Access, _ rate: RateLimitClass,
        isReadOnly: Bool? = nil, unimplementedFeature: String?, _ handler: @escaping Handler
    ) {
        self.method = method
        self.paths = paths
        self.surface = surface
        self.access = access
        rateClass = rate
        right = isReadOnly ?? (method == .get) ? .read : .write
        self.unimplementedFeature = unimplementedFeature
        name = paths.first.map { "\(method.name) \($0.pattern.text)" } ?? method.name
        self.handler = handler
    }

    /// A path of the protocol whose work has not landed: callers are checked, then get `OPERATION_NOT_ALLOWED`.
    static func notImplemented(
        _ subject: String, _ method: HTTPMethod, _ paths: [RoutePath], _ surface: ErrorFormat, _ access: Access
    ) -> Route {
        .init(method, paths, surface, access, .other, unimplementedFeature: subject) { _ in
            throw APIError.notImplemented(subject)
        }
    }

    /// Which other origins may call it from a browser.
    enum CrossOriginAccess: Equatable, Sendable {
        case none
        /// Pages that this machine serves.
        case loopback
        case any
    }

    /// Browsers of any origin may call what applications call; pages are their own, and administration is not for
    /// browsers (security rule HT5). Dev mode's tools are for the tests that a developer runs in a browser.
    var crossOriginAccess: CrossOriginAccess {
        switch access {
        case .unauthenticated, .client: surface == .page ? .none : .any
        case .developer: paths.allSatisfy { $0.pattern.text.hasPrefix("/emulator/v1/") } ? .loopback : .none
        case .administrator, .operations: .none
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

/// The names under which Google's libraries look for an API, as a virtual host or as the first part of a path.
enum APIHost: String, CaseIterable, Sendable {
    case identityToolkit = "identitytoolkit.googleapis.com"
    case secureToken = "securetoken.googleapis.com"
    case googleAPIs = "www.googleapis.com"
    /// The issuer of ID tokens, for OpenID Connect discovery.
    case tokenIssuer = "securetoken.google.com"
    /// Where service accounts get their access tokens.
    case oauth = "oauth2.googleapis.com"
}

/// Where a route answers. `host == nil`: our own paths, which no virtual host has.
struct RoutePath: Sendable {
    let host: APIHost?
    let pattern: PathPattern

    init(_ host: APIHost?, _ pattern: String) {
        self.host = host
        self.pattern = PathPattern(pattern)
    }
}

extension [RoutePath] {
    /// A v1 client operation and, where there is one, its legacy v3 name (REST 1.2).
    static func v1(_ operation: String, v3 legacy: String? = nil) -> Self {
        [.init(.identityToolkit, "/v1/\(operation)")] + (legacy.map { [legacyPath($0)] } ?? [])
    }

    static func v2(_ operation: String) -> Self { [.init(.identityToolkit, "/v2/\(operation)")] }

    static func v3(_ legacy: String) -> Self { [legacyPath(legacy)] }

    /// Below a project and below one of its tenants; `suffix` begins with its own separator.
    static func v1Realm(_ suffix: String) -> Self {
        ["/v1/projects/{project}", "/v1/projects/{project}/tenants/{tenant}"].map {
            .init(.identityToolkit, $0 + suffix)
        }
    }

    /// Below a project, also under the alias `/admin/v2`.
    static func v2Project(_ suffix: String) -> Self {
        ["/v2", "/admin/v2"].map { .init(.identityToolkit, "\($0)/projects/{project}\(suffix)") }
    }

    /// Below a project and below one of its tenants, also under the alias `/admin/v2`.
    static func v2Realm(_ suffix: String) -> Self {
        v2Project(suffix) + v2Project("/tenants/{tenant}\(suffix)")
    }

    static func local(_ paths: String...) -> Self { paths.map { .init(nil, $0) } }

    private static func legacyPath(_ name: String) -> RoutePath {
        .init(.googleAPIs, "/identitytoolkit/v3/relyingparty/\(name)")
    }
}
