import Bus
import Contracts
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

extension IdentityFixture {
    func signInByLink(
        _ code: Secret<String>, _ email: String = "ada@example.com", linkIDToken: Secret<String>? = nil
    ) async throws -> Identity.SignInWithEmailLink.Reply {
        try await send(
            Identity.SignInWithEmailLink(realm: Self.realm, email: email, code: code, linkIDToken: linkIDToken))
    }

    func signInByNewLink(
        _ email: String = "ada@example.com", linkIDToken: Secret<String>? = nil
    ) async throws -> Identity.SignInWithEmailLink.Reply {
        try await signInByLink(try await code(.emailSignIn, email), email, linkIDToken: linkIDToken)
    }
}

@Suite struct EmailLinkSignInTests {
    @Test func newEmailCreatesAccountAndSignsInAgain() async throws {
        let fixture = try await IdentityFixture()
        let first = try await fixture.signInByNewLink("New@example.com")
        #expect(first.isNewAccount && first.account.emailVerified && first.account.emailLinkSignIn)
        #expect(!first.account.hasPassword && first.account.email == EmailAddress("New@example.com"))
        #expect(try await fixture.lookUp(#require(first.tokens).idToken).id == first.account.id)
        let again = try await fixture.signInByNewLink("new@example.com")
        #expect(!again.isNewAccount && again.account.id == first.account.id)
    }

    @Test func wrongEmailDoesNotRedeemCode() async throws {
        let fixture = try await IdentityFixture()
        let code = try await fixture.code(.emailSignIn)
        await #expect(throws: ServiceError(.emailMismatch)) { try await fixture.signInByLink(code, "b@example.com") }
        _ = try await fixture.signInByLink(code)
    }

    @Test func missingFieldsAreNamedInOrder() async throws {
        let fixture = try await IdentityFixture()
        let realm = IdentityFixture.realm
        let rows: [(Identity.SignInWithEmailLink, ServiceError)] = [
            (.init(realm: realm, email: nil, code: Secret("x")), ServiceError(.missingEmail)),
            (.init(realm: realm, email: "a@example.com", code: nil), ServiceError(.missingActionCode)),
            (.init(realm: realm, email: "plain", code: Secret("x")), ServiceError(.invalidEmail)),
            (.init(realm: realm, email: "a@example.com", code: Secret("x")), ServiceError(.invalidActionCode)),
        ]
        for (request, error) in rows { await #expect(throws: error) { try await fixture.send(request) } }
        try await fixture.configure { $0.signIn?.email?.passwordRequired = true }
        await #expect(throws: ServiceError(.operationNotAllowed)) { try await fixture.send(rows[3].0) }
    }

    /// The address had no verified owner before.
    @Test func unverifiedAccountLosesPasswordAndSessions() async throws {
        let fixture = try await IdentityFixture()
        let thief = try await fixture.signUp()
        fixture.clock.advance(by: .seconds(1))
        let owner = try await fixture.signInByNewLink()
        #expect(owner.account.id == thief.account.id && !owner.account.hasPassword)
        await #expect(throws: ServiceError(.invalidCredentials)) { try await fixture.signIn() }
        await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.lookUp(thief.tokens.idToken) }
        #expect(try await fixture.lookUp(#require(owner.tokens).idToken).id == owner.account.id)
    }

    @Test func verifiedAccountKeepsPasswordAndSessions() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        _ = try await fixture.change(ada.account.id, .init(emailVerified: true))
        fixture.clock.advance(by: .seconds(1))
        _ = try await fixture.signInByNewLink()
        _ = try await fixture.signIn()
        _ = try await fixture.lookUp(ada.tokens.idToken)
    }

    @Test func anonymousAccountKeepsIDAndGetsEmail() async throws {
        let fixture = try await IdentityFixture()
        let anonymous = try await fixture.send(Identity.SignUp(realm: IdentityFixture.realm))
        fixture.clock.advance(by: .seconds(3600))  // An anonymous account cannot sign in again.
        let linked = try await fixture.signInByNewLink(linkIDToken: anonymous.tokens.idToken)
        #expect(linked.account.id == anonymous.account.id && !linked.isNewAccount && linked.account.emailVerified)
    }

    @Test func emailOfAnotherAccountIsNotLinked() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        let anonymous = try await fixture.send(Identity.SignUp(realm: IdentityFixture.realm))
        let code = try await fixture.code(.emailSignIn)
        await #expect(throws: ServiceError(.emailExists)) {
            try await fixture.signInByLink(code, linkIDToken: anonymous.tokens.idToken)
        }
        _ = try await fixture.signInByLink(code)
    }

    @Test func linkingAnotherEmailChangesEmail() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        _ = try await fixture.change(ada.account.id, .init(emailVerified: true))
        fixture.clock.advance(by: .seconds(1))
        let linked = try await fixture.signInByNewLink("new@example.com", linkIDToken: ada.tokens.idToken)
        #expect(linked.account.id == ada.account.id && linked.account.email == EmailAddress("new@example.com"))
        #expect(try await fixture.mail(.emailChanged).recipient == EmailAddress("ada@example.com"))
        await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.lookUp(ada.tokens.idToken) }

        fixture.clock.advance(by: .seconds(301))
        await #expect(throws: ServiceError(.recentSignInRequired)) {
            try await fixture.signInByNewLink("third@example.com", linkIDToken: #require(linked.tokens).idToken)
        }
    }

    @Test func secondFactorIsStillRequired() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        try await fixture.store.write { transaction in
            try transaction.execute(
                """
                INSERT INTO second_factors (project, tenant, account_id, factor_id, kind, enrolled_at)
                VALUES ('demo', '', $1, 'f', 'totp', 0)
                """, .text(ada.account.id.rawValue))
        }
        try await fixture.configure {
            $0.mfa?.providerConfigs = [.init()]
            $0.mfa?.providerConfigs?[0].state = .enabled
            $0.mfa?.providerConfigs?[0].totpProviderConfig = .init()
        }
        let code = try await fixture.code(.emailSignIn)
        let reply = try await fixture.signInByLink(code)
        #expect(reply.tokens == nil && reply.secondFactor?.factors.map(\.id) == [FactorID("f")])
        await #expect(throws: ServiceError(.invalidActionCode)) { try await fixture.inspect(code) }
        try await fixture.reset(try await fixture.code(.passwordReset))
        let found = try await fixture.send(
            Identity.FindAccounts(realm: IdentityFixture.realm, criteria: [.accountID(ada.account.id)]))
        #expect(found.accounts.first?.secondFactors.count == 1)
    }

    @Test func secondFactorIsRemovedByItsNotice() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        try await fixture.store.write { transaction in
            try transaction.execute(
                """
                INSERT INTO second_factors (project, tenant, account_id, factor_id, kind, enrolled_at)
                VALUES ('demo', '', $1, 'f', 'totp', 0)
                """, .text(ada.account.id.rawValue))
        }
        let project = try #require(try await fixture.store.project(IdentityFixture.realm.project))
        let account = try #require(try await fixture.store.account(ada.account.id, in: IdentityFixture.realm)).account
        let factor = try #require(account.secondFactors.first)
        let (notices, store) = (AccountNotices(context: fixture.service.context), fixture.store)
        let context = AccountNotices.Context(
            project: project, locale: nil, trace: .random(), now: fixture.clock.now)
        try await store.write { transaction in
            try store.enqueue(try notices.secondFactorAddition(of: factor, account, context), transaction)
        }
        let mail = try await fixture.mail(.secondFactorAdded)
        let entry = try #require(try await fixture.listed().first)
        #expect(mail.link == entry.link.reveal() && mail.secondFactor == factor.hint)
        #expect(try await fixture.inspect(entry.code).secondFactor?.id == FactorID("f"))
        #expect(try await fixture.apply(entry.code).account.secondFactors.isEmpty)
        #expect(try await fixture.lookUp(fixture.signIn().tokens.idToken).secondFactors.isEmpty)
    }

    @Test func newAccountRequiresOpenSignUp() async throws {
        let fixture = try await IdentityFixture()
        try await fixture.configure {
            $0.client?.permissions = .init()
            $0.client?.permissions?.disabledUserSignup = true
        }
        await #expect(throws: ServiceError(.adminOnlyOperation)) { try await fixture.signInByNewLink() }
    }

    @Test func disabledAccountIsRefused() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        _ = try await fixture.change(ada.account.id, .init(disabled: true))
        await #expect(throws: ServiceError(.accountDisabled)) { try await fixture.signInByNewLink() }
    }

    // MARK: Lookup of an address

    /// The reply takes the same time for every address because no account is looked up.
    @Test func emailPrivacySkipsLookup() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        let request = Identity.FindSignInMethods(realm: IdentityFixture.realm, email: "ada@example.com")
        #expect(try await fixture.send(request).methods == nil)
        try await fixture.store.write { transaction in
            try transaction.execute("ALTER TABLE accounts RENAME TO accounts_out_of_reach")
        }
        #expect(try await fixture.send(request).methods == nil)
    }

    @Test func signInMethodsRequireDisabledEmailPrivacy() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        _ = try await fixture.change(ada.account.id, .init(emailVerified: true))
        _ = try await fixture.signInByNewLink()
        func methods(_ email: String) async throws -> Identity.FindSignInMethods.Methods? {
            try await fixture.send(Identity.FindSignInMethods(realm: IdentityFixture.realm, email: email)).methods
        }
        #expect(try await methods("ada@example.com") == nil)
        #expect(try await methods("nobody@example.com") == nil)
        try await fixture.showsEmails()
        #expect(
            try await methods("ADA@example.com")
                == .init(isRegistered: true, hasPassword: true, hasEmailLink: true, providers: []))
        #expect(try await methods("nobody@example.com")?.isRegistered == false)
        await #expect(throws: ServiceError(.missingIdentifier)) { try await methods("") }
        await #expect(throws: ServiceError(.invalidIdentifier)) { try await methods("plain") }
    }
}
