import Contracts
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

private let signUp = "/identitytoolkit.googleapis.com/v1/accounts:signUp"
private let adminLookup = "/identitytoolkit.googleapis.com/v1/projects/p/accounts:lookup"
private let origin = "https://app.example"

/// REST 1.4; security rule HT5.
@Suite struct CrossOriginTests {
    @Test(arguments: [
        signUp, "/identitytoolkit.googleapis.com/v2/accounts/mfaSignIn:start", "/securetoken.googleapis.com/v1/token",
        "/www.googleapis.com/identitytoolkit/v3/relyingparty/verifyPassword", "/v1/accounts:lookup",
    ])
    func preflightAllowsApplicationOperations(path: String) async throws {
        let response = try await GatewayHarness().send(
            .options, path,
            headers: [
                "Origin": origin, "Access-Control-Request-Method": "POST",
                "Access-Control-Request-Headers": "content-type,x-client-version,x-firebase-gmpid",
                "Access-Control-Request-Private-Network": "true",
            ])
        #expect(response.status == 204)
        #expect(response.header("access-control-allow-origin") == origin)
        #expect(response.header("access-control-allow-methods") == "GET, POST, OPTIONS")
        #expect(response.header("access-control-allow-headers") == "content-type,x-client-version,x-firebase-gmpid")
        #expect(response.header("access-control-allow-private-network") == "true")
        #expect(response.header("access-control-allow-credentials") == nil)
        #expect(response.header("vary") == "Origin")
    }

    @Test func privateNetworkIsAllowedOnlyOnRequest() async throws {
        let response = try await GatewayHarness().send(.options, signUp, headers: ["Origin": origin])
        #expect(response.header("access-control-allow-private-network") == nil)
        #expect(response.header("access-control-allow-headers") == nil)
    }

    @Test(arguments: ["a\u{7f}b", "a:b", "a\"b", "über", String(repeating: "x", count: 2049)])
    func invalidRequestedHeadersAreNotReflected(wished: String) async throws {
        let response = try await GatewayHarness().send(
            .options, signUp, headers: ["Origin": origin, "Access-Control-Request-Headers": wished])
        #expect(response.status == 204)
        #expect(response.header("access-control-allow-headers") == nil)
    }

    @Test(arguments: [adminLookup, "/v2/projects/p/config", "/emulator/v1/projects/p/accounts", "/metrics"])
    func administrationIsNotAllowedCrossOrigin(path: String) async throws {
        let harness = try GatewayHarness()
        let preflight = try await harness.send(
            .options, path, headers: ["Origin": origin, "Access-Control-Request-Method": "POST"])
        #expect(preflight.status == 405)
        let response = try await harness.send(.post, path, headers: ["Origin": origin], body: "{}")
        for response in [preflight, response] {
            #expect(response.header("access-control-allow-origin") == nil)
        }
    }

    @Test(arguments: [
        (HTTPMethod.post, signUp), (.get, "/livez"),
        (.get, "/www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"),
    ])
    func responsesAndRefusalsCarryOriginHeaders(method: HTTPMethod, path: String) async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ListSigningKeys.self) { _ in throw ServiceError(.unavailable) }
        let response = try await harness.send(method, path, headers: ["Origin": origin])
        #expect(response.header("access-control-allow-origin") == origin)
        #expect(response.header("vary") == "Origin")
        let plain = try await harness.send(method, path)
        #expect(plain.header("access-control-allow-origin") == nil)
        #expect(plain.header("vary") == "Origin")
    }

    /// Operations that test tools call from a page under test.
    @Test(
        arguments: [
            ("http://localhost:5173", true), ("http://127.0.0.1:3000", true), ("https://[::1]:1", true),
            ("http://localhost.example", false), ("https://app.example", false), ("null", false),
            ("http://127.0.0.1.evil.example", false), ("localhost", false),
        ])
    func emulatorOperationsAllowLoopbackOrigins(origin: String, isAllowed: Bool) async throws {
        let path = "/emulator/v1/projects/p/config"
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ReadConfiguration.self) { _ in throw ServiceError(.unavailable) }
        let preflight = try await harness.send(
            .options, path, headers: ["Origin": origin, "Access-Control-Request-Method": "PATCH"])
        #expect(preflight.status == (isAllowed ? 204 : 405))
        #expect(preflight.header("access-control-allow-methods") == (isAllowed ? "GET, PATCH, OPTIONS" : nil))
        let response = try await harness.send(.get, path, headers: ["Origin": origin])
        for response in [preflight, response] {
            #expect(response.header("access-control-allow-origin") == (isAllowed ? origin : nil))
        }
        #expect(response.header("vary") == "Origin")
        let production = try await GatewayHarness.production().send(.options, path, headers: ["Origin": origin])
        #expect((production.status, production.header("access-control-allow-origin")) == (404, nil))
    }

    @Test(arguments: [HTTPMethod.get, .options])
    func originTooLongToReflectIsRefusedInTheEnvelope(method: HTTPMethod) async throws {
        let path = "/identitytoolkit.googleapis.com/v1/projects"
        let harness = try GatewayHarness()
        for (size, status) in [(2048, 403), (2049, 431), (8 << 10, 431)] {
            let origin = "http://" + String(repeating: "a", count: size - 7)
            let response = try await harness.send(method, path, headers: ["Origin": origin])
            let isRefused = size > 2048
            #expect(response.status == (isRefused || method == .get ? status : 204))
            #expect(response.header("access-control-allow-origin") == (isRefused ? nil : origin))
            if isRefused { #expect(response.error?["code"] == .integer(431)) }
        }
    }

    @Test func plainOptionsReturnsAllowedMethods() async throws {
        let response = try await GatewayHarness().send(.options, signUp)
        #expect((response.status, response.header("allow")) == (204, "GET, POST, OPTIONS"))
    }

    @Test func unknownPathHasNoPreflight() async throws {
        #expect(try await GatewayHarness().send(.options, "/nowhere", headers: ["Origin": origin]).status == 404)
    }
}

/// Security rules HT9 and HT12; Shared/Bus/README.md for the trace.
@Suite struct ResponseHeadersTests {
    private static let requests: [(HTTPMethod, String)] = [
        (.get, "/livez"), (.post, signUp), (.get, "/nowhere"), (.get, signUp), (.other("TRACE"), "/livez"),
        (.options, signUp), (.post, adminLookup),
    ]

    @Test(arguments: requests)
    func everyResponseHasSecurityHeaders(method: HTTPMethod, path: String) async throws {
        let response = try await GatewayHarness().send(method, path)
        #expect(response.header("x-content-type-options") == "nosniff")
        #expect(response.header("referrer-policy") == "no-referrer")
        #expect(response.header("cache-control") == "no-store")
        #expect(response.header("content-security-policy") == "default-src 'none'; frame-ancestors 'none'")
        #expect(response.header("strict-transport-security") == nil)
        #expect(response.header("server") == nil)
        let inProduction = try await GatewayHarness.production().send(method, path)
        #expect(inProduction.header("strict-transport-security") == "max-age=31536000")
    }

    @Test(arguments: requests)
    func everyResponseHasTraceID(method: HTTPMethod, path: String) async throws {
        let harness = try GatewayHarness()
        let first = try #require(try await harness.send(method, path).header("x-request-id"))
        #expect(first.utf8.count == 32)
        #expect(try await harness.send(method, path).header("x-request-id") != first)
    }

    private static let id = String(repeating: "4b", count: 16)

    /// Only a trusted proxy continues a trace. A client could mix its requests into the trace of others.
    @Test(arguments: requests)
    func traceOfCallerIsContinuedForTrustedProxyOnly(method: HTTPMethod, path: String) async throws {
        let harness = try GatewayHarness.production(["LATCHKEY_TRUSTED_PROXIES": "10.0.0.0/8"])
        let id = Self.id
        let headers = ["traceparent": "00-\(id)-00f067aa0ba902b7-01"]
        let proxied = try await harness.send(method, path, headers: headers, from: "10.0.0.1")
        #expect(proxied.header("x-request-id") == id)
        for stranger in ["192.0.2.1", "127.0.0.1", "2001:db8::1"] {
            let forged = try await harness.send(
                method, path, headers: headers.merging(["X-Forwarded-For": "10.0.0.1"]) { $1 }, from: stranger)
            #expect(forged.header("x-request-id") != id)
            #expect(forged.header("x-request-id")?.utf8.count == 32)
        }
    }

    /// Also a trusted proxy may pass on what a client sent beside its own header.
    @Test(arguments: [
        ["traceparent": "00-zz-1-01"], ["traceparent": ""], ["traceparent": "00-\(id)-00f067aa0ba902b7"],
        ["traceparent": "ff-\(id)-00f067aa0ba902b7-01"], ["traceparent": "01-\(id)-00f067aa0ba902b7-01"],
        ["traceparent": "00-\(id.uppercased())-00f067aa0ba902b7-01"],
        ["traceparent": "00-\(String(repeating: "0", count: 32))-00f067aa0ba902b7-01"],
        ["traceparent": "00-\(id)-0000000000000000-01"], ["traceparent": "00-\(id)-00f067aa0ba902b7-01-x"],
        ["traceparent": "00-\(id)-00f067aa0ba902b7-01, 00-\(id)-00f067aa0ba902b7-01"],
        // Two fields: the names of fields have no case.
        ["traceparent": "00-\(id)-00f067aa0ba902b7-01", "Traceparent": "00-\(id)-00f067aa0ba902b7-01"],
        ["traceparent": "00-\(id)-00f067aa0ba902b7-01", "TRACEPARENT": "x"],
    ])
    func unclearTraceBeginsANewOne(headers: [String: String]) async throws {
        let harness = try GatewayHarness.production(["LATCHKEY_TRUSTED_PROXIES": "10.0.0.0/8"])
        let response = try await harness.send(.get, "/livez", headers: headers, from: "10.0.0.1")
        let trace = try #require(response.header("x-request-id"))
        #expect(trace.utf8.count == 32 && trace != Self.id && trace != String(repeating: "0", count: 32))
    }

    @Test func traceIsForwardedToServices() async throws {
        let harness = try GatewayHarness(["LATCHKEY_DEV": "1", "LATCHKEY_TRUSTED_PROXIES": "127.0.0.1"])
        harness.mesh.reply(to: Identity.LookUpOwnAccount.self) { _ in throw ServiceError(.invalidIDToken) }
        let id = String(repeating: "4b", count: 16)
        _ = try await harness.client(
            "v1/accounts:lookup", headers: ["traceparent": "00-\(id)-00f067aa0ba902b7-01"])
        let trace = try #require(harness.mesh.traces.first)
        #expect(trace.traceID == id)
        #expect(trace.spanID != "00f067aa0ba902b7")
    }

    /// For any internal failure, the response is an envelope with a request ID and no details.
    @Test func internalErrorRevealsNoDetails() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.LookUpOwnAccount.self) { _ in
            throw ServiceError(.internal, "no such table: accounts")
        }
        let response = try await harness.client("v1/accounts:lookup", #"{"idToken":"t"}"#)
        #expect(response.status == 500)
        #expect(response.error?["status"] == .string("INTERNAL"))
        #expect(!response.text.contains("table"))
        #expect(response.text.contains(try #require(response.header("x-request-id"))))
    }

    @Test(arguments: [
        (RejectedRequest.Reason.headTooLarge, 431), (.uriTooLong, 414), (.bodyTooLarge, 413), (.headTimeout, 408),
        (.bodyTimeout, 408), (.overloaded, 503), (.invalidFraming, 400), (.invalidResponse, 500),
    ])
    func requestRejectedByServerGetsEnvelope(reason: RejectedRequest.Reason, status: Int) throws {
        let response = TestResponse(.init(APIError(reason), on: .v1))
        #expect(response.status == status)
        #expect(response.error?["code"] == .integer(Int64(status)))
        #expect((response.header("retry-after") != nil) == (status == 503))
    }
}
