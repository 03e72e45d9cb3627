import Contracts
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct DeviceTokensTests {
    private static let ada = String(repeating: "a", count: 87)
    private static let newerAda = String(repeating: "a", count: 12) + String(repeating: "n", count: 75)
    private static let body = #"{"email":"alice@example.com","password":"correct-horse-9"}"#

    private static func response(
        _ harness: GatewayHarness, headers: [String: String] = [:]
    ) async throws -> (TestResponse, [String]) {
        var tokens = TokenSet.example
        tokens.deviceToken = Secret(newerAda)
        harness.mesh.reply(to: Identity.SignInWithPassword.self) { [tokens] _ in
            .init(account: .example(), tokens: tokens)
        }
        harness.mesh.reply(to: Identity.ResolveAPIKey.self) { _ in .init(project: ProjectID("demo-latchkey")) }
        let response = try await harness.client("v1/accounts:signInWithPassword", body, headers: headers)
        let sent = try #require(harness.mesh.sent(Identity.SignInWithPassword.self).last)
        return (response, (sent.client.deviceTokens ?? []).map { $0.reveal() })
    }

    @Test func signInReturnsDeviceTokenAsHeaderAndCookie() async throws {
        let (response, presented) = try await Self.response(try .production())
        #expect(response.status == 200 && presented.isEmpty)
        #expect(response.header("X-Latchkey-Device") == Self.newerAda)
        #expect(
            response.header("Set-Cookie")
                == "__Host-latchkey-device=\(Self.newerAda); Path=/; Max-Age=34560000; HttpOnly; SameSite=Strict; Secure"
        )
        #expect(response.json["deviceToken"] == nil)
        let (dev, _) = try await Self.response(try .init())
        #expect(dev.header("Set-Cookie")?.hasSuffix("SameSite=Strict") == true)
    }

    @Test func deviceTokenOfHeaderAndCookieReachesIdentity() async throws {
        let eve = String(repeating: "e", count: 87)
        let (response, presented) = try await Self.response(
            try .production(),
            headers: [
                "X-Latchkey-Device": Self.ada, "Cookie": "a=b; __Host-latchkey-device=\(Self.ada)~\(eve); c=\"d\"",
            ])
        #expect(presented == [Self.ada, Self.ada, eve])
        // The new token replaces the older one of its account.
        #expect(
            response.header("Set-Cookie")?.hasPrefix("__Host-latchkey-device=\(Self.newerAda)~\(eve); ") == true)
    }

    @Test(arguments: ["", "short", "a b", String(repeating: "x", count: 129), "ä" + String(repeating: "a", count: 40)])
    func malformedDeviceTokenIsIgnored(text: String) async throws {
        let (response, presented) = try await Self.response(
            try .production(), headers: ["X-Latchkey-Device": text, "Cookie": "__Host-latchkey-device=\(text)~~;;=;"])
        #expect(response.status == 200 && presented.isEmpty)
    }

    @Test func cookieHoldsFourDeviceTokens() async throws {
        let others = ["b", "c", "d", "e", "f"].map { String(repeating: $0, count: 87) }
        let (response, presented) = try await Self.response(
            try .production(), headers: ["Cookie": "__Host-latchkey-device=\(others.joined(separator: "~"))"])
        #expect(presented.count == 4)
        let cookie = try #require(response.header("Set-Cookie")?.split(separator: ";").first)
        #expect(cookie.split(separator: "~").count == 4)
    }

    /// A page of another origin gets no credentials: it reads the header instead.
    @Test func otherOriginsReadHeaderWithoutCredentials() async throws {
        let (response, _) = try await Self.response(try .production(), headers: ["Origin": "https://app.example.com"])
        #expect(response.header("Access-Control-Allow-Credentials") == nil)
        #expect(response.header("Access-Control-Expose-Headers")?.contains("X-Latchkey-Device") == true)
    }
}
