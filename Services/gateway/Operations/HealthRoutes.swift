import Contracts
import FoundationEssentials
import HTTPServer
import ServiceRuntime
import Vocabulary

/// Probes, metrics, and the page that test tools use as readiness check.
enum HealthRoutes {
    /// A later reply counts as not ready.
    private static let readinessTimeout = Duration.seconds(1)

    /// The names of the routes that machines read every few seconds.
    static let probes: Set<String> = ["GET /livez", "GET /readyz", "GET /metrics"]

    static let routes: [Route] = [
        Route(.get, .local("/"), .v1, .unauthenticated) { call in
            let isReady = await missing(call).isEmpty
            guard call.settings.isDev else { return .json(Root(ready: isReady)) }
            if call.request.wantsPage {
                return DevStartPage.response(of: call.settings.project, isReady: isReady)
            }
            return .json(DevelopmentRoot(authEmulator: .init(ready: isReady)))
        },
        Route(.get, .local("/livez"), .v1, .unauthenticated, rate: .exempt) { _ in .json(Liveness()) },
        Route(.get, .local("/readyz"), .v1, .unauthenticated) { call in
            let missing = await missing(call)
            let outages = call.gateway.meshStatus.outages.map(ComponentOutage.init)
            return .json(
                Readiness(
                    ready: missing.isEmpty, missing: missing.nilIfEmpty,
                    draining: call.gateway.isDraining ? true : nil, details: outages.nilIfEmpty),
                status: missing.isEmpty ? 200 : 503)
        },
        Route(.get, .local("/metrics"), .v1, .operations, rate: .exempt) { call in
            let text = call.gateway.metricsAggregator.text(at: call.gateway.dependencies.now())
            return HTTPResponse(
                status: 200, headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8")],
                body: Data(text.utf8))
        },
    ]

    /// Required services that do not reply, or that reply only from memory because their store is unavailable. A gateway that
    /// stops is one.
    static func missing(_ call: Call) async -> [ServiceName] {
        guard !call.gateway.isDraining else { return [.gateway] }
        let withoutStore = call.gateway.metricsAggregator.servicesWithoutStore(at: call.gateway.dependencies.now())
        guard !withoutStore.contains(.identity) else { return [.identity] }
        do {
            _ = try await call.send(Identity.ListSigningKeys(purpose: .idToken), timeout: readinessTimeout)
            return []
        } catch {
            return [.identity]
        }
    }

    private struct Root: Encodable { var ready: Bool }

    /// The answer of the Firebase emulator, which test tools wait for.
    private struct DevelopmentRoot: Encodable {
        struct Emulator: Encodable {
            var ready: Bool
            var docs = "https://firebase.google.com/docs/emulator-suite"
            var apiSpec = "/emulator/openapi.json"
        }
        var authEmulator: Emulator
    }

    private struct ComponentOutage: Encodable {
        var process: String
        var part: String
        var problem: String
        /// The duration of the outage.
        var seconds: Int

        init(_ outage: MeshStatus.Outage) {
            (process, part) = (outage.instance, outage.component)
            (problem, seconds) = (outage.reason, outage.seconds)
        }
    }

    private struct Liveness: Encodable { var live = true }

    private struct Readiness: Encodable {
        var ready: Bool
        var missing: [ServiceName]?
        /// The gateway stops, and its listeners close soon.
        var draining: Bool?
        /// Component outages while the mesh is ready, for example an unreachable mail server.
        var details: [ComponentOutage]?
    }
}
