internal import Contracts
internal import FoundationEssentials
internal import HTTPServer

/// Probes, metrics, and the page that test tools take for "ready".
enum Status {
    /// An answer that comes later says that the mesh is not ready.
    private static let patience = Duration.seconds(1)

    static let routes: [Route] = [
        Route(.get, .local("/"), .v1, .open) { call in
            .json(Root(authEmulator: .init(ready: await missing(call).isEmpty)))
        },
        Route(.get, .local("/livez"), .v1, .open, rate: .exempt) { _ in .json(Liveness()) },
        Route(.get, .local("/readyz"), .v1, .open) { call in
            let missing = await missing(call)
            let troubles = call.gateway.board.troubles(at: call.gateway.dependencies.now())
            return .json(
                Readiness(ready: missing.isEmpty, missing: missing.nonEmpty, details: troubles.nonEmpty),
                status: missing.isEmpty ? 200 : 503)
        },
        Route(.get, .local("/metrics"), .v1, .operations, rate: .exempt) { call in
            let text = call.gateway.board.text(at: call.gateway.dependencies.now())
            return HTTPResponse(
                status: 200, headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8")],
                body: Data(text.utf8))
        },
    ]

    /// The services that nothing works without and that do not answer now, or only from memory: their store is away.
    private static func missing(_ call: Call) async -> [ServiceName] {
        let withoutStore = call.gateway.board.servicesWithoutStore(at: call.gateway.dependencies.now())
        guard !withoutStore.contains(.identity) else { return [.identity] }
        do {
            _ = try await call.ask(Identity.ReadSigningKeys(purpose: .idToken), within: patience)
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
        var details: [MetricsBoard.Trouble]?
    }
}
