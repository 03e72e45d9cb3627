import Contracts
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

@Suite struct AuthorizationCodeHandlerTests {
    private static let realm = IdentityFixture.realm
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let challenge = Identity.CodeChallenge(
        "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", method: "S256")!  // RFC 7636 appendix B.
    private static let url = "https://app.example.com/"

    /// The service with an account that is signed in on the page, and an application.
    private struct Journey {
        let fixture: IdentityFixture
        let page: TokenSet
        let account: Account
        let application: Identity.Application

        init(_ engine: StoreEngine = .memory) async throws {
            let fixture = try await IdentityFixture(engine)
            let reply = try await fixture.signUp()
            try await self.init(fixture, page: reply.tokens, of: reply.account)
        }

        init(_ fixture: IdentityFixture, page: TokenSet, of account: Account) async throws {
            self.fixture = fixture
            self.page = page
            self.account = account
            application = try await Self.register("Shop", fixture)
        }

        static func register(_ name: String, _ fixture: IdentityFixture) async throws -> Identity.Application {
            try await fixture.send(
                Identity.CreateApplication(
                    project: realm.project, registration: .init(displayName: name, kind: .web, redirectURLs: [url])))
        }

        func issue(
            url: String = url, nonce: String? = nil, maximumAge: Int64? = nil, level: AuthenticationLevel? = nil,
            key: String? = nil
        ) async throws -> Secret<String> {
            try await fixture.send(
                Identity.IssueAuthorizationCode(
                    realm: realm, idToken: page.idToken, application: application.id, redirectURL: url,
                    challenge: challenge, nonce: nonce, maximumSignInAgeSeconds: maximumAge, minimumLevel: level),
                idempotencyKey: key
            ).code
        }

        func redeem(
            _ code: Secret<String>, application: ApplicationID? = nil, url: String = url, verifier: String = verifier,
            project: ProjectID = realm.project, key: String? = nil
        ) async throws -> Identity.RedeemAuthorizationCode.Reply {
            try await fixture.send(
                Identity.RedeemAuthorizationCode(
                    project: project, code: code, application: application ?? self.application.id, redirectURL: url,
                    verifier: Secret(verifier)), idempotencyKey: key)
        }

        func expectRefusal(_ code: Secret<String>) async {
            await #expect(throws: ServiceError(.invalidAuthorizationCode)) { try await redeem(code) }
        }
    }

    /// The session of an application, by a code for that of a page.
    static func open(besides page: TokenSet, of account: Account, _ fixture: IdentityFixture) async throws -> TokenSet {
        let journey = try await Journey(fixture, page: page, of: account)
        return try await journey.redeem(journey.issue()).tokens
    }

    private static func claims(_ tokens: TokenSet) throws -> [String: JSONValue] {
        try IDTokenIssuer.payload(of: tokens.idToken.reveal())
    }

    @Test(arguments: StoreEngine.shared)
    func codeOpensASessionLikeThatOfThePage(engine: StoreEngine) async throws {
        let journey = try await Journey(engine)
        journey.fixture.clock.advance(by: .seconds(100))
        let code = try await journey.issue(nonce: "n-0S6")
        let reply = try await journey.redeem(code)
        #expect(reply.accountID == journey.account.id)
        let (page, own) = (try Self.claims(journey.page), try Self.claims(reply.tokens))
        for name in ["sub", "iss", "aud", "auth_time", "amr", "acr", "email"] {
            #expect(own[name] == page[name], "\(name)")
        }
        #expect(own["nonce"] == .string("n-0S6"))
        // It is a session of its own, which outlives that of the page.
        #expect(own["firebase"]?["session_id"] != page["firebase"]?["session_id"])
        let refreshed = try await journey.fixture.refresh(reply.tokens.refreshToken)
        #expect(try Self.claims(refreshed)["nonce"] == nil)
        #expect(try Self.claims(refreshed)["auth_time"] == page["auth_time"])
        _ = try await journey.fixture.refresh(journey.page.refreshToken)
    }

    @Test(arguments: StoreEngine.shared)
    func replayEndsWhatTheFirstRedemptionOpened(engine: StoreEngine) async throws {
        let journey = try await Journey(engine)
        let code = try await journey.issue()
        let reply = try await journey.redeem(code)
        await journey.expectRefusal(code)
        await #expect(throws: ServiceError(.sessionExpired)) {
            try await journey.fixture.refresh(reply.tokens.refreshToken)
        }
        _ = try await journey.fixture.refresh(journey.page.refreshToken)
        #expect(
            try await journey.fixture.auditActions().suffix(2) == ["session.created", "authorization-code.replayed"])
    }

    /// Whoever presents a code without its verifier, or for another application or address, has stolen it.
    @Test func wrongPresentationEndsTheCode() async throws {
        let journey = try await Journey()
        let other = try await Journey.register("Other", journey.fixture)
        for attempt in 0..<3 {
            let code = try await journey.issue()
            await #expect(throws: ServiceError(.invalidAuthorizationCode)) {
                switch attempt {
                case 0: try await journey.redeem(code, verifier: String(repeating: "a", count: 43))
                case 1: try await journey.redeem(code, application: other.id)
                default: try await journey.redeem(code, url: "https://app.example.com/other")
                }
            }
            await journey.expectRefusal(code)
        }
        // Refusals of a minute are counted together.
        #expect(
            Set(try await journey.fixture.auditActions().filter { $0.hasPrefix("authorization-code.") })
                == ["authorization-code.refused"])
    }

    @Test func codeIsValidForAMinute() async throws {
        let journey = try await Journey()
        let code = try await journey.issue()
        journey.fixture.clock.advance(by: .seconds(60))
        await journey.expectRefusal(code)
    }

    @Test func codeEndsWithTheSessionOfThePage() async throws {
        let journey = try await Journey()
        let code = try await journey.issue()
        _ = try await journey.fixture.send(
            Identity.EndOwnSessions(realm: Self.realm, idToken: journey.page.idToken, selection: .all))
        await journey.expectRefusal(code)
        await #expect(throws: ServiceError.self) { try await journey.issue() }
    }

    @Test func codeOfADisabledAccountIsRefused() async throws {
        let journey = try await Journey()
        let code = try await journey.issue()
        _ = try await journey.fixture.change(journey.account.id, .init(disabled: true))
        await journey.expectRefusal(code)
        _ = try await journey.fixture.change(journey.account.id, .init(disabled: false))
        await journey.expectRefusal(code)
    }

    @Test func codeOfADeletedAccountIsUnknown() async throws {
        let journey = try await Journey()
        let code = try await journey.issue()
        _ = try await journey.fixture.send(Identity.DeleteAccount(realm: Self.realm, accountID: journey.account.id))
        await journey.expectRefusal(code)
    }

    @Test func codeOfAnotherProjectIsUnknown() async throws {
        let journey = try await Journey()
        let code = try await journey.issue()
        await #expect(throws: ServiceError(.invalidAuthorizationCode)) {
            try await journey.redeem(code, project: ProjectID("other"))
        }
        // A project that the code does not belong to cannot end it either.
        _ = try await journey.redeem(code)
    }

    @Test(arguments: ["", "x", "AAAA", String(repeating: "A", count: 44), String(repeating: "A", count: 1000)])
    func otherTextIsNoCode(text: String) async throws {
        await (try await Journey()).expectRefusal(Secret(text))
    }

    @Test func repeatedCallsOfTheBusHaveOneEffect() async throws {
        let journey = try await Journey()
        let code = try await journey.issue(key: "a")
        #expect(try await journey.issue(key: "a") == code)
        let first = try await journey.redeem(code, key: "b")
        #expect(try await journey.redeem(code, key: "b").tokens.refreshToken == first.tokens.refreshToken)
        _ = try await journey.fixture.refresh(first.tokens.refreshToken)
    }

    @Test func codeIsIssuedForRegisteredAddressesOnly() async throws {
        let journey = try await Journey()
        await #expect(throws: ServiceError(.invalidRedirectURL)) {
            try await journey.issue(url: "https://evil.example/")
        }
        _ = try await journey.fixture.send(
            Identity.DeleteApplication(project: Self.realm.project, id: journey.application.id))
        await #expect(throws: ServiceError(.applicationNotFound)) { try await journey.issue() }
    }

    /// Step-up: the application demands a newer or a stronger sign-in.
    @Test func oldOrWeakSignInIsRefused() async throws {
        let journey = try await Journey()
        journey.fixture.clock.advance(by: .seconds(300))
        _ = try await journey.issue(maximumAge: 301, level: .oneFactor)
        await #expect(throws: ServiceError(.recentSignInRequired)) { try await journey.issue(maximumAge: 300) }
        await #expect(throws: ServiceError(.secondFactorRequired)) { try await journey.issue(level: .twoFactors) }
    }

    @Test func applicationIsFoundByItsClientID() async throws {
        let journey = try await Journey()
        #expect(
            try await journey.fixture.send(Identity.ResolveApplication(id: journey.application.id))
                == journey.application)
        await #expect(throws: ServiceError(.applicationNotFound)) {
            try await journey.fixture.send(Identity.ResolveApplication(id: ApplicationID("none")))
        }
    }
}
