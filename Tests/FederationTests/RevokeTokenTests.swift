import Contracts
import Crypto
import FoundationEssentials
import JOSE
import JSON
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import FederationService

@Suite struct RevokeTokenTests {
    private static let apple = Federation.Provider.Apple(
        bundleIDs: ["com.example.app", "com.example.other"], teamID: "TEAM567890", keyID: "KEY4567890",
        privateKey: Secret(CodeFlowTests.applePEM))
    private static let link = ProviderLink(providerID: "apple.com", providerAccountID: "a1")

    private static func request(
        _ type: Federation.RevocableToken, _ token: String = "t1", idToken: String? = "user",
        redirectURL: String? = nil,
        bundleID: String? = nil
    ) -> Federation.RevokeToken {
        .init(
            realm: FederationFixture.realm, tokenType: type, token: Secret(token), idToken: idToken.map(Secret.init),
            redirectURL: redirectURL, bundleID: bundleID)
    }

    private func running(
        _ apple: Federation.Provider.Apple = apple, links: [ProviderLink] = [link],
        _ body: (FakeProviders, (Federation.RevokeToken) async -> WireError.Code?) async throws -> Void
    ) async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let service = try fixture.service()
            try await fixture.insert(FederationFixture.supported(.apple, apple: apple))
            fixture.identity.state.withLock { $0.links = links }
            providers.reply("/apple/auth/revoke", 200, "")
            try await body(providers) { request in
                await errorCode { _ = try await fixture.send(request, to: service) }
            }
        }
    }

    @Test(arguments: [
        (nil, nil, "com.example.app"), ("com.example.other", nil, "com.example.other"),
        ("com.evil.app", nil, "com.example.app"), (nil, "https://app.example.com/", "client-1"),
    ])
    func codeIsExchangedAndItsRefreshTokenRevoked(bundleID: String?, redirectURL: String?, client: String) async throws
    {
        try await running { providers, send in
            providers.reply("/apple/auth/token", 200, #"{"access_token":"a","refresh_token":"r"}"#)
            #expect(await send(Self.request(.code, "c1", redirectURL: redirectURL, bundleID: bundleID)) == nil)
            let forms = providers.state.withLock { $0.forms }
            try #require(forms.count == 2)
            #expect(forms[0]["code"] == "c1" && forms[0]["grant_type"] == "authorization_code")
            #expect(forms[0]["redirect_uri"] == redirectURL)
            #expect(forms[1]["token"] == "r" && forms[1]["token_type_hint"] == "refresh_token")
            for form in forms {
                #expect(form["client_id"] == client)
                #expect(try subject(ofSecret: form["client_secret"]) == client)
            }
        }
    }

    /// The client that a client secret is for, after its signature was verified.
    private func subject(ofSecret secret: String?) throws -> String {
        let key = try PrivateKey(pem: CodeFlowTests.applePEM).publicKey
        let verifier = JWTVerifier(
            keys: JWKSet([JWK(key, keyID: "KEY4567890")]), algorithms: [.es256], issuers: ["TEAM567890"],
            audiences: ["https://appleid.apple.com"])
        return try verifier.verify(secret ?? "", at: ManualClock().now.timestamp).subject
    }

    @Test(arguments: [(Federation.RevocableToken.refreshToken, "refresh_token"), (.accessToken, "access_token")])
    func tokenIsRevoked(type: Federation.RevocableToken, hint: String) async throws {
        try await running { providers, send in
            #expect(await send(Self.request(type)) == nil)
            let form = try #require(providers.state.withLock { $0.forms }.last)
            #expect(form["token"] == "t1" && form["token_type_hint"] == hint)
            #expect(providers.count(of: "/apple/auth/token") == 0)
        }
    }

    @Test func codeWithoutRefreshTokenRevokesAccessToken() async throws {
        try await running { providers, send in
            providers.reply("/apple/auth/token", 200, #"{"access_token":"a"}"#)
            #expect(await send(Self.request(.code)) == nil)
            #expect(providers.state.withLock { $0.forms }.last?["token_type_hint"] == "access_token")
            providers.reply("/apple/auth/token", 200, #"{"id_token":"a"}"#)
            #expect(await send(Self.request(.code)) == .invalidProviderResponse)
        }
    }

    @Test func errorsOfAppleAreReported() async throws {
        try await running { providers, send in
            providers.reply("/apple/auth/token", 400, #"{"error":"invalid_grant"}"#)
            #expect(await send(Self.request(.code)) == .invalidProviderResponse)
            #expect(providers.count(of: "/apple/auth/revoke") == 0)
            providers.reply("/apple/auth/revoke", 400, #"{"error":"invalid_client"}"#)
            #expect(await send(Self.request(.accessToken)) == .invalidProviderResponse)
            providers.reply("/apple/auth/revoke", 503)
            #expect(await send(Self.request(.accessToken)) == .providerUnavailable)
        }
    }

    @Test func accountMustBeLinkedWithApple() async throws {
        let other = ProviderLink(providerID: "google.com", providerAccountID: "a1")
        try await running(links: [other]) { providers, send in
            #expect(await send(Self.request(.code)) == .invalidProviderResponse)
            #expect(await send(Self.request(.code, idToken: nil)) == .missingIDToken)
            #expect(providers.state.withLock { $0.requests.isEmpty })
        }
    }

    @Test func configurationWithoutKeyIsRefused() async throws {
        try await running(.init(bundleIDs: ["com.example.app"])) { providers, send in
            for type in Federation.RevocableToken.allCases {
                #expect(await send(Self.request(type)) == .providerDisabled)
            }
            #expect(providers.state.withLock { $0.requests.isEmpty })
        }
    }

    @Test(arguments: [
        ("", false), (String(repeating: "a", count: 8192), true), (String(repeating: "a", count: 8193), false),
    ])
    func tokenLengthIsBounded(token: String, isAccepted: Bool) async throws {
        try await running { _, send in
            #expect((await send(Self.request(.accessToken, token)) == nil) == isAccepted)
        }
    }

    @Test func providerMustBeConfigured() async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let service = try fixture.service()
            let code = await errorCode { _ = try await fixture.send(Self.request(.code), to: service) }
            #expect(code == .providerNotFound)
        }
    }
}
