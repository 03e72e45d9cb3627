import Contracts
import DatabaseService
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

extension IdentityFixture {
    /// Requests a code as a client does.
    @discardableResult
    func send(
        _ purpose: ActionCode.Purpose, _ email: String? = "ada@example.com", newEmail: String? = nil,
        idToken: Secret<String>? = nil, settings: Identity.ActionSettings = .init()
    ) async throws -> Identity.SendActionCode.Reply {
        try await send(
            Identity.SendActionCode(
                realm: Self.realm, purpose: purpose, email: email, newEmail: newEmail, idToken: idToken,
                settings: settings))
    }

    /// Creates a code as an administrator does.
    func code(
        _ purpose: ActionCode.Purpose, _ email: String = "ada@example.com", newEmail: String? = nil
    ) async throws -> Secret<String> {
        let reply = try await send(
            Identity.SendActionCode(
                realm: Self.realm, purpose: purpose, email: email, newEmail: newEmail, isByAdministrator: true,
                returnsLink: true))
        return try #require(reply.code)
    }

    func listed() async throws -> [Identity.ListActionCodes.Entry] {
        try await send(Identity.ListActionCodes(realm: Self.realm)).codes
    }

    func showsEmails() async throws {
        try await configure { $0.emailPrivacyConfig?.enableImprovedEmailPrivacy = false }
    }
}

@Suite struct ActionCodeSendingTests {
    @Test func codeIsEmailedAndNotReturned() async throws {
        let fixture = try await IdentityFixture()
        try await fixture.showsEmails()
        _ = try await fixture.signUp()
        let reply = try await fixture.send(.passwordReset, "Ada@example.com")
        #expect(reply == .init(email: try #require(EmailAddress("Ada@example.com"))))
        let mail = try await fixture.mail(.resetPassword)
        let entry = try #require(try await fixture.listed().first)
        #expect(mail.recipient == EmailAddress("Ada@example.com") && mail.link == entry.link.reveal())
        #expect(entry.purpose == .passwordReset && mail.link?.contains("mode=resetPassword&oobCode=") == true)
    }

    /// EN2: the same reply and the same work, but no e-mail.
    @Test func emailPrivacyHidesUnknownEmail() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        #expect(
            try await fixture.send(.passwordReset, "nobody@example.com").email == EmailAddress("nobody@example.com"))
        #expect(try await fixture.listed().isEmpty)
        #expect(try await fixture.mails().isEmpty)
        try await fixture.send(.passwordReset)
        #expect(try await fixture.mail(.resetPassword).recipient == EmailAddress("ada@example.com"))

    }

    @Test func disabledEmailPrivacyNamesUnknownEmail() async throws {
        let fixture = try await IdentityFixture()
        try await fixture.showsEmails()
        await #expect(throws: ServiceError(.emailNotFound)) { try await fixture.send(.passwordReset) }
        _ = try await fixture.signUp()
    }

    @Test func signInLinkIsSentToAnyEmail() async throws {
        let fixture = try await IdentityFixture()
        try await fixture.send(.emailSignIn, "new@example.com")
        #expect(try await fixture.mails().map(\.purpose) == [.emailSignIn])
        #expect(try await fixture.listed().map(\.email) == [EmailAddress("new@example.com")])
    }

    struct Refusal: Sendable {
        var request: Identity.SendActionCode
        var error: ServiceError
        init(_ request: Identity.SendActionCode, _ error: ServiceError) {
            (self.request, self.error) = (request, error)
        }
    }

    private static let realm = IdentityFixture.realm
    static let refusals = [
        Refusal(.init(realm: realm, purpose: .passwordReset), ServiceError(.missingEmail)),
        Refusal(.init(realm: realm, purpose: .emailSignIn, email: ""), ServiceError(.missingEmail)),
        Refusal(.init(realm: realm, purpose: .passwordReset, email: "plain"), ServiceError(.invalidEmail)),
        Refusal(.init(realm: realm, purpose: .emailSignIn, email: "a@b@c.example"), ServiceError(.invalidEmail)),
        Refusal(.init(realm: realm, purpose: .verifyEmail, email: "ada@example.com"), ServiceError(.invalidIDToken)),
        Refusal(.init(realm: realm, purpose: .verifyEmail, idToken: Secret("x")), ServiceError(.invalidIDToken)),
        Refusal(.init(realm: realm, purpose: .verifyAndChangeEmail), ServiceError(.missingNewEmail)),
        Refusal(.init(realm: realm, purpose: .verifyAndChangeEmail, newEmail: "plain"), ServiceError(.invalidNewEmail)),
        Refusal(
            .init(realm: realm, purpose: .verifyAndChangeEmail, newEmail: "n@example.com"),
            ServiceError(.missingIDToken)),
        Refusal(
            .init(realm: realm, purpose: .verifyEmail, email: "nobody@example.com", isByAdministrator: true),
            ServiceError(.accountNotFound)),
        Refusal(
            .init(realm: realm, purpose: .passwordReset, email: "nobody@example.com", isByAdministrator: true),
            ServiceError(.emailNotFound)),
        Refusal(
            .init(
                realm: realm, purpose: .emailSignIn, email: "a@example.com",
                settings: .init(continueURL: "https://evil.example/")), ServiceError(.unauthorizedDomain)),
    ]

    @Test(arguments: refusals) func invalidRequestIsRefused(refusal: Refusal) async throws {
        let fixture = try await IdentityFixture()
        await #expect(throws: refusal.error) { try await fixture.send(refusal.request) }
        #expect(try await fixture.listed().isEmpty)
        #expect(try await fixture.mails().isEmpty)
    }

    @Test(arguments: [ActionCode.Purpose.recoverEmail, .revertSecondFactorAddition, .revertPasskeyAddition])
    func reversalCodesCannotBeRequested(purpose: ActionCode.Purpose) async throws {
        let fixture = try await IdentityFixture()
        await #expect(throws: ServiceError.self) { try await fixture.send(purpose) }
    }

    @Test func disabledMethodSendsNothing() async throws {
        let fixture = try await IdentityFixture()
        try await fixture.configure { $0.signIn?.email?.passwordRequired = true }
        await #expect(throws: ServiceError(.operationNotAllowed)) { try await fixture.send(.emailSignIn) }
        try await fixture.configure { $0.signIn?.email?.enabled = false }
        await #expect(throws: ServiceError(.operationNotAllowed)) { try await fixture.send(.passwordReset) }
    }

    @Test func idTokenReplacesEmail() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        _ = try await fixture.signUp("grace@example.com")
        try await fixture.send(.verifyEmail, nil, idToken: ada.tokens.idToken)
        await #expect(throws: ServiceError(.emailExists)) {
            try await fixture.send(
                .verifyAndChangeEmail, nil, newEmail: "grace@example.com", idToken: ada.tokens.idToken)
        }
        let reply = try await fixture.send(
            .verifyAndChangeEmail, nil, newEmail: "new@example.com", idToken: ada.tokens.idToken)
        #expect(reply.email == EmailAddress("ada@example.com"))
        let mail = try await fixture.mail(.verifyAndChangeEmail)
        #expect(mail.recipient == EmailAddress("new@example.com") && mail.newEmail == mail.recipient)
        let anonymous = try await fixture.send(Identity.SignUp(realm: IdentityFixture.realm))
        await #expect(throws: ServiceError(.missingEmail)) {
            try await fixture.send(.verifyEmail, nil, idToken: anonymous.tokens.idToken)
        }
    }

    @Test func emailChangeRequiresRecentSignIn() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        fixture.clock.advance(by: .seconds(301))
        try await fixture.send(.verifyEmail, nil, idToken: ada.tokens.idToken)
        await #expect(throws: ServiceError(.recentSignInRequired)) {
            try await fixture.send(.verifyAndChangeEmail, nil, newEmail: "n@example.com", idToken: ada.tokens.idToken)
        }
    }

    @Test func newCodeVoidsEarlierOneOfSamePurpose() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        let older = try await fixture.code(.passwordReset)
        let other = try await fixture.code(.verifyEmail)
        let newer = try await fixture.code(.passwordReset, "ADA@example.com")
        await #expect(throws: ServiceError(.invalidActionCode)) { try await fixture.inspect(older) }
        _ = try await (fixture.inspect(other), fixture.inspect(newer))
    }

    /// EN7: the limit applies to every address, with or without an account.
    @Test(arguments: ["ada@example.com", "nobody@example.com"])
    func eleventhResetPerHourIsRefused(email: String) async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        for _ in 0..<EmailQuota.perAddress { try await fixture.send(.passwordReset, email) }
        let end = fixture.clock.now + EmailQuota.addressWindow
        await #expect(throws: ServiceError.limited(by: .passwordResetsPerAddress, until: end)) {
            try await fixture.send(.passwordReset, email)
        }
        try await fixture.send(.emailSignIn, email)
        fixture.clock.advance(by: EmailQuota.addressWindow)
        try await fixture.send(.passwordReset, email)
    }

    @Test func otherEmailsHaveTheirOwnLimitAndAdministratorsNone() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        for _ in 0..<EmailQuota.perAddress { try await fixture.send(.emailSignIn) }
        let end = fixture.clock.now + EmailQuota.addressWindow
        await #expect(throws: ServiceError.limited(by: .emailsPerAddress, until: end)) {
            try await fixture.send(.emailSignIn)
        }
        for _ in 0...EmailQuota.perAddress { _ = try await fixture.code(.passwordReset) }
    }

    @Test func codesAreListedOnlyInDevMode() async throws {
        let fixture = try await IdentityFixture(isDev: false)
        try await fixture.configure {
            $0.emailPrivacyConfig?.enableImprovedEmailPrivacy = false
            $0.signIn?.email?.passwordRequired = false
        }
        try await fixture.send(.emailSignIn)
        await #expect(throws: ServiceError(.operationNotAllowed)) { try await fixture.listed() }
        let kept = try await fixture.store.read { transaction in
            try transaction.rows("SELECT code_hash, sealed_link FROM action_codes")
        }
        #expect(try kept.map { try $0.getIfPresent("sealed_link") as [UInt8]? } == [nil])
    }

    @Test func expiredCodesAreReportedForOneDayAndThenSwept() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        let code = try await fixture.code(.passwordReset)
        fixture.clock.advance(by: .seconds(3600))
        await #expect(throws: ServiceError(.expiredActionCode)) { try await fixture.inspect(code) }
        #expect(try await fixture.listed().isEmpty)
        try await fixture.store.sweep(at: fixture.clock.now)
        await #expect(throws: ServiceError(.expiredActionCode)) { try await fixture.inspect(code) }
        fixture.clock.advance(by: ActionCode.memory + .seconds(1))
        try await fixture.store.sweep(at: fixture.clock.now)
        await #expect(throws: ServiceError(.invalidActionCode)) { try await fixture.inspect(code) }
    }
}
