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

@Suite struct SupportedProviderTests {
    @Test func facebookAccessTokenSignsInWithUnverifiedEmail() async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let service = try fixture.service()
            try await fixture.insert(FederationFixture.supported(.facebook, secret: FakeProviders.appSecret))
            let reply = try await fixture.send(fixture.request("facebook.com", accessToken: "EAAgood"), to: service)
            #expect(reply.credential.accessToken?.reveal() == "EAAgood")
            #expect(reply.credential.expiresInSeconds == 3600)
            #expect(reply.pendingToken == nil)
            #expect(
                fixture.identity.received.last?.identity
                    == ProviderIdentity(
                        providerID: "facebook.com", subject: "4711", email: "fay@example.com", displayName: "Fay Book",
                        photoURL: "https://img.example/f.png"))
            for token in ["EAAother", "EAAinvalid", "EAAforeign", "garbage", "EAA\u{1}"] {
                let code = await errorCode {
                    _ = try await fixture.send(fixture.request("facebook.com", accessToken: token), to: service)
                }
                #expect(code == .invalidProviderResponse, "\(token)")
            }
        }
    }

    @Test func facebookLimitedLoginRequiresNonceAndHasSameSubject() async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let service = try fixture.service()
            try await fixture.insert(FederationFixture.supported(.facebook, secret: FakeProviders.appSecret))
            func result(_ claims: [String: JSONValue], nonce: String?) async throws -> WireError.Code? {
                let token = try providers.token(issuer: "https://www.facebook.com", at: fixture.clock.now, claims)
                return await errorCode {
                    _ = try await fixture.send(
                        fixture.request("facebook.com", idToken: token, nonce: nonce), to: service)
                }
            }
            let nonce = JSONValue.string(IDTokenRules.nonceClaim(forRaw: "raw"))
            #expect(try await result(["sub": "4711", "nonce": nonce, "email_verified": true], nonce: "raw") == nil)
            #expect(fixture.identity.received.last?.identity.subject == "4711")
            #expect(fixture.identity.received.last?.identity.isEmailVerified == false)
            #expect(try await result(["nonce": nonce], nonce: nil) == .missingNonce)
            #expect(try await result([:], nonce: "raw") == .invalidProviderResponse)
            #expect(
                try await result(["nonce": nonce, "iss": "https://facebook.example"], nonce: "raw")
                    == .invalidProviderResponse)
        }
    }

    /// Security rule FE4.
    @Test(arguments: [
        ("https://accounts.google.com", true), ("accounts.google.com", true),
        ("https://accounts.google.com.evil.example", false), ("http://accounts.google.com", false),
    ])
    func googleHasTwoIssuers(issuer: String, isAccepted: Bool) async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let service = try fixture.service()
            try await fixture.insert(FederationFixture.supported(.google))
            // The token of an Android application for this server.
            let token = try providers.token(issuer: issuer, at: fixture.clock.now, ["azp": "android-client"])
            let code = await errorCode {
                _ = try await fixture.send(fixture.request("google.com", idToken: token), to: service)
            }
            #expect(code == (isAccepted ? nil : .invalidProviderResponse))
        }
    }

    @Test func googleAcceptsClientsOfMobileApplications() async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let service = try fixture.service()
            try await fixture.insert(FederationFixture.supported(.google))
            let token = try providers.token(
                issuer: "https://accounts.google.com", audience: "ios-client", at: fixture.clock.now)
            let request = fixture.request("google.com", idToken: token)
            #expect(await errorCode { _ = try await fixture.send(request, to: service) } == .invalidProviderResponse)
            var app = ProjectConfiguration.MobileApp()
            app.bundleId = "com.example"
            app.clientId = "ios-client"
            fixture.identity.state.withLock { $0.configuration.mobileApps = [app] }
            fixture.endConfigurations()
            #expect(await errorCode { _ = try await fixture.send(request, to: service) } == nil)
        }
    }

    @Test func appleAcceptsBundleIDsAndName() async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let service = try fixture.service()
            try await fixture.insert(
                FederationFixture.supported(.apple, apple: .init(bundleIDs: ["com.example.app"])))
            let token = try providers.token(
                issuer: "https://appleid.apple.com", audience: "com.example.app", at: fixture.clock.now,
                ["email": "x@privaterelay.appleid.com", "email_verified": "true"])
            let user = #"{"name":{"firstName":"A & B=C 50%","lastName":"Doe"},"email":"evil@example.com"}"#
            let reply = try await fixture.send(
                fixture.request("apple.com", idToken: token, user: user), to: service)
            #expect(reply.profile.firstName == "A & B=C 50%")
            let identity = try #require(fixture.identity.received.last?.identity)
            #expect(identity.displayName == "A & B=C 50% Doe")
            #expect(identity.email == "x@privaterelay.appleid.com")
            #expect(identity.isEmailVerified && identity.isEmailAuthoritative)
        }
    }

    /// Security rule FE4.
    @Test func microsoftIssuerContainsTenantOfToken() throws {
        let source = try #require(MicrosoftAdapter().description.idTokens)
        let providers = try FakeProviders()
        let now = Moment(milliseconds: 1_700_000_000_000)
        let tenant = "11111111-2222-3333-4444-555555555555"
        let keys = providers.keySet
        func result(_ issuer: String, _ tid: JSONValue) throws -> Bool {
            let token = try providers.token(issuer: issuer, at: now, ["tid": tid])
            let rules = IDTokenRules(source: source, audiences: [FederationFixture.clientID])
            return (try? rules.verify(token, with: keys, at: now.timestamp)) != nil
        }
        #expect(try result("https://login.microsoftonline.com/\(tenant)/v2.0", .string(tenant)))
        #expect(try !result("https://login.microsoftonline.com/\(tenant)/v2.0", .null))
        #expect(try !result("https://login.microsoftonline.com/common/v2.0", .string(tenant)))
        #expect(try !result("https://login.microsoftonline.com/x/../y/v2.0", "x/../y"))
    }

    /// The key set names the issuer of each key: that of another tenant or cloud signs nothing here.
    @Test(
        arguments: [
            (nil, true), ("https://login.microsoftonline.com/{tenantid}/v2.0", true),
            ("https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0", true),
            ("https://login.microsoftonline.com/99999999-2222-3333-4444-555555555555/v2.0", false),
            ("https://login.microsoftonline.us/{tenantid}/v2.0", false),
            ("https://evil.example/{tenantid}/v2.0", false),
            ("https://login.microsoftonline.com/{other}/v2.0", false), ("{tenantid", false), ("", false),
        ] as [(String?, Bool)])
    func microsoftKeySignsForItsIssuerOnly(issuer: String?, isAccepted: Bool) throws {
        let source = try #require(MicrosoftAdapter().description.idTokens)
        let providers = try FakeProviders()
        let now = Moment(milliseconds: 1_700_000_000_000)
        let tenant = "11111111-2222-3333-4444-555555555555"
        guard case .object(var set) = try WireJSON.decode(JSONValue.self, from: WireJSON.encode(providers.keySet)),
            case .array(let keys)? = set["keys"]
        else { return #expect(Bool(false), "a set has keys") }
        set["keys"] = .array(
            keys.map { key in
                guard case .object(var members) = key else { return key }
                members["issuer"] = issuer.map(JSONValue.string)
                return .object(members)
            })
        let published = try JWKSet(json: WireJSON.encode(JSONValue.object(set)))
        let token = try providers.token(
            issuer: "https://login.microsoftonline.com/\(tenant)/v2.0", at: now, ["tid": .string(tenant)])
        let rules = IDTokenRules(source: source, audiences: [FederationFixture.clientID])
        #expect(((try? rules.verify(token, with: published, at: now.timestamp)) != nil) == isAccepted)
    }

    @Test func gitHubTokenOfOtherApplicationIsRejected() async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let service = try fixture.service()
            try await fixture.insert(FederationFixture.supported(.gitHub, secret: "github-secret"))
            let request = fixture.request("github.com", accessToken: "gho_1")
            #expect(await errorCode { _ = try await fixture.send(request, to: service) } == .invalidProviderResponse)
            providers.reply("/github/applications/client-1/token", 200)
            providers.reply(
                "/github/user", 200, #"{"id":583231,"login":"octocat","name":null,"avatar_url":"https://a.example/1"}"#)
            providers.reply(
                "/github/user/emails", 200,
                #"[{"email":"o@example.com","primary":true,"verified":true,"visibility":null}]"#)
            let reply = try await fixture.send(request, to: service)
            #expect(reply.profile.screenName == "octocat")
            #expect(
                fixture.identity.received.last?.identity
                    == ProviderIdentity(
                        providerID: "github.com", subject: "583231", email: "o@example.com", isEmailVerified: true,
                        photoURL: "https://a.example/1"))
        }
    }

    @Test func googleAccessTokenOfOtherClientIsRejected() async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let service = try fixture.service()
            try await fixture.insert(FederationFixture.supported(.google))
            let request = fixture.request("google.com", accessToken: "ya29.1")
            providers.reply(
                "/google/oauth2/v3/userinfo", 200, #"{"sub":"7","email":"a@gmail.com","email_verified":true}"#)
            providers.reply("/google/oauth2/v3/tokeninfo", 200, #"{"aud":"other"}"#)
            #expect(await errorCode { _ = try await fixture.send(request, to: service) } == .invalidProviderResponse)
            providers.reply("/google/oauth2/v3/tokeninfo", 200, #"{"aud":"client-1"}"#)
            _ = try await fixture.send(request, to: service)
            let identity = try #require(fixture.identity.received.last?.identity)
            #expect(identity.subject == "7" && identity.isEmailAuthoritative)
        }
    }
}
