package import Bus
import ConfigurationDocuments
package import Contracts
package import HTTPServer
package import ServiceRuntime
import Synchronization
package import Tracing
package import Vocabulary

/// The dependencies of the gateway. All listeners of the process share them.
package struct GatewayDependencies: Sendable {
    package var settings: GatewaySettings
    package var bus: any BusRequestSending
    /// Monotonic; only differences are meaningful.
    package var now: @Sendable () -> ContinuousClock.Instant
    /// For pages that say how long ago something was.
    package var wallTime: @Sendable () -> Moment
    /// Called for the log with every failure that leaves only as "internal".
    package var report: @Sendable (any Error, TraceContext) -> Void
    /// Called for the log with every page that does not serve an application.
    package var reportRefusedPage: @Sendable (UnknownAppError, TraceContext) -> Void
    /// Called for the log with every completed request.
    package var reportCompleted: @Sendable (CompletedRequest) -> Void
    /// The request metrics of this process.
    package var metrics: RequestMetrics
    /// What the overview of the console shows.
    package var activity = ActivityCounts()
    /// Records the requests; nil if this process records no traces.
    package var spans: SpanRecorder?
}

/// The listener that received a request (REST 1.1).
package enum Listener: String, Sendable, CaseIterable {
    case `public`, admin
}

/// Turns one HTTP request into one bus request, and the reply into the response.
package final class Gateway: Sendable {
    let dependencies: GatewayDependencies
    let router = Router(RouteTable.routes)
    let credentials: CallerAuthenticator
    let logos = LogoCache()
    let brandings = PageBrandings()
    /// The long work of operators. It runs as a component of the process.
    let works = ConsoleWorks()
    /// The metrics that all processes of the mesh report.
    let metricsAggregator = MetricsAggregator()
    private let limiter: Mutex<RateLimiter>
    /// Nil in production: a proxy decides which names lead here.
    private let developmentHosts: DevelopmentHosts?
    /// The limit of the routes with `hashesPassword`.
    private let passwordHashes = Mutex(ConcurrencyLimit())
    /// The bound addresses of the listeners of this process, with the ports that the system chose.
    private let boundAddresses = Mutex<Set<HostPort>>([])
    private let draining = Mutex(false)

    package init(_ dependencies: GatewayDependencies) {
        self.dependencies = dependencies
        credentials = CallerAuthenticator(settings: dependencies.settings)
        limiter = Mutex(RateLimiter(limits: dependencies.settings.limits))
        developmentHosts =
            dependencies.settings.isDev ? DevelopmentHosts(publicURL: dependencies.settings.publicURL) : nil
    }

    /// Whether the listeners will close soon.
    var isDraining: Bool { draining.withLock(\.self) }

    /// `/readyz` says from now on that the gateway stops.
    package func beginDraining() { draining.withLock { $0 = true } }

    /// Records the bound address of a listener of this process.
    package func record(boundAddress: HostPort) {
        _ = boundAddresses.withLock { $0.insert(boundAddress) }
    }

    /// The origins of the listeners: the configured ones and the bound ones.
    var listenerOrigins: [String] {
        let bound = boundAddresses.withLock { $0 }
        return bound.union(dependencies.settings.listeners.map(\.address)).map { "http://\($0)" }
    }

    /// Invalidates the cached values that an event makes stale.
    package func handle(_ event: BusEvent) {
        switch event {
        case .configurationChanged(let realm):
            credentials.invalidate(realm.project)
            brandings.invalidate(realm.project)
        case .sessionsRevoked, .signingKeysChanged, .messagesQueued: break  // The gateway caches nothing of these.
        }
    }

    /// Records the report of a process, which `/metrics` and `/readyz` show.
    package func record(_ report: ProcessReport) {
        metricsAggregator.record(report, at: dependencies.now())
    }

    /// The state of the mesh from the last reports of its processes.
    var meshStatus: MeshStatus {
        metricsAggregator.status(at: dependencies.now(), wallTime: dependencies.wallTime())
    }

    /// Every request gets a response: this does not throw.
    package func respond(to request: HTTPRequest, on listener: Listener) async -> HTTPResponse {
        let began = dependencies.now()
        let parent = trace(of: request)
        let span = dependencies.spans?.begin(.server, parent: parent)
        var completed = CompletedRequest(
            request.method, route: "unmatched", trace: span?.context ?? parent?.child() ?? .random())
        var route: Route?
        var response = await ActiveSpan.$current.withValue(span) {
            await respond(request, on: listener, route: &route, completed: &completed)
        }
        addCommonHeaders(&response, to: request.headers, route: route, trace: completed.trace)
        if let route { (completed.route, completed.kind) = (route.name, route.rateClass) }
        let duration = dependencies.now() - began
        complete(completed, response, took: duration)
        if let route, route.isForUsersAndBackends { count(completed, response, took: duration) }
        span?.end(completed, response)
        return response
    }

    /// Responds to a request that the HTTP server rejected before it was complete.
    package func respond(to rejected: RejectedRequest, on listener: Listener) -> HTTPResponse {
        // The route determines the error format and whether a browser may read the response.
        var route: Route?
        if let method = rejected.method, let path = rejected.path,
            case .route(let known, _) = router.match(method, path: path, host: rejected.headers["host"]),
            serves(known, on: listener)
        {
            route = known
        }
        var response = HTTPResponse(APIError(rejected.reason), on: route?.surface ?? .v1)
        let completed = CompletedRequest(rejected.method, route: "refused", trace: .random())
        addCommonHeaders(&response, to: rejected.headers, route: route, trace: completed.trace)
        complete(completed, response, took: .zero)
        return response
    }

    private func complete(_ request: CompletedRequest, _ response: HTTPResponse, took duration: Duration) {
        var request = request
        request.status = response.status
        request.duration = duration
        request.limit = response.limit
        dependencies.metrics.count(request)
        dependencies.reportCompleted(request)
    }

    private func count(_ request: CompletedRequest, _ response: HTTPResponse, took duration: Duration) {
        let project = request.project.map { ProjectID($0) }
        let outcome: ActivityCounter.RequestOutcome =
            switch response.status {
            case ..<400: .succeeded
            case ..<500: .refused
            default: .failed
            }
        dependencies.activity.count(.request(outcome), in: project)
        dependencies.activity.count(.requestDuration(.init(duration)), in: project)
    }

    // MARK: The steps

    private func respond(
        _ request: HTTPRequest, on listener: Listener, route found: inout Route?, completed: inout CompletedRequest
    ) async -> HTTPResponse {
        let trace = completed.trace
        if developmentHosts?.contains(request.headers["host"]) == false { return .init(.foreignHost, on: .v1) }
        if request.method == .options { return preflight(request, on: listener, route: &found) }
        let route: Route
        let values: PathValues
        switch router.match(request.method, path: request.path, host: request.headers["host"]) {
        case .route(let known, let held) where serves(known, on: listener): (route, values) = (known, held)
        case .otherMethods(let routes):
            let offered = routes.filter { serves($0, on: listener) }
            guard let first = offered.first else { return .init(.pathNotFound, on: .v1) }
            return .init(.methodNotAllowed(allowed: offered.map(\.method.name).sorted()), on: first.surface)
        case .route, .unknown: return .init(.pathNotFound, on: .v1)
        }
        found = route
        do {
            try Self.checkOrigin(request)
            try Self.checkTarget(request)
            let address = ClientAddress.find(for: request, trusting: dependencies.settings.trustedProxies)
            completed.network = address.network
            try admit(address, to: route)
            return try await sheddingOverload(of: route) {
                let caller = try await credentials.authenticate(
                    request, for: route, on: listener, dependencies: dependencies, trace: trace)
                let call = Call(
                    request: request, values: values, caller: caller, trace: trace, address: address, gateway: self)
                completed.project = call.provenProject?.rawValue
                return try await route.handler(call)
            }
        } catch {
            return .init(apiError(for: error, route: route, trace: trace), on: route.surface)
        }
    }

    /// No path and no query holds U+0000: no database stores it on every engine.
    private static func checkTarget(_ request: HTTPRequest) throws(APIError) {
        for text in [request.path, request.rawQuery ?? ""] where text.contains("%00") {
            throw .invalidArgument("The path or the query holds U+0000.")
        }
    }

    private func apiError(for error: any Error, route: Route, trace: TraceContext) -> APIError {
        switch error {
        case let refusal as APIError:
            return refusal
        case let error as DocumentError:
            return .invalidArgument(error.message, error.violations)
        case let error as ServiceError:
            return APIError(error, surface: route.surface, access: route.access, requestID: trace.traceID)
        default:
            dependencies.report(error, trace)
            return .internal(requestID: trace.traceID)
        }
    }

    /// In production only the admin listener serves administration and metrics. Only dev mode serves the dev tools.
    func serves(_ route: Route, on listener: Listener) -> Bool {
        switch route.access {
        case .unauthenticated, .client: true
        case .administrator, .operations, .console: dependencies.settings.isDev || listener == .admin
        case .developer: dependencies.settings.isDev
        }
    }

    private func admit(_ address: IPAddress, to route: Route) throws(APIError) {
        if dependencies.settings.isDev && address.isLoopback { return }
        let decision = limiter.withLock { $0.admit(address, as: route.rateClass, at: dependencies.now()) }
        switch decision {
        case .admitted: return
        case .refused(let limit, let seconds):
            throw .tooManyAttempts(
                retryAfterSeconds: seconds, limit: limit, isClientCall: route.access == .client)
        }
    }

    /// Runs `body`. Refuses the request before that if it needs a password hash, and the service that hashes is
    /// overloaded.
    private func sheddingOverload(
        of route: Route, _ body: () async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        guard route.hashesPassword else { return try await body() }
        switch passwordHashes.withLock({ $0.begin(at: dependencies.now()) }) {
        case .admitted: break
        case .refused(let seconds): throw APIError.unavailable(retryAfterSeconds: seconds)
        }
        var isOverloaded = false
        defer { passwordHashes.withLock { $0.end(isOverloaded: isOverloaded, at: dependencies.now()) } }
        do {
            return try await body()
        } catch {
            isOverloaded = (error as? ServiceError)?.code == .overloaded
            throw error
        }
    }

    /// The trace context of a trusted proxy if it is the only one and well-formed, otherwise nil for a new one: a client
    /// could give its requests the trace of other requests in the logs.
    private func trace(of request: HTTPRequest) -> TraceContext? {
        guard dependencies.settings.trustedProxies.contains(where: { $0.contains(request.remoteAddress) }) else {
            return nil
        }
        // Two are not the proxy's alone. A list may be several fields of `tracestate` (Trace Context §3.2.4, §3.3.1).
        let parents = request.headers.values("traceparent")
        guard parents.count == 1, let parent = parents.first else { return nil }
        let states = request.headers.values("tracestate")
        return TraceContext(traceparent: parent, state: states.isEmpty ? nil : states.joined(separator: ","))
    }
}
