internal import Contracts
internal import FoundationEssentials
internal import HTTPServer
internal import Vocabulary

/// Probes, metrics, and the page that test tools take for "ready".
enum HealthRoutes {
    /// An answer that comes later says that the mesh is not ready.
    private static let readinessTimeout = Duration.seconds(1)

    static let routes: [Route] = [
        Route(.get, .local("/"), .v1, .unauthenticated) { call in
            .json(Root(authEmulator: .init(ready: await missing(call).isEmpty)))
        },
        Route(.get, .local("/livez"), .v1, .unauthenticated, rate: .exempt) { _ in .json(Liveness()) },
        Route(.get, .local("/readyz"), .v1, .unauthenticated) { call in
            let missing = await missing(call)
            let outages = call.gateway.metricsAggregator.outages(at: call.gateway.dependencies.now())
            return .json(
                Readiness(ready: missing.isEmpty, missing: missing.nilIfEmpty, details: outages.nilIfEmpty),
                status: missing.isEmpty ? 200 : 503)
        },
        Route(.get, .local("/metrics"), .v1, .operations, rate: .exempt) { call in
            let text = call.gateway.metricsAggregator.text(at: call.gateway.dependencies.now())
            return HTTPResponse(
                status: 200, headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8")],
                body: Data(text.utf8))
        },
    ]

    /// The services that nothing works without and that do not answer now, or only from memory: their store is away.
    private static func missing(_ call: Call) async -> [ServiceName] {
        let withoutStore = call.gateway.metricsAggregator.servicesWithoutStore(at: call.gateway.dependencies.now())
        guard !withoutStore.contains(.identity) else { return [.identity] }
        do {
            _ = try await call.send(Identity.ListSigningKeys(purpose: .idToken), timeout: readinessTimeout)
            return []
        } catch {
            return [.identity]
        }
    }

    private struct Root: Encodable {
        struct Emulator: Encodable {
            var ready: Bool
            var docs = "https://firebase.google.com/docs/emulator-suite"
            var apiSpec = "/emulator/openapi.json"
        }
        var authEmulator: Emulator
    }

    private struct Liveness: Encodable { var live = true }

    private struct Readiness: Encodable {
        var ready: Bool
        var missing: [ServiceName]?
        /// What does not work though the mesh is ready: a mail server that takes nothing.
        var details: [MetricsAggregator.ComponentOutage]?
    }
}
