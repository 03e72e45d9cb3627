import Contracts
import Foundation
import JSON
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// Sessions of sign-ins with providers: attributes and second factors. Serialized: each test uses several connections.
@Suite(.serialized) struct ProviderSessionTests {
    private static let attributes = #"{"groups":["a","b"],"level":3,"user_verified":true}"#
    private static let attributeValues = JSONValue.object([
        "groups": .array([.string("a"), .string("b")]), "level": .integer(3), "user_verified": .bool(true),
    ])

    private static func firebase(_ tokens: TokenSet) throws -> JSONValue? {
        try OwnAccountTests.claims(tokens)["firebase"]
    }

    private static let google = IdentityFixture.person(authoritative: true, provider: "google.com")

    // MARK: Attributes

    @Test(arguments: StoreEngine.allCases)
    func attributesSurviveRefreshAndChanges(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let session = try await fixture.providerSession(IdentityFixture.person(attributes: Self.attributes))
        #expect(try Self.firebase(session.tokens)?["sign_in_attributes"] == Self.attributeValues)
        let refreshed = try await fixture.refresh(session.tokens.refreshToken)
        #expect(try Self.firebase(refreshed)?["sign_in_attributes"] == Self.attributeValues)
        // A session that continues another one has its attributes, also after the next refresh.
        let changed = try await fixture.changeOwn(refreshed, .init(displayName: "Grace")).tokens
        #expect(try Self.firebase(changed)?["sign_in_attributes"] == Self.attributeValues)
        let again = try await fixture.refresh(changed.refreshToken)
        #expect(try Self.firebase(again)?["sign_in_attributes"] == Self.attributeValues)
        let linked = try await fixture.providerSession(
            IdentityFixture.person("7", email: nil, provider: "github.com"), linkIDToken: again.idToken)
        #expect(try Self.firebase(linked.tokens)?["sign_in_attributes"] == nil)
        #expect(try Self.firebase(linked.tokens)?["sign_in_provider"] == .string("github.com"))
    }

    @Test func attributesAtTheBoundFitIntoTokens() async throws {
        let fixture = try await IdentityFixture()
        let count = ProviderIdentity.maximumAttributeBytes - #"{"a":""}"#.utf8.count
        let attributes = #"{"a":""# + String(repeating: "a", count: count) + #""}"#
        let session = try await fixture.providerSession(IdentityFixture.person(attributes: attributes))
        _ = try await fixture.lookUp(session.tokens.idToken)
        await #expect(throws: ServiceError.invalidProviderIdentity) {
            try await fixture.signInByProvider(
                IdentityFixture.person(attributes: #"{"a":""# + String(repeating: "a", count: count + 1) + #""}"#))
        }
    }

    /// A provider must not be able to name its own sign-in a verified passkey.
    @Test(arguments: ["oidc.company", "passkey"])
    func attributeNamedAsOursCountsOnlyForPasskeys(provider: String) throws {
        for text in ["true", "false", #""true""#, "1", "[]", "{}", "null"] {
            let claims = try Self.claims(provider, attributes: #"{"user_verified":\#(text)}"#)
            let expected: Bool? = provider == "passkey" ? ["true": true, "false": false][text] : nil
            #expect(claims.authentication.isUserVerified == expected, "\(text)")
            #expect(claims.authentication.hasTwoFactors == (expected == true), "\(text)")
            #expect((claims.authentication.attributes == nil) == (provider == "passkey"))
        }
    }

    @Test(arguments: ["null", "7", "true", #""text""#, "[]", #"[{"user_verified":true}]"#])
    func attributesOfAnotherTypeAreIgnored(attributes: String) throws {
        for provider in ["oidc.company", "passkey"] {
            let authentication = try Self.claims(provider, attributes: attributes).authentication
            #expect(authentication.isUserVerified == nil && authentication.attributes == nil)
        }
    }

    private static func claims(_ provider: String, attributes: String) throws -> IDTokenClaims {
        let payload = """
            {"iss":"https://securetoken.google.com/demo","aud":"demo","sub":"a","iat":1,"exp":2,"auth_time":1,\
            "firebase":{"sign_in_provider":"\(provider)","identities":{},"sign_in_attributes":\(attributes)}}
            """
        return try IDTokenClaims(payload: Data(payload.utf8))
    }

    // MARK: Second factors

    @Test(arguments: StoreEngine.allCases)
    func signInAwaitsSecondFactorAndKeepsAttributes(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let ada = try await fixture.signUpVerified()
        try await fixture.enrollTOTP(ada.tokens)
        try await fixture.link(ada.account.id)
        let person = IdentityFixture.person(email: "new@example.com", attributes: Self.attributes)
        let reply = try await fixture.signInByProvider(person)
        let pending = try #require(reply.pending)
        #expect(reply.session == nil && pending.account.id == ada.account.id)
        #expect(pending.secondFactor.factors.map(\.id) == [FactorID("app")])
        // Nothing changes before the factor is verified.
        let before = try #require(try await fixture.store.account(ada.account.id, in: IdentityFixture.realm))
        #expect(before.account.providers == [IdentityFixture.person().link])
        #expect(before.account.displayName == nil)
        fixture.clock.advance(by: .seconds(30))
        let opened = try await PendingSignInTests.complete(
            fixture, pending.secondFactor.pendingCredential, FactorID("app"))
        #expect(opened.account.providers == [person.link] && opened.account.displayName == "Ada")
        for tokens in [opened.tokens, try await fixture.refresh(opened.tokens.refreshToken)] {
            let claims = try OwnAccountTests.claims(tokens)
            #expect(claims["auth_time"] == .integer(fixture.clock.now.timestamp.seconds))
            #expect(claims["firebase"]?["sign_in_provider"] == .string("oidc.company"))
            #expect(claims["firebase"]?["sign_in_second_factor"] == .string("totp"))
            #expect(claims["firebase"]?["second_factor_identifier"] == .string("app"))
            #expect(claims["firebase"]?["sign_in_attributes"] == Self.attributeValues)
        }
        #expect(try await fixture.auditActions().contains("session.first-factor-verified"))
    }

    /// The identity joins the account of its address after the second factor.
    @Test(arguments: StoreEngine.allCases)
    func identityIsLinkedAfterSecondFactor(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let ada = try await fixture.signUpVerified()
        try await fixture.enrollTOTP(ada.tokens)
        let pending = try #require(try await fixture.signInByProvider(Self.google).pending)
        #expect(pending.account.providers.isEmpty)
        #expect(
            try await fixture.store.account(ada.account.id, in: IdentityFixture.realm)?.account.providers.isEmpty
                == true)
        let opened = try await PendingSignInTests.complete(
            fixture, pending.secondFactor.pendingCredential, FactorID("app"))
        #expect(opened.account.providers == [Self.google.link] && opened.account.hasPassword)
        #expect(try await fixture.lookUp(opened.tokens.idToken).providers == [Self.google.link])
        #expect(
            try Self.firebase(opened.tokens)?["identities"]?["google.com"] == .array([.string(Self.google.subject)]))
    }

    @Test func recoveryCodeCompletesTheLinkToo() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        let enrolled = try await fixture.enrollTOTP(ada.tokens)
        let codes = try await fixture.send(
            Identity.GenerateRecoveryCodes(realm: IdentityFixture.realm, idToken: enrolled.tokens.idToken)
        ).codes
        let pending = try #require(try await fixture.signInByProvider(Self.google).pending)
        let opened = try await fixture.send(
            Identity.SignInWithRecoveryCode(
                project: IdentityFixture.realm.project, pendingCredential: pending.secondFactor.pendingCredential,
                code: codes.first))
        #expect(opened.account.providers == [Self.google.link])
    }

    /// Between the two factors, the identity was linked to another account, or the account has got another address.
    @Test(arguments: [false, true])
    func identityOfAnotherAccountIsNotLinkedAfterSecondFactor(isLinkedElsewhere: Bool) async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        try await fixture.enrollTOTP(ada.tokens)
        let pending = try #require(try await fixture.signInByProvider(Self.google).pending)
        if isLinkedElsewhere {
            let bob = try await fixture.signUp("bob@example.com")
            _ = try await fixture.change(bob.account.id, .init(link: Self.google.link))
        } else {
            try await fixture.store.write { transaction in
                try transaction.execute("UPDATE accounts SET email_verified = 0")
            }
        }
        let opened = try await PendingSignInTests.complete(
            fixture, pending.secondFactor.pendingCredential, FactorID("app"))
        #expect(opened.account.providers.isEmpty)
    }

    /// An account with a second factor that is requested is not taken over before the factor is verified.
    @Test(arguments: StoreEngine.allCases)
    func takeoverAwaitsSecondFactor(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let ada = try await fixture.signUpVerified()
        try await fixture.enrollTOTP(ada.tokens)
        _ = try await fixture.change(ada.account.id, .init(emailVerified: false))
        let before = try await fixture.store.account(ada.account.id, in: IdentityFixture.realm)
        let reply = try await fixture.signInByProvider(Self.google)
        #expect(reply.session == nil && reply.pending?.account.id == ada.account.id)
        #expect(try await fixture.store.account(ada.account.id, in: IdentityFixture.realm) == before)
        _ = try await fixture.refresh(ada.tokens.refreshToken)
        #expect(try await fixture.firstFactor().secondFactor != nil)
        #expect(!fixture.published.all.contains(.sessionsRevoked(IdentityFixture.realm, ada.account.id)))
    }

    @Test func takeoverRemovesFactorsThatAreNotRequested() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        try await fixture.enrollTOTP(ada.tokens)
        _ = try await fixture.change(ada.account.id, .init(emailVerified: false))
        try await fixture.configure { configuration in
            configuration.mfa?.state = .disabled
            configuration.mfa?.providerConfigs = nil
        }
        let session = try await fixture.providerSession(Self.google)
        #expect(session.isEmailRecycled && session.account.secondFactors.isEmpty)
    }

    @Test(arguments: StoreEngine.allCases)
    func linkKeepsSecondFactorOfSession(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let ada = try await fixture.signUpVerified()
        let enrolled = try await fixture.enrollTOTP(ada.tokens)
        let before = try OwnAccountTests.claims(enrolled.tokens)
        fixture.clock.advance(by: .seconds(100))
        let linked = try await fixture.providerSession(linkIDToken: enrolled.tokens.idToken)
        let claims = try OwnAccountTests.claims(linked.tokens)
        #expect(claims["firebase"]?["sign_in_provider"] == .string("oidc.company"))
        #expect(claims["firebase"]?["sign_in_second_factor"] == .string("totp"))
        #expect(claims["firebase"]?["second_factor_identifier"] == .string("app"))
        #expect(claims["auth_time"] == before["auth_time"])
        // A session without the factor links nothing.
        let other = IdentityFixture.person("7", email: nil, provider: "github.com")
        await #expect(throws: ServiceError(.secondFactorRequired)) {
            try await fixture.signInByProvider(other, linkIDToken: ada.tokens.idToken)
        }
        #expect(
            try await fixture.store.account(ada.account.id, in: IdentityFixture.realm)?.account.providers.count == 1)
    }

    /// A passkey that verified the user is both factors. The session keeps them.
    @Test func linkKeepsSessionOfVerifiedPasskey() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        _ = try await fixture.enroll(PasskeyTests.passkey(1), ada.tokens)
        try await fixture.configure { $0.mfa?.state = .mandatory }
        let signedIn = try #require(try await fixture.signIn(ada.account.id, PasskeyTests.id(1)).tokens)
        let linked = try await fixture.providerSession(
            IdentityFixture.person(attributes: Self.attributes), linkIDToken: signedIn.idToken)
        let claims = try OwnAccountTests.claims(linked.tokens)
        #expect(claims["aud"] == .string("demo"))
        #expect(claims["firebase"]?["sign_in_provider"] == .string("passkey"))
        #expect(claims["firebase"]?["sign_in_attributes"] == .object(["user_verified": .bool(true)]))
        _ = try await fixture.changeOwn(linked.tokens, .init(removals: [.provider("oidc.company")]))
    }

    @Test func sessionWithoutMandatoryFactorOnlyEnrolls() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUpVerified("other@example.com")
        try await fixture.configure { $0.mfa?.state = .mandatory }
        let session = try await fixture.providerSession(IdentityFixture.person(attributes: Self.attributes))
        let claims = try Self.firebase(session.tokens)
        #expect(claims?["second_factor_required"] == .bool(true))
        let enrolled = try await fixture.enrollTOTP(session.tokens)
        #expect(try Self.firebase(enrolled.tokens)?["sign_in_provider"] == .string("oidc.company"))
        #expect(try Self.firebase(enrolled.tokens)?["sign_in_attributes"] == Self.attributeValues)
    }
}
