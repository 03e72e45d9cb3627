import Contracts
import Crypto
import FoundationEssentials
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import FederationService

@Suite struct PracticeTests {
    private static let page = "http://localhost:9099/__/auth/practice"
    private static let user = Federation.PracticeUser(
        subject: "ada", email: "ada@gmail.com", isEmailVerified: true, displayName: "Ada", userName: "countess")

    private func start(
        _ fixture: FederationFixture, _ service: FederationService, _ providerID: String, session: String? = nil,
        hashedSession: String? = nil, page: String? = page
    ) async throws -> Federation.StartSignIn.Reply {
        try await fixture.send(
            Federation.StartSignIn(
                realm: FederationFixture.realm, providerID: providerID, continueURL: "http://localhost/after",
                sessionID: session, hashedSessionID: hashedSession, context: "ctx", practicePageURL: page),
            to: service)
    }

    /// The parameters of the response.
    private func finish(
        _ fixture: FederationFixture, _ service: FederationService, _ state: Secret<String>,
        _ user: Federation.PracticeUser? = user
    ) async throws -> [String: String] {
        let reply = try await fixture.send(Federation.FinishPracticeSignIn(state: state, user: user), to: service)
        let url = try #require(WebURL(reply.responseURL.reveal()))
        #expect(url.text.hasPrefix("http://localhost/after?"))
        let items = (url.query ?? "").pieces(at: "&").map { item in
            let (name, value) = item.halves(at: "=")
            return (String(name), PercentEncoding.decoded(value ?? "") ?? "")
        }
        return Dictionary(items) { first, _ in first }
    }

    @Test(arguments: Federation.SupportedProvider.allCases.map(\.rawValue) + ["oidc.any", "saml.any"])
    func userOfPageSignsIn(providerID: String) async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let service = try fixture.service()
            let started = try await start(fixture, service, providerID)
            #expect(started.authorizationURL.hasPrefix("\(Self.page)?"))
            let read = try await fixture.send(Federation.ReadPracticeSignIn(state: started.state), to: service)
            #expect(read == .init(realm: FederationFixture.realm, providerID: providerID))
            let query = try await finish(fixture, service, started.state)
            #expect(query["state"] == started.state.reveal())
            let request = fixture.request(
                nil, code: query["code"], state: query["state"], sessionID: started.sessionID.reveal())
            let reply = try await fixture.send(request, to: service)
            let identity = reply.profile.identity
            #expect(identity.providerID == providerID && identity.subject == "ada" && identity.displayName == "Ada")
            // The rules of the real providers.
            let unproven = ["facebook.com", "gc.apple.com", "linkedin.com", "microsoft.com"]
            #expect(identity.isEmailVerified == !unproven.contains(providerID))
            #expect(identity.isEmailAuthoritative == ["google.com", "apple.com"].contains(providerID))
            #expect(reply.context == "ctx" && reply.credential.idToken?.reveal().hasSuffix(".") == true)
            #expect(reply.profile.screenName == "countess")
            #expect(reply.credential.accessToken?.reveal() == "FirebaseAuthEmulatorFakeAccessToken_\(providerID)")
            // The state is redeemed.
            #expect(await errorCode { _ = try await fixture.send(request, to: service) } == .invalidProviderResponse)
        }
    }

    @Test func codeIsChecked() async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let service = try fixture.service()
            for code in [
                nil, "", "code-1", "practice.", "practice.e30", "practice.!", "practice." + "A".repeated(5000),
            ] {
                let started = try await start(fixture, service, "google.com")
                let request = fixture.request(
                    nil, code: code, state: started.state.reveal(), sessionID: started.sessionID.reveal())
                #expect(
                    await errorCode { _ = try await fixture.send(request, to: service) } == .invalidProviderResponse)
            }
        }
    }

    @Test func cancelReturnsAccessDenied() async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let service = try fixture.service()
            let started = try await start(fixture, service, "google.com")
            #expect(try await finish(fixture, service, started.state, nil)["error"] == "access_denied")
        }
    }

    @Test func userIsChecked() async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let service = try fixture.service()
            let started = try await start(fixture, service, "google.com")
            let long = "x".repeated(Federation.PracticeUser.maximumTextBytes + 1)
            let cases: [(Federation.PracticeUser, WireError.Code)] = [
                (.init(subject: ""), .invalidRequest), (.init(subject: long), .invalidRequest),
                (.init(subject: "a", displayName: long), .invalidRequest),
                (.init(subject: "a", userName: long), .invalidRequest),
                (.init(subject: "a", email: "b"), .invalidEmail),
            ]
            for (user, code) in cases {
                #expect(await errorCode { _ = try await finish(fixture, service, started.state, user) } == code)
            }
        }
    }

    @Test func stateIsChecked() async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let service = try fixture.service()
            let started = try await start(fixture, service, "google.com")
            #expect(
                await errorCode { _ = try await finish(fixture, service, Secret("other")) } == .invalidProviderResponse)
            // A provider that was configured meanwhile has its own page.
            try await fixture.insert(FederationFixture.supported(.google))
            #expect(
                await errorCode { _ = try await finish(fixture, service, started.state) } == .invalidProviderResponse)
            let other = try await start(fixture, service, "github.com")
            fixture.clock.advance(by: Federation.browserSignInLifetime)
            #expect(await errorCode { _ = try await finish(fixture, service, other.state) } == .invalidProviderResponse)
        }
    }

    @Test func onlyUnconfiguredProvidersOfDevModeHaveThePage() async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let service = try fixture.service()
            try await fixture.insert(FederationFixture.supported(.google))
            #expect(!(try await start(fixture, service, "google.com")).authorizationURL.hasPrefix(Self.page))
            for id in ["twitter.com", "oidc.", "saml.", "saml.a b", ""] {
                #expect(await errorCode { _ = try await start(fixture, service, id) } == .providerNotFound, "\(id)")
            }
            #expect(
                await errorCode { _ = try await start(fixture, service, "github.com", page: nil) } == .providerNotFound)
            let production = try fixture.service(isDev: false)
            #expect(await errorCode { _ = try await start(fixture, production, "github.com") } == .providerNotFound)
            let started = try await start(fixture, service, "github.com")
            let query = try await finish(fixture, service, started.state)
            #expect(await errorCode { _ = try await finish(fixture, production, started.state) } == .unknownOperation)
            let request = fixture.request(
                nil, code: query["code"], state: query["state"], sessionID: started.sessionID.reveal())
            #expect(await errorCode { _ = try await fixture.send(request, to: production) } == .providerNotFound)
        }
    }

    @Test func unsignedTokensAreAcceptedOnRequestOnly() async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let claims =
                #"{"sub":"ada","email":"ada@example.com","email_verified":true,"group":"x","screen_name":"countess"}"#
            let token = UnsignedToken.text(ofClaims: Array(claims.utf8))
            let accepting = try fixture.service(acceptsUnsignedTokens: true)
            for text in [claims, token] {
                let reply = try await fixture.send(fixture.request("oidc.any", idToken: text), to: accepting)
                #expect(reply.profile.identity.subject == "ada" && reply.profile.identity.isEmailVerified)
                #expect(reply.profile.identity.attributes?.contains(#""group":"x""#) == true)
                #expect(reply.profile.screenName == "countess")
                #expect(reply.credential.accessToken?.reveal() == "FirebaseAuthEmulatorFakeAccessToken_oidc.any")
                let refused = fixture.request("oidc.any", idToken: text)
                let code = await errorCode { _ = try await fixture.send(refused, to: try fixture.service()) }
                #expect(code == .providerNotFound)
            }
            for text in ["x", "{", "{}", token + "AAAA", "\(token.dropLast())", "a.b.c", #"{"sub":""}"#] {
                let request = fixture.request("google.com", idToken: text)
                #expect(
                    await errorCode { _ = try await fixture.send(request, to: accepting) } == .invalidProviderResponse,
                    "\(text)")
            }
            // A configured provider signs its tokens.
            try await fixture.insert(fixture.openIDProvider())
            let request = fixture.request(FederationFixture.openID, idToken: token)
            #expect(await errorCode { _ = try await fixture.send(request, to: accepting) } == .invalidProviderResponse)
        }
    }

    /// Facebook, GitHub and Twitter give applications access tokens only. An ID token beside it wins.
    @Test(arguments: ["facebook.com", "github.com", "twitter.com", "google.com", "oidc.any"])
    func claimsInAccessTokenAreAcceptedOnRequestOnly(providerID: String) async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let accepting = try fixture.service(acceptsUnsignedTokens: true)
            func request(_ accessToken: String, idToken: String? = nil) -> Federation.SignIn {
                var request = fixture.request(providerID, idToken: idToken)
                request.response.accessToken = Secret(accessToken)
                request.response.tokenSecret = Secret("secret")
                return request
            }
            let claims = #"{"sub":"ada","email":"ada@example.com","name":"Ada"}"#
            for text in [claims, UnsignedToken.text(ofClaims: Array(claims.utf8))] {
                let reply = try await fixture.send(request(text), to: accepting)
                let identity = reply.profile.identity
                #expect(identity.providerID == providerID && identity.subject == "ada")
                #expect(identity.email == "ada@example.com" && identity.displayName == "Ada")
                #expect(reply.credential.accessToken?.reveal() == text && reply.credential.idToken == nil)
                #expect(reply.credential.tokenSecret?.reveal() == "secret")
                #expect(
                    await errorCode { _ = try await fixture.send(request(text), to: try fixture.service()) }
                        == .providerNotFound)
            }
            let both = try await fixture.send(request("opaque", idToken: #"{"sub":"bob"}"#), to: accepting)
            #expect(both.profile.identity.subject == "bob" && both.credential.idToken != nil)
            for text in ["opaque", "{", "{}", #"{"sub":""}"#] {
                #expect(
                    await errorCode { _ = try await fixture.send(request(text), to: accepting) }
                        == .invalidProviderResponse, "\(text)")
            }
        }
    }

    // MARK: Sessions and credentials of pages

    @Test func hashedSessionIDNeedsTheRawOne() async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let service = try fixture.service()
            let hash = SHA2.sha256(Array("raw-session".utf8)).hexadecimal
            for (session, expected) in [
                ("raw-session", nil), (hash, .invalidProviderResponse), ("", .invalidProviderCredential),
            ]
                as [(String, WireError.Code?)]
            {
                let started = try await start(fixture, service, "google.com", hashedSession: hash.uppercased())
                #expect(started.sessionID.reveal().isEmpty)
                let query = try await finish(fixture, service, started.state)
                let request = fixture.request(nil, code: query["code"], state: query["state"], sessionID: session)
                #expect(await errorCode { _ = try await fixture.send(request, to: service) } == expected)
            }
            for text in ["ab", "g".repeated(64), "a".repeated(65)] {
                let code = await errorCode { _ = try await start(fixture, service, "google.com", hashedSession: text) }
                #expect(code == .invalidRequest)
            }
        }
    }

    @Test func verifiedResponseBecomesPendingToken() async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let service = try fixture.service()
            let started = try await start(fixture, service, "google.com")
            let query = try await finish(fixture, service, started.state)
            let request = Federation.VerifyResponse(
                realm: FederationFixture.realm, requestURL: "http://localhost/after",
                response: .init(code: query["code"].map(Secret.init), state: started.state),
                sessionID: started.sessionID)
            let reply = try await fixture.send(request, to: service)
            #expect(reply.providerID == "google.com" && fixture.identity.received.isEmpty)
            for _ in 0..<2 {
                let signIn = try await fixture.send(
                    fixture.request(nil, pendingToken: reply.pendingToken), to: service)
                #expect(signIn.profile.identity.subject == "ada")
            }
            #expect(await errorCode { _ = try await fixture.send(request, to: service) } == .invalidProviderResponse)
            fixture.clock.advance(by: .seconds(600))
            let late = fixture.request(nil, pendingToken: reply.pendingToken)
            #expect(await errorCode { _ = try await fixture.send(late, to: service) } == .invalidPendingToken)
            var stateless = request
            stateless.response = .init(providerID: "google.com", idToken: Secret("x"))
            #expect(await errorCode { _ = try await fixture.send(stateless, to: service) } == .invalidProviderResponse)
        }
    }
}

extension String {
    fileprivate func repeated(_ count: Int) -> String { String(repeating: self, count: count) }
}
