import Contracts
import HTTPServer
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import GatewayService

@Suite struct CompletedRequestTests {
    private final class WrittenLines: Sendable {
        private let lines = Mutex<[String]>([])
        var first: String? { lines.withLock(\.first) }
        func append(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private func line(
        _ request: CompletedRequest, isDev: Bool, level: Log.Level, logsProbes: Bool = true
    ) -> String? {
        let lines = WrittenLines()
        let log = Log(
            instance: "gateway.1", settings: LogSettings(level: level),
            write: lines.append)
        log.report(request, isDev: isDev, logsProbes: logsProbes)
        return lines.first
    }

    @Test func everyRequestIsReportedOnceWithoutCallerValues() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.LookUpOwnAccount.self) { _ in throw ServiceError(.unavailable) }
        harness.mesh.reply(to: Identity.ReadTenant.self) { _ in throw ServiceError(.unavailable) }
        _ = try await harness.client("v1/accounts:lookup", #"{"idToken":"secret-token"}"#)
        _ = try await harness.admin(.get, "/tenants/secret-tenant", version: "v2")
        _ = try await harness.send(.get, "/no/such/secret-path")
        _ = try await harness.send(.other("SECRET"), "/livez")
        _ = try await harness.send(.get, "/livez", from: "2001:db8:1:2:3:4:5:6")
        let requests = harness.completed.all.withLock(\.self)
        #expect(requests.map(\.status).count == 5)
        #expect(
            requests.map(\.route) == [
                "POST /v1/accounts:lookup", "GET /v2/projects/{project}/tenants/{tenant}", "unmatched", "unmatched",
                "GET /livez",
            ])
        #expect(requests.map(\.method) == ["POST", "GET", "GET", "other", "GET"])
        #expect(requests.map(\.project) == ["demo-latchkey", "demo-latchkey", nil, nil, nil])
        #expect(requests.last?.network?.description == "2001:db8:1:2::")
        for request in requests {
            let line = try #require(self.line(request, isDev: false, level: .info))
            #expect(!line.lowercased().contains("secret"))
            #expect(line.contains(" request.completed ") && line.contains("status=\(request.status)"))
        }
    }

    @Test(arguments: [
        ("/livez", 200, false), ("/readyz", 200, false), ("/metrics", 200, false), ("/readyz", 503, true),
        ("/metrics", 403, true), ("/v1/projects", 200, true),
    ])
    func successfulProbesCanBeLeftOutOfTheLog(path: String, status: Int, isLogged: Bool) {
        var request = CompletedRequest(.get, route: "GET \(path)", trace: .random())
        request.status = status
        #expect((line(request, isDev: false, level: .info, logsProbes: false) != nil) == isLogged)
        #expect(line(request, isDev: false, level: .info) != nil)
    }

    @Test(arguments: HealthRoutes.probes.sorted())
    func probesAreRoutes(name: String) async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ListSigningKeys.self) { _ in throw ServiceError(.unavailable) }
        _ = try await harness.send(.get, String(name.dropFirst("GET ".count)))
        #expect(harness.completed.all.withLock(\.self).map(\.route) == [name])
    }

    /// At info level, a developer sees the events of the mesh only.
    @Test func devModeLogsRequestsAtDebugLevel() {
        let request = CompletedRequest(.get, route: "GET /livez", trace: .random())
        #expect(line(request, isDev: true, level: .info) == nil)
        #expect(line(request, isDev: true, level: .debug) != nil)
        #expect(line(request, isDev: false, level: .warn) == nil)
    }
}
