import Contracts
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// One route of each access.
private let probes: [(access: Access, method: HTTPMethod, path: String)] = [
    (.unauthenticated, .get, "/livez"),
    (.client, .post, "/v1/accounts:issueSamlResponse"),
    (.administrator, .get, "/v2/defaultSupportedIdps"),
    (.developer, .get, "/emulator/openapi.json"),
    (.operations, .get, "/metrics"),
]

/// Result of a request with these credentials. `through`: the route itself responds, with 200 or the error of an
/// unimplemented feature.
enum Outcome: Equatable { case through, absent, noKey, badKey, noBearer, badBearer }

/// REST 1.3; security rules HT13 and AD5.
@Suite struct CallerAuthenticatorTests {
    private func outcome(
        _ harness: GatewayHarness, _ access: Access, on listener: Listener, query: String? = nil,
        headers: [String: String] = [:]
    ) async throws -> Outcome {
        let probe = try #require(probes.first { $0.access == access })
        let response = try await harness.send(probe.method, probe.path, query: query, headers: headers, on: listener)
        switch (response.status, response.error?["status"]) {
        case (200, _): return .through
        case (400, _) where response.text.contains("OPERATION_NOT_ALLOWED : Not available"): return .through
        case (404, _): return .absent
        case (403, .string("PERMISSION_DENIED")): return .noKey
        case (400, .string("INVALID_ARGUMENT")): return .badKey
        case (401, .string("UNAUTHENTICATED")):
            guard case .array(let errors)? = response.error?["errors"] else { break }
            return errors[0]["reason"] == .string("required") ? .noBearer : .badBearer
        default: break
        }
        Issue.record("unexpected: \(response.status) \(response.text)")
        return .absent
    }

    @Test(
        arguments: [
            (Access.unauthenticated, nil, [:], Outcome.through),
            (.unauthenticated, "key=any", ["Authorization": "Bearer owner"], .through),
            (.client, nil, [:], .noKey), (.client, "key=", [:], .noKey), (.client, "key=anything", [:], .through),
            (.client, nil, ["x-goog-api-key": "anything"], .through),
            (.client, nil, ["Authorization": "Bearer owner"], .through),
            (.client, "key=anything", ["Authorization": "Bearer intruder"], .badBearer),
            (.client, nil, ["Authorization": "Basic b3duZXI="], .noKey),
            (.administrator, nil, [:], .noBearer), (.administrator, "key=anything", [:], .noBearer),
            (.administrator, nil, ["Authorization": "Bearer owner"], .through),
            (.administrator, nil, ["Authorization": "bearer  OWNER"], .through),
            (.administrator, nil, ["Authorization": "Bearer ya29.token"], .through),
            (.administrator, nil, ["Authorization": "Bearer intruder"], .badBearer),
            (.administrator, nil, ["Authorization": "Bearer "], .noBearer),
            (.administrator, nil, ["Authorization": "Bearer owners"], .badBearer),
            (.administrator, nil, ["Authorization": "Basic b3duZXI="], .noBearer),
            (.developer, nil, [:], .through), (.developer, nil, ["Authorization": "Bearer owner"], .through),
            (.operations, nil, [:], .through),
        ] as [(Access, String?, [String: String], Outcome)])
    func devModeServesEverythingOnOneListener(
        access: Access, query: String?, headers: [String: String], expected: Outcome
    ) async throws {
        let harness = try GatewayHarness()
        for listener in Listener.allCases {
            #expect(try await outcome(harness, access, on: listener, query: query, headers: headers) == expected)
        }
    }

    @Test(
        arguments: [
            (Access.unauthenticated, Listener.public, nil, [:], Outcome.through),
            (.unauthenticated, .admin, nil, [:], .through),
            (.client, .public, nil, [:], .noKey), (.client, .public, "key=good", [:], .through),
            (.client, .public, "key=bad", [:], .badKey), (.client, .admin, "key=good", [:], .through),
            (.client, .public, nil, ["x-goog-api-key": "good"], .through),
            (.client, .public, "key=good", ["Authorization": "Bearer owner"], .badBearer),
            (.administrator, .public, nil, [:], .absent),
            (.administrator, .public, nil, ["Authorization": "Bearer owner"], .absent),
            (.administrator, .admin, nil, [:], .noBearer),
            (.administrator, .admin, nil, ["Authorization": "Bearer owner"], .badBearer),
            (.administrator, .admin, nil, ["Authorization": "Bearer ya29.token"], .badBearer),
            (.developer, .public, nil, ["Authorization": "Bearer owner"], .absent),
            (.developer, .admin, nil, ["Authorization": "Bearer owner"], .absent),
            (.operations, .public, nil, [:], .absent), (.operations, .admin, nil, [:], .through),
        ] as [(Access, Listener, String?, [String: String], Outcome)])
    func productionSeparatesListenersAndCredentials(
        access: Access, listener: Listener, query: String?, headers: [String: String], expected: Outcome
    ) async throws {
        let harness = try GatewayHarness.production()
        harness.mesh.reply(to: Identity.ResolveAPIKey.self) { request in
            guard request.apiKey == "good" else { throw ServiceError(.unknownAPIKey) }
            return .init(project: ProjectID("shop"))
        }
        #expect(try await outcome(harness, access, on: listener, query: query, headers: headers) == expected)
    }

    /// A path that a listener does not offer gets the same response as an unknown path.
    @Test(arguments: [HTTPMethod.get, .post, .options, .delete])
    func publicListenerHidesAdministration(method: HTTPMethod) async throws {
        let harness = try GatewayHarness.production()
        let hidden = try await harness.send(method, "/v1/projects/p/accounts:lookup", body: "{}")
        let unknown = try await harness.send(method, "/nowhere", body: "{}")
        #expect(hidden.status == 404)
        #expect(hidden.text == unknown.text)
    }

    @Test func projectComesFromAPIKey() async throws {
        let harness = try GatewayHarness.production()
        harness.mesh.reply(to: Identity.ResolveAPIKey.self) { .init(project: ProjectID("of-" + $0.apiKey)) }
        harness.mesh.reply(to: Identity.LookUpOwnAccount.self) { _ in throw ServiceError(.invalidIDToken) }
        _ = try await harness.send(.post, "/v1/accounts:lookup", query: "key=k1", body: #"{"idToken":"t"}"#)
        #expect(harness.mesh.sent(Identity.LookUpOwnAccount.self).map(\.realm.project) == [ProjectID("of-k1")])
    }

    @Test func resolvedAPIKeyIsCachedForFiveSecondsOrUntilEvent() async throws {
        let harness = try GatewayHarness.production()
        harness.mesh.reply(to: Identity.ResolveAPIKey.self) { _ in .init(project: ProjectID("shop")) }
        func call() async throws -> Int {
            _ = try await harness.send(.post, "/v1/accounts:issueSamlResponse", query: "key=k", body: "{}")
            return harness.mesh.sent(Identity.ResolveAPIKey.self).count
        }
        #expect(try await call() == 1)
        #expect(try await call() == 1)
        harness.gateway.handle(.configurationChanged(Realm(project: ProjectID("other"))))
        #expect(try await call() == 1)
        harness.gateway.handle(.configurationChanged(Realm(project: ProjectID("shop"))))
        #expect(try await call() == 2)
        harness.clock.advance(by: CallerAuthenticator.lifetime - .milliseconds(1))
        #expect(try await call() == 2)
        harness.clock.advance(by: .milliseconds(1))
        #expect(try await call() == 3)
    }

    @Test func oversizedAPIKeyIsRefusedWithoutBusCall() async throws {
        let harness = try GatewayHarness.production()
        let key = String(repeating: "k", count: 129)
        let response = try await harness.send(.post, "/v1/accounts:lookup", query: "key=\(key)", body: "{}")
        #expect(response.message == "API key not valid. Please pass a valid API key.")
        #expect(harness.mesh.count == 0)
    }

    @Test func unavailableIdentityIsReportedForAPIKey() async throws {
        let harness = try GatewayHarness.production()
        harness.mesh.reply(to: Identity.ResolveAPIKey.self) { _ in throw ServiceError(.unavailable) }
        let response = try await harness.send(.post, "/v1/accounts:lookup", query: "key=k", body: "{}")
        #expect(response.status == 503)
        #expect(response.error?["status"] == .string("UNAVAILABLE"))
    }
}

/// Security rules RL1, RL6 and EN7.
@Suite struct RateLimitRouteTests {
    private func exhausted(
        _ method: HTTPMethod, _ path: String, on listener: Listener, settings: [String: String]
    ) async throws -> (GatewayHarness, TestResponse) {
        let harness = try GatewayHarness.production(settings)
        harness.mesh.reply(to: Identity.ResolveAPIKey.self) { _ in .init(project: ProjectID("shop")) }
        harness.mesh.reply(to: Identity.SignInWithPassword.self) { _ in throw ServiceError(.invalidCredentials) }
        harness.mesh.reply(to: Identity.ListSigningKeys.self) { _ in .init(keys: [], maximumAgeSeconds: 60) }
        var response: TestResponse?
        for _ in 0..<3 {
            response = try await harness.send(
                method, path, query: "key=k", body: method == .post ? "{}" : nil, on: listener, from: "192.0.2.1")
        }
        return (harness, try #require(response))
    }

    @Test func rateLimitedClientOperationGets400() async throws {
        let path = "/v1/accounts:signInWithPassword"
        let (harness, response) = try await exhausted(
            .post, path, on: .public, settings: ["LATCHKEY_LIMIT_SIGN_IN_PER_MINUTE": "2"])
        #expect((response.status, response.message) == (400, "TOO_MANY_ATTEMPTS_TRY_LATER"))
        #expect(response.header("retry-after") == "30")
        #expect(response.header("x-latchkey-limit") == "sign-in-requests")
        #expect(harness.mesh.sent(Identity.SignInWithPassword.self).count == 2)
        let other = try await harness.send(.post, path, query: "key=k", body: "{}", from: "192.0.2.2")
        #expect(other.message == "INVALID_LOGIN_CREDENTIALS")
    }

    @Test func otherRateLimitedRequestGets429() async throws {
        let (_, response) = try await exhausted(
            .get, "/v1/publicKeys", on: .public, settings: ["LATCHKEY_LIMIT_OTHER_PER_MINUTE": "2"])
        #expect((response.status, response.message) == (429, "TOO_MANY_ATTEMPTS_TRY_LATER"))
        #expect(response.header("retry-after") == "30")
        #expect(response.header("x-latchkey-limit") == "other-requests")
    }

    @Test func probesAreNeverRateLimited() async throws {
        let (_, response) = try await exhausted(
            .get, "/livez", on: .public, settings: ["LATCHKEY_LIMIT_OTHER_PER_MINUTE": "1"])
        #expect(response.status == 200)
    }

    @Test func clientsBehindTrustedProxyAreCountedSeparately() async throws {
        let harness = try GatewayHarness.production([
            "LATCHKEY_LIMIT_OTHER_PER_MINUTE": "1", "LATCHKEY_TRUSTED_PROXIES": "10.0.0.0/8",
        ])
        harness.mesh.reply(to: Identity.ListSigningKeys.self) { _ in .init(keys: [], maximumAgeSeconds: 60) }
        func status(_ client: String) async throws -> Int {
            try await harness.send(
                .get, "/v1/publicKeys", headers: ["X-Forwarded-For": client], from: "10.0.0.1"
            ).status
        }
        #expect(try await [status("192.0.2.1"), status("192.0.2.2"), status("192.0.2.1")] == [200, 200, 429])
    }

    @Test(arguments: [(["LATCHKEY_DEV": "1"], 200), ([:], 429)] as [([String: String], Int)])
    func loopbackIsExemptOnlyInDevMode(settings: [String: String], expected: Int) async throws {
        let limits = [
            "LATCHKEY_LIMIT_OTHER_PER_MINUTE": "1", "LATCHKEY_LISTEN": "127.0.0.1:9099",
            "LATCHKEY_PUBLIC_URL": "https://auth.example.com",
        ]
        let harness = try GatewayHarness(limits.merging(settings) { $1 })
        harness.mesh.reply(to: Identity.ListSigningKeys.self) { _ in .init(keys: [], maximumAgeSeconds: 60) }
        _ = try await harness.send(.get, "/v1/publicKeys")
        #expect(try await harness.send(.get, "/v1/publicKeys").status == expected)
    }
}
