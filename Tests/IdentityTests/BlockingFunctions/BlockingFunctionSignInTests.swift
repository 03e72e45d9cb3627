import Contracts
import Foundation
import HTTPClient
import JOSE
import JSON
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// Every way to sign in calls the functions of its project (REST 8).
@Suite(.serialized) struct BlockingFunctionSignInTests {
    private static let both = ["beforeCreate", "beforeSignIn"]

    private static func fixture(
        _ engine: StoreEngine = .memory, coversEverySignIn: Bool = false
    ) async throws -> IdentityFixture {
        let fixture = try await IdentityFixture(engine, functionsCoverEverySignIn: coversEverySignIn)
        try await fixture.registerFunctions(.beforeCreate, .beforeSignIn)
        return fixture
    }

    /// The events after those that were recorded before, as "event method second-factor".
    private static func events(_ fixture: IdentityFixture, after count: Int = 0) -> [String] {
        fixture.functions.events.dropFirst(count).map { event in
            [event["event_type"], event["sign_in_method"], event["sign_in_second_factor"]]
                .compactMap { $0?.text }.joined(separator: " ")
        }
    }

    /// As Google documents: a function that reads the address would refuse every anonymous user, and every session that
    /// a backend makes.
    @Test func anonymousUserCustomTokenAndLinkCallNoFunction() async throws {
        let fixture = try await Self.fixture()
        fixture.functions.onEvent { _ throws(HTTPClientError) in HTTPClientResponse(status: 403) }
        let made = try await fixture.send(Identity.SignUp(realm: IdentityFixture.realm))
        _ = try await fixture.send(
            Identity.SignUp(
                realm: IdentityFixture.realm, email: "ada@example.com", password: Secret("correct-horse-9"),
                linkIDToken: made.tokens.idToken))
        let claims = ["aud": JSONValue.string(CustomTokenClaims.audience), "uid": .string("ada")]
        let token = Secret(JWT.unsigned(claims: try WireJSON.encode(claims)))
        _ = try await fixture.send(Identity.SignInWithCustomToken(realm: IdentityFixture.realm, token: token))
        #expect(Self.events(fixture) == [])
        // The linked password is a way to sign in like every other.
        await expectRefusal(.blockingFunctionError) { _ = try await fixture.signIn() }
    }

    @Test func anonymousSignUpWithSetting() async throws {
        let fixture = try await Self.fixture(coversEverySignIn: true)
        let made = try await fixture.send(Identity.SignUp(realm: IdentityFixture.realm))
        #expect(Self.events(fixture) == ["beforeCreate anonymous", "beforeSignIn anonymous"])
        // The link of a password is a sign-in with the password.
        _ = try await fixture.send(
            Identity.SignUp(
                realm: IdentityFixture.realm, email: "ada@example.com", password: Secret("correct-horse-9"),
                linkIDToken: made.tokens.idToken))
        #expect(Self.events(fixture, after: 2) == ["beforeSignIn password"])
    }

    @Test func password() async throws {
        let fixture = try await Self.fixture()
        _ = try await fixture.signUp()
        _ = try await fixture.signIn()
        #expect(
            Self.events(fixture) == ["beforeCreate password", "beforeSignIn password", "beforeSignIn password"])
    }

    @Test func customTokenWithSetting() async throws {
        let fixture = try await Self.fixture(coversEverySignIn: true)
        let claims = ["aud": JSONValue.string(CustomTokenClaims.audience), "uid": .string("ada")]
        let token = Secret(JWT.unsigned(claims: try WireJSON.encode(claims)))
        for _ in 0..<2 {
            _ = try await fixture.send(Identity.SignInWithCustomToken(realm: IdentityFixture.realm, token: token))
        }
        #expect(Self.events(fixture) == ["beforeCreate custom", "beforeSignIn custom", "beforeSignIn custom"])
    }

    @Test func emailLink() async throws {
        let fixture = try await Self.fixture()
        _ = try await fixture.signInByNewLink()
        _ = try await fixture.signInByNewLink()
        #expect(
            Self.events(fixture) == ["beforeCreate emailLink", "beforeSignIn emailLink", "beforeSignIn emailLink"])
    }

    @Test func emailCode() async throws {
        let fixture = try await Self.fixture()
        try await fixture.allowEmailCodes()
        for _ in 0..<2 { _ = try await fixture.signInByNewCode() }
        #expect(
            Self.events(fixture) == ["beforeCreate emailCode", "beforeSignIn emailCode", "beforeSignIn emailCode"])
        // A function learns nothing of wrong codes.
        let sent = try await fixture.sendCode()
        await expectRefusal(.invalidCode) { _ = try await fixture.signInByCode(sent.sessionInfo, sent.wrongCode) }
        #expect(fixture.functions.events.count == 3)
        fixture.functions.onEvent { _ throws(HTTPClientError) in HTTPClientResponse(status: 403) }
        await expectRefusal(.blockingFunctionError) {
            _ = try await fixture.signInByCode(sent.sessionInfo, sent.code)
        }
        // A code is redeemed only by the sign-in that succeeds.
        fixture.functions.onEvent { _ throws(HTTPClientError) in HTTPClientResponse(status: 200) }
        _ = try await fixture.signInByCode(sent.sessionInfo, sent.code)
    }

    /// A code is redeemed only by the sign-in that succeeds.
    @Test func emailLinkStaysValidWhenTheFunctionFails() async throws {
        let fixture = try await Self.fixture()
        let code = try await fixture.code(.emailSignIn, "ada@example.com")
        fixture.functions.onEvent { _ throws(HTTPClientError) in HTTPClientResponse(status: 500) }
        await expectRefusal(.blockingFunctionError) { _ = try await fixture.signInByLink(code) }
        fixture.functions.onEvent { _ throws(HTTPClientError) in HTTPClientResponse(status: 200) }
        _ = try await fixture.signInByLink(code)
        await expectRefusal(.invalidActionCode) { _ = try await fixture.signInByLink(code) }
    }

    @Test(arguments: StoreEngine.allCases)
    func phone(engine: StoreEngine) async throws {
        let fixture = try await Self.fixture(engine)
        _ = try await fixture.session()
        _ = try await fixture.session()
        #expect(Self.events(fixture) == ["beforeCreate phone", "beforeSignIn phone", "beforeSignIn phone"])
    }

    @Test(arguments: StoreEngine.allCases)
    func provider(engine: StoreEngine) async throws {
        let fixture = try await Self.fixture(engine)
        let first = try await fixture.providerSession()
        _ = try await fixture.providerSession()
        #expect(
            Self.events(fixture)
                == ["beforeCreate oidc.company", "beforeSignIn oidc.company", "beforeSignIn oidc.company"])
        // The link of another identity is a sign-in with it.
        _ = try await fixture.providerSession(
            IdentityFixture.person("other", provider: "oidc.other"), linkIDToken: first.tokens.idToken)
        #expect(Self.events(fixture, after: 3) == ["beforeSignIn oidc.other"])
    }

    @Test func changesOfTheFunctionAreKeptForAProvider() async throws {
        let fixture = try await Self.fixture()
        fixture.functions.onEvent(
            .beforeCreate, record: #"{"updateMask":"displayName,customClaims","customClaims":{"team":"blue"}}"#)
        let session = try await fixture.providerSession()
        #expect(session.account.displayName == nil)
        #expect(try OwnAccountTests.claims(session.tokens)["team"] == .string("blue"))
        #expect(session.account.providers.count == 1)
    }

    @Test func secondFactorAndRecoveryCode() async throws {
        let fixture = try await IdentityFixture()
        let (_, codes) = try await fixture.signUpWithCodes()
        try await fixture.registerFunctions(.beforeCreate, .beforeSignIn)
        let factor = try #require(try await fixture.firstFactor().secondFactor)
        #expect(Self.events(fixture) == [])
        _ = try await PendingSignInTests.complete(fixture, factor.pendingCredential, factor.factors[0].id)
        #expect(Self.events(fixture) == ["beforeSignIn password totp"])
        let credential = try await PendingSignInTests.credential(fixture)
        // A refused sign-in redeems neither the code nor the credential.
        fixture.functions.onEvent { _ throws(HTTPClientError) in HTTPClientResponse(status: 500) }
        await expectRefusal(.blockingFunctionError) { _ = try await fixture.recover(credential, codes[0]) }
        fixture.functions.onEvent { _ throws(HTTPClientError) in HTTPClientResponse(status: 200) }
        _ = try await fixture.recover(credential, codes[0])
        #expect(Self.events(fixture, after: 2) == ["beforeSignIn password recovery_code"])
    }

    @Test func wrongRecoveryCodeCallsNoFunction() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUpWithCodes()
        try await fixture.registerFunctions(.beforeSignIn)
        let credential = try await PendingSignInTests.credential(fixture)
        await expectRefusal(.invalidCode) { _ = try await fixture.recover(credential, Secret("fanr-vqqw-ewhm")) }
        #expect(fixture.functions.calls == [])
    }

    @Test func passkey() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        _ = try await fixture.enroll(PasskeyTests.passkey(1), made.tokens)
        try await fixture.registerFunctions(.beforeCreate, .beforeSignIn)
        _ = try await fixture.signIn(made.account.id, PasskeyTests.id(1))
        #expect(Self.events(fixture) == ["beforeSignIn passkey"])
    }

    /// The functions are those of the project.
    @Test func tenantsCallTheFunctionsOfTheirProject() async throws {
        let fixture = try await IdentityFixture()
        var tenant = TenantConfiguration()
        tenant.allowPasswordSignup = true
        let made = try await fixture.send(
            Identity.CreateTenant(project: IdentityFixture.realm.project, configuration: tenant))
        try await fixture.registerFunctions(.beforeCreate)
        let realm = Realm(project: IdentityFixture.realm.project, tenant: made.id)
        _ = try await fixture.send(
            Identity.SignUp(realm: realm, email: "ada@example.com", password: Secret("correct-horse-9")))
        #expect(fixture.functions.events.first?["tenant_id"]?.text == made.id.rawValue)
    }

    /// The recorded reply of the first call is returned, and no function is called again.
    @Test func repeatedBusCallCallsNoFunctionAgain() async throws {
        let fixture = try await Self.fixture()
        let request = Identity.SignUp(
            realm: IdentityFixture.realm, email: "ada@example.com", password: Secret("correct-horse-9"))
        let first = try await fixture.send(request, idempotencyKey: "one")
        let second = try await fixture.send(request, idempotencyKey: "one")
        #expect(first.account == second.account && first.tokens.refreshToken == second.tokens.refreshToken)
        #expect(fixture.functions.calls == Self.both)
    }
}
