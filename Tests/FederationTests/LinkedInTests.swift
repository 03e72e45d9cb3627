import Contracts
import JSON
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import FederationService

@Suite struct LinkedInTests {
    private static let issuer = "https://www.linkedin.com/oauth"
    /// As LinkedIn writes them, the flag as a text.
    private static let claims: [String: JSONValue] = [
        "sub": "782bbtaQ", "name": "Lin Kedin", "given_name": "Lin", "family_name": "Kedin", "locale": "en_US",
        "picture": "https://media.example/lin.jpg", "email": "lin@example.com", "email_verified": "true",
    ]
    private static let identity = ProviderIdentity(
        providerID: "linkedin.com", subject: "782bbtaQ", email: "lin@example.com", displayName: "Lin Kedin",
        photoURL: "https://media.example/lin.jpg")

    private func withLinkedIn(
        secret: String? = "linkedin-secret",
        _ body: (FakeProviders, FederationFixture, FederationService) async throws -> Void
    ) async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            try await fixture.insert(FederationFixture.supported(.linkedIn, secret: secret))
            try await body(providers, fixture, fixture.service())
        }
    }

    private func start(
        _ fixture: FederationFixture, _ service: FederationService
    ) async throws -> Federation.StartSignIn.Reply {
        try await fixture.send(
            Federation.StartSignIn(
                realm: FederationFixture.realm, providerID: "linkedin.com", continueURL: "http://localhost/after"),
            to: service)
    }

    /// The tokens of LinkedIn have no nonce, and it accepts no code verifier.
    @Test func codeFlowNeedsNeitherNonceNorVerifier() async throws {
        try await withLinkedIn { providers, fixture, service in
            let started = try await start(fixture, service)
            let page = started.authorizationURL
            #expect(page.hasPrefix("\(Self.issuer)/v2/authorization?") && !page.contains("code_challenge"))
            #expect(page.contains("&scope=openid%20profile%20email&"))
            let token = try providers.token(issuer: Self.issuer, at: fixture.clock.now, Self.claims)
            providers.state.withLock {
                $0.tokenReply = .object(["id_token": .string(token), "access_token": "at-1"])
            }
            let request = fixture.request(
                nil, code: "code-1", state: started.state.reveal(), sessionID: started.sessionID.reveal())
            let reply = try await fixture.send(request, to: service)
            #expect(fixture.identity.received.last?.identity == Self.identity)
            #expect(reply.profile.firstName == "Lin" && reply.profile.language == "en_US")
            // The claim of the provider stays visible.
            #expect(reply.profile.rawUserInfo.contains(#""email_verified":"true""#))
            let form = try #require(providers.state.withLock(\.forms).last)
            #expect(form["client_secret"] == "linkedin-secret" && form["code_verifier"] == nil)
            // The state works once.
            #expect(await errorCode { _ = try await fixture.send(request, to: service) } == .invalidProviderResponse)
        }
    }

    @Test(
        arguments: [
            ([:], nil), (["iss": "https://www.linkedin.com"], .invalidProviderResponse),
            (["aud": "other"], .invalidProviderResponse), (["nonce": "n"], .missingNonce),
        ] as [([String: JSONValue], WireError.Code?)])
    func idTokenOfApplicationIsVerified(claims: [String: JSONValue], expected: WireError.Code?) async throws {
        try await withLinkedIn { providers, fixture, service in
            let token = try providers.token(
                issuer: Self.issuer, at: fixture.clock.now, Self.claims.merging(claims) { $1 })
            let request = fixture.request("linkedin.com", idToken: token)
            #expect(await errorCode { _ = try await fixture.send(request, to: service) } == expected)
            #expect(fixture.identity.received.last?.identity == (expected == nil ? Self.identity : nil))
        }
    }

    @Test(
        arguments: [
            (#"{"active":true,"client_id":"client-1"}"#, nil),
            (#"{"active":true,"client_id":"other"}"#, .invalidProviderResponse),
            (#"{"active":false,"client_id":"client-1"}"#, .invalidProviderResponse),
            (#"{"active":true}"#, .invalidProviderResponse), ("[]", .invalidProviderResponse),
        ] as [(String, WireError.Code?)])
    func accessTokenOfOtherClientIsRejected(confirmation: String, expected: WireError.Code?) async throws {
        try await withLinkedIn { providers, fixture, service in
            let user = String(decoding: try WireJSON.encode(JSONValue.object(Self.claims)), as: UTF8.self)
            providers.reply("/linkedin/oauth/v2/introspectToken", 200, confirmation)
            providers.reply("/linkedin/v2/userinfo", 200, user)
            let request = fixture.request("linkedin.com", accessToken: "AQX-1")
            #expect(await errorCode { _ = try await fixture.send(request, to: service) } == expected)
            #expect(fixture.identity.received.last?.identity == (expected == nil ? Self.identity : nil))
            let form = try #require(providers.state.withLock(\.forms).last)
            #expect(form["token"] == "AQX-1" && form["client_secret"] == "linkedin-secret")
        }
    }

    @Test func accessTokenNeedsClientSecret() async throws {
        try await withLinkedIn(secret: nil) { _, fixture, service in
            let request = fixture.request("linkedin.com", accessToken: "AQX-1")
            #expect(await errorCode { _ = try await fixture.send(request, to: service) } == .providerDisabled)
        }
    }
}
