import Bus
import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// A gateway without sockets.
struct GatewayHarness {
    let mesh = ScriptedMesh(as: .gateway) { Issue.record("\($0)") }
    let clock = ManualClock()
    let gateway: Gateway
    let reported = ReportedErrors()
    let refusedPages = RefusedPages()
    let completed = CompletedRequests()
    let metrics = Metrics()
    let activity = ActivityCounts()

    final class ReportedErrors: Sendable {
        let all = Mutex<[any Error]>([])
    }

    final class RefusedPages: Sendable {
        let all = Mutex<[UnknownAppError]>([])
    }

    final class CompletedRequests: Sendable {
        let all = Mutex<[CompletedRequest]>([])
    }

    init(_ settings: [String: String] = ["LATCHKEY_DEV": "1"]) throws {
        gateway = try Gateway(
            GatewayDependencies(
                settings: .testing(settings), bus: mesh, now: { [clock] in clock.instant },
                wallTime: { [clock] in clock.now },
                report: { [reported] error, _ in reported.all.withLock { $0.append(error) } },
                reportRefusedPage: { [refusedPages] error, _ in refusedPages.all.withLock { $0.append(error) } },
                reportCompleted: { [completed] request in completed.all.withLock { $0.append(request) } },
                metrics: RequestMetrics(metrics), activity: activity))
        // Pages show the branding of their realm. Here there is none, unless a test says otherwise.
        mesh.reply(to: Identity.ResolveAPIKey.self) { _ in throw ServiceError(.unknownAPIKey) }
        mesh.reply(to: Identity.ResolveConfiguration.self) { _ in
            .init(configuration: .init(), projectNumber: "1", isDisabled: false)
        }
    }

    static func production(_ settings: [String: String] = [:]) throws -> GatewayHarness {
        try .init(
            ["LATCHKEY_LISTEN": "127.0.0.1:9099", "LATCHKEY_PUBLIC_URL": "https://auth.example.com"]
                .merging(settings) { $1 })
    }

    func send(
        _ method: HTTPMethod, _ path: String, query: String? = nil, headers: [String: String] = [:],
        body: String? = nil, on listener: Listener = .public, from address: String = "127.0.0.1"
    ) async throws -> TestResponse {
        var fields = HTTPHeaders()
        for (name, value) in headers { fields.append(name, value) }
        if body != nil, fields["content-type"] == nil { fields.append("Content-Type", "application/json") }
        let request = HTTPRequest(
            method, path, query: query, headers: fields, body: Data((body ?? "").utf8),
            from: try #require(IPAddress(address)))
        var response = await ScriptedMesh.$currentCaller.withValue(Self.caller(of: request, in: gateway)) {
            await gateway.respond(to: request, on: listener)
        }
        // As a client that takes all of it.
        if let stream = response.stream {
            while let part = try await stream.next() { response.body += part }
        }
        return TestResponse(response)
    }

    /// The gateway that must be able to serve the request: one without the admin listener serves all that needs no
    /// administrator.
    private static func caller(of request: HTTPRequest, in gateway: Gateway) -> BusCaller {
        guard
            case .route(let route, _) = gateway.router.match(
                request.method, path: request.path, host: request.headers["host"])
        else { return .publicGateway }
        switch route.access {
        case .unauthenticated: return .publicGateway
        case .client: return request.headers["authorization"] == nil ? .publicGateway : .gateway
        case .administrator, .developer, .operations, .console: return .gateway
        }
    }

    /// A request of an application with its API key.
    func client(_ operation: String, _ body: String = "{}", headers: [String: String] = [:]) async throws
        -> TestResponse
    {
        try await send(
            .post, "/identitytoolkit.googleapis.com/\(operation)", query: "key=fake-api-key", headers: headers,
            body: body)
    }

    /// A request of an administrator below `projects/demo-latchkey`.
    func admin(
        _ method: HTTPMethod, _ path: String, _ body: String? = nil, version: String = "v1", query: String? = nil
    ) async throws -> TestResponse {
        try await send(
            method, "/identitytoolkit.googleapis.com/\(version)/projects/demo-latchkey\(path)", query: query,
            headers: ["Authorization": "Bearer owner"], body: body)
    }
}

extension GatewaySettings {
    static func testing(_ settings: [String: String]) throws -> GatewaySettings {
        try GatewaySettings(Environment(["LATCHKEY_BROKERS": "ipc:///tmp/none.sock"].merging(settings) { $1 }))
    }
}

/// A parsed response.
struct TestResponse {
    let http: HTTPResponse
    let json: JSONValue

    init(_ response: HTTPResponse) {
        self.http = response
        // `try?`: metrics and empty answers are not JSON.
        json = (try? WireJSON.decode(JSONValue.self, from: http.body)) ?? .null
    }

    var status: Int { http.status }
    var text: String { String(decoding: http.body, as: UTF8.self) }
    var error: JSONValue? { json["error"] }
    var message: String? {
        guard case .string(let text)? = error?["message"] else { return nil }
        return text
    }

    func header(_ name: String) -> String? {
        http.headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// JSON text as a value, for comparison without regard to order.
func json(_ text: String) throws -> JSONValue {
    try WireJSON.decode(JSONValue.self, from: Data(text.utf8))
}

extension Account {
    /// A password account as identity returns it.
    static func example(
        _ id: String = "alice", tenant: String? = nil, change: (inout Account) -> Void = { _ in }
    ) -> Account {
        var account = Account(
            id: AccountID(id), realm: Realm(project: ProjectID("demo-latchkey"), tenant: tenant.map(TenantID.init)),
            email: EmailAddress("alice@example.com"), displayName: "Alice", hasPassword: true,
            passwordChangedAt: Moment(milliseconds: 1_700_000_000_123), validSince: Timestamp(seconds: 1_700_000_000),
            createdAt: Moment(milliseconds: 1_700_000_000_123), lastSignInAt: Moment(milliseconds: 1_700_000_001_456))
        change(&account)
        return account
    }
}

extension TokenSet {
    static let example = TokenSet(
        idToken: Secret("header.payload.signature"), refreshToken: Secret("opaque"), expiresInSeconds: 3600)
}
