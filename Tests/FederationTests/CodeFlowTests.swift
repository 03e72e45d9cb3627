import Contracts
import Crypto
import DatabaseService
import FoundationEssentials
import JOSE
import JSON
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import FederationService

@Suite struct CodeFlowTests {
    private func start(
        _ fixture: FederationFixture, _ service: FederationService, _ providerID: String = FederationFixture.openID,
        continueURL: String = "http://localhost/after", sessionID: String? = nil, context: String? = nil,
        scopes: String? = nil, parameters: [String: String] = [:]
    ) async throws -> (session: String, url: String, query: [String: String]) {
        let reply = try await fixture.send(
            Federation.StartSignIn(
                realm: FederationFixture.realm, providerID: providerID, continueURL: continueURL,
                sessionID: sessionID, context: context, scopes: scopes, parameters: parameters), to: service)
        let url = try #require(WebURL(reply.authorizationURL))
        let items = (url.query ?? "").pieces(at: "&").map { item in
            let (name, value) = item.halves(at: "=")
            return (String(name), PercentEncoding.decoded(value ?? "") ?? "")
        }
        return (reply.sessionID.reveal(), url.text, Dictionary(items) { first, _ in first })
    }

    /// The browser could present an ID token that was issued elsewhere.
    @Test func unrequestedFrontChannelTokenIsRejected() async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let service = try fixture.service()
            try await fixture.insert(fixture.openIDProvider(usesCodeFlow: true))
            for code in ["code-1", nil] {
                let (session, _, query) = try await start(fixture, service)
                let token = try providers.token(
                    at: fixture.clock.now, ["nonce": .string(try #require(query["nonce"]))])
                let error = await errorCode {
                    _ = try await fixture.send(
                        fixture.request(
                            nil, idToken: token, code: code, state: query["state"], sessionID: session),
                        to: service)
                }
                #expect(error == .invalidProviderCredential)
                #expect(providers.state.withLock(\.forms).isEmpty)
            }
        }
    }

    /// Security rule FE2.
    @Test func codeIsExchangedWithVerifierAndNonce() async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let service = try fixture.service()
            try await fixture.insert(fixture.openIDProvider(usesCodeFlow: true))
            let (session, url, query) = try await start(
                fixture, service, context: "ctx", scopes: "groups,email phone",
                parameters: ["prompt": "login", "state": "evil", "Redirect_URI": "https://evil.example"])
            #expect(url.hasPrefix("\(providers.base)/authorize?"))
            #expect(query["scope"] == "openid email profile groups phone")
            #expect(query["prompt"] == "login" && query["Redirect_URI"] == nil)
            #expect(query["response_type"] == "code" && query["redirect_uri"] == "http://localhost/after")
            let (state, nonce) = (try #require(query["state"]), try #require(query["nonce"]))
            #expect(Base64URL.decode(state)?.count == 32 && nonce.utf8.count == 64 && nonce.isASCIIHexadecimal)
            let token = try providers.token(at: fixture.clock.now, ["nonce": .string(nonce)])
            providers.state.withLock {
                $0.tokenReply = .object([
                    "id_token": .string(token), "access_token": "at-1", "refresh_token": "rt-1",
                    "expires_in": .integer(60),
                    "scope": "openid", "token_type": "Bearer",
                ])
            }
            let reply = try await fixture.send(
                fixture.request(nil, code: "code-1", state: state, sessionID: session), to: service)
            #expect(reply.context == "ctx")
            #expect(
                reply.credential
                    == .init(
                        idToken: Secret(token), accessToken: Secret("at-1"), expiresInSeconds: 60,
                        refreshToken: Secret("rt-1"), scopes: "openid"))
            let form = try #require(providers.state.withLock { $0.forms.last })
            #expect(form["code"] == "code-1" && form["grant_type"] == "authorization_code")
            #expect(form["redirect_uri"] == "http://localhost/after")
            #expect(BrowserSignInSecrets.codeChallenge(of: form["code_verifier"] ?? "") == query["code_challenge"])
            #expect(form["authorization"] == "Basic \(Data("client-1:oidc-secret".utf8).base64EncodedString())")
            #expect(form["client_secret"] == nil)
            // The state is redeemed.
            let code = await errorCode {
                _ = try await fixture.send(
                    fixture.request(nil, code: "code-1", state: state, sessionID: session), to: service)
            }
            #expect(code == .invalidProviderResponse)
        }
    }

    @Test func stateIsBoundToBrowserRealmProviderAndTime() async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let service = try fixture.service()
            try await fixture.insert(fixture.openIDProvider())
            enum Change: CaseIterable {
                case session, noSession, tenant, provider, address, issuer, time, nonce, noNonce, none
            }
            for change in Change.allCases {
                let (session, _, query) = try await start(fixture, service)
                var claims: [String: JSONValue] = ["nonce": .string(query["nonce"] ?? "")]
                if change == .nonce { claims["nonce"] = "other" }
                if change == .noNonce { claims = [:] }
                var request = fixture.request(
                    nil, idToken: try providers.token(at: fixture.clock.now, claims), state: query["state"],
                    sessionID: session)
                switch change {
                case .session: request.sessionID = Secret("other")
                case .noSession: request.sessionID = nil
                case .tenant: request.realm.tenant = TenantID("t")
                case .provider: request.response.providerID = "google.com"
                case .address: request.requestURL = "http://localhost/other"
                case .issuer: request.response.issuer = "https://other.example"
                case .time: fixture.clock.advance(by: Federation.browserSignInLifetime)
                case .nonce, .noNonce, .none: break
                }
                let expected: WireError.Code? =
                    switch change {
                    case .none: nil
                    case .noSession: .invalidProviderCredential
                    case .nonce: .nonceMismatch
                    case .session, .tenant, .provider, .address, .issuer, .time, .noNonce: .invalidProviderResponse
                    }
                #expect(await errorCode { _ = try await fixture.send(request, to: service) } == expected, "\(change)")
            }
        }
    }

    /// RFC 9207.
    @Test func responseOfProviderThatSendsIssuerNeedsIt() throws {
        func description(_ member: String) throws -> ProviderDescription {
            try DiscoveryDocument(
                json: Data(#"{"issuer":"https://a.example","jwks_uri":"https://a.example/k"\#(member)}"#.utf8),
                from: "https://a.example/.well-known/openid-configuration", isDev: false
            ).description(of: .init(issuer: "https://a.example"))
        }
        let plain = try description("")
        try plain.check(responseIssuer: nil)
        try plain.check(responseIssuer: "https://a.example")
        #expect(throws: ServiceError.self) { try plain.check(responseIssuer: "https://b.example") }
        let strict = try description(#","authorization_response_iss_parameter_supported":true"#)
        try strict.check(responseIssuer: "https://a.example")
        #expect(throws: ServiceError.self) { try strict.check(responseIssuer: nil) }
        try GoogleAdapter().description.check(responseIssuer: "https://accounts.google.com")
    }

    @Test(arguments: StoreEngine.shared)
    func stateIsRedeemedOnce(engine: StoreEngine) async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers, engine)
            let service = try fixture.service()
            try await fixture.insert(fixture.openIDProvider())
            let (session, _, query) = try await start(fixture, service, sessionID: "chosen-session")
            #expect(session == "chosen-session")
            let token = try providers.token(at: fixture.clock.now, ["nonce": .string(query["nonce"] ?? "")])
            let request = fixture.request(nil, idToken: token, state: query["state"], sessionID: session)
            let codes = await withTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask { await errorCode { _ = try await fixture.send(request, to: service) } }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes.filter { $0 == nil }.count == 1)
            await fixture.store.close()
        }
    }

    @Test(
        arguments: [
            ("https://app.example.com/a?b=c", nil), ("http://localhost:8080/", nil), ("no-scheme", .invalidContinueURL),
            ("https://evil.example/", .unauthorizedDomain),
            ("https://app.example.com@evil.example/", .invalidContinueURL),
            ("https://app.example.com\\@evil.example/", .invalidContinueURL),
            ("https://app.example.com/#x", .invalidContinueURL),
            ("javascript:alert(1)", .invalidContinueURL),
            ("https://app.example.com.evil.example/", .unauthorizedDomain),
        ] as [(String, WireError.Code?)])
    func redirectStaysOnAuthorizedDomains(url: String, expected: WireError.Code?) async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let service = try fixture.service()
            try await fixture.insert(fixture.openIDProvider())
            let code = await errorCode { _ = try await start(fixture, service, continueURL: url) }
            #expect(code == expected)
        }
    }

    @Test(arguments: Federation.SupportedProvider.allCases.filter { $0 != .gameCenter })
    func authorizationRequestOfSupportedProvider(provider: Federation.SupportedProvider) async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            try await fixture.insert(FederationFixture.supported(provider))
            let (_, url, query) = try await start(fixture, try fixture.service(), provider.rawValue)
            #expect(url.hasPrefix((provider.adapter.description.authorization.authorizationURL ?? "-") + "?"))
            #expect(query["client_id"] == "client-1" && query["response_type"] == "code")
            #expect((query["code_challenge"] == nil) == [.apple, .linkedIn].contains(provider))
            #expect(query["response_mode"] == (provider == .apple ? "form_post" : nil))
        }
    }

    @Test func gameCenterHasNoPage() async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            try await fixture.insert(FederationFixture.supported(.gameCenter))
            let code = await errorCode { _ = try await start(fixture, try fixture.service(), "gc.apple.com") }
            #expect(code == .providerUnavailable)
        }
    }

    /// RFC 7636, appendix B.
    @Test func codeChallengeOfPublishedVector() {
        #expect(
            BrowserSignInSecrets.codeChallenge(of: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
                == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test func appleClientSecretIsSignedForFiveMinutes() throws {
        let key = try PrivateKey(pem: Self.applePEM)
        let now = Timestamp(seconds: 1_700_000_000)
        let secret = try AppleClientSecret.sign(
            for: "com.example.web",
            .init(teamID: "TEAM567890", keyID: "KEY4567890", privateKey: Secret(Self.applePEM)), at: now)
        let verifier = JWTVerifier(
            keys: JWKSet([JWK(key.publicKey, keyID: "KEY4567890")]), algorithms: [.es256], issuers: ["TEAM567890"],
            audiences: ["https://appleid.apple.com"])
        let verified = try verifier.verify(secret, at: now)
        #expect(verified.subject == "com.example.web")
        #expect(verified.expiresAt == now + 300)
        #expect(throws: ServiceError.self) { try AppleClientSecret.sign(for: "c", .init(), at: now) }
    }

    /// A key for this test only.
    static let applePEM = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgqSGp+GMNz6doi3BL
        mPRmPcHv5oDI+h9GE+VNVEGMxxChRANCAATn0MQVXhJNbOIOl7LZ3j5+ZVf8VXJh
        /5jjn+nbBu0Fm1gbeXEh5YgcLlAYcPDWINZnG7sC4v3XUTOMuWlxuPcB
        -----END PRIVATE KEY-----
        """

    @Test(arguments: [
        (400, #"{"error":"invalid_grant"}"#), (200, #"{"error":"bad_verification_code"}"#), (200, "<html>"),
        (404, "{}"),
    ])
    func errorOfTokenEndpointIsReported(status: Int, body: String) throws {
        #expect(throws: ServiceError.self) { try TokenResponse(json: Data(body.utf8), status: status) }
    }

    @Test func errorOfProviderIsNotReflected() {
        #expect(ServiceError.providerError("<b>access_denied</b>").message == "The provider reports an error.")
        #expect(ServiceError.providerError("access_denied").message == "The provider reports access_denied.")
    }
}
