import Contracts
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// "This was not me" on the page that verifies an address: the creator of the account loses access to it.
@Suite(.serialized) struct VerificationRejectionTests {
    static let realm = IdentityFixture.realm

    private func reject(
        _ code: Secret<String>?, _ fixture: IdentityFixture, idempotencyKey: String? = nil
    ) async throws -> Identity.RejectEmailVerification.Reply {
        try await fixture.send(
            Identity.RejectEmailVerification(realm: Self.realm, code: code), idempotencyKey: idempotencyKey)
    }

    /// An account that an attacker created for the address of a victim, with credentials that survive a password
    /// change.
    private func planted(_ fixture: IdentityFixture) async throws -> Identity.SignUp.Reply {
        let made = try await fixture.signUp("victim@example.com")
        _ = try await fixture.change(
            made.account.id,
            .init(
                phoneNumber: "+12025550101", link: .init(providerID: "google.com", providerAccountID: "attacker")))
        return made
    }

    @Test(arguments: StoreEngine.allCases) func rejectionRemovesEveryCredential(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let made = try await planted(fixture)
        let code = try await fixture.code(.verifyEmail, "victim@example.com")
        let reset = try await fixture.code(.passwordReset, "victim@example.com")
        let change = try await fixture.code(.verifyAndChangeEmail, "victim@example.com", newEmail: "x@example.com")
        let inspected = try await fixture.inspect(code)
        #expect(
            inspected.signInMethods
                == .init(
                    hasPassword: true, hasEmailLink: false, phoneNumber: PhoneNumber("+12025550101"),
                    providers: ["google.com"]))
        #expect(try await reject(code, fixture).email == EmailAddress("victim@example.com"))

        let account = try #require(try await fixture.store.account(made.account.id, in: Self.realm)?.account)
        #expect(account.email == EmailAddress("victim@example.com") && !account.emailVerified)
        #expect(!account.hasPassword && !account.emailLinkSignIn && account.phoneNumber == nil)
        #expect(account.providers.isEmpty)
        await #expect(throws: ServiceError(.invalidCredentials)) { try await fixture.signIn("victim@example.com") }
        await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.refresh(made.tokens.refreshToken) }
        #expect(fixture.published.all.contains(.sessionsRevoked(Self.realm, made.account.id)))
        // Every earlier code is void; the owner of the mailbox requests a new one and gets the account.
        for old in [code, reset, change] {
            await #expect(throws: ServiceError(.invalidActionCode)) { try await fixture.inspect(old) }
        }
        try await fixture.reset(try await fixture.code(.passwordReset, "victim@example.com"))
        #expect(try await fixture.signIn("victim@example.com", "another-secret-7").account.id == made.account.id)
        #expect(try await fixture.auditActions().contains("account.email-verification-rejected"))
    }

    /// Somebody else's account was to get the address of the reader.
    @Test(arguments: StoreEngine.allCases) func rejectedChangeLeavesTheAccountAsItWas(engine: StoreEngine) async throws
    {
        let fixture = try await IdentityFixture(engine)
        let stranger = try await fixture.signUp("stranger@example.com")
        _ = try await fixture.change(
            stranger.account.id,
            .init(emailVerified: true, link: .init(providerID: "google.com", providerAccountID: "s")))
        let before = try await fixture.lookUp(stranger.tokens.idToken)
        let code = try await fixture.code(
            .verifyAndChangeEmail, "stranger@example.com", newEmail: "victim@example.com")
        let reset = try await fixture.code(.passwordReset, "stranger@example.com")
        let inspected = try await fixture.inspect(code)
        #expect(inspected.email == EmailAddress("stranger@example.com"))
        #expect(inspected.newEmail == EmailAddress("victim@example.com"))
        #expect(
            inspected.signInMethods == .init(hasPassword: true, hasEmailLink: false, providers: ["google.com"]))
        let key = String(repeating: "b", count: 32)
        for _ in 0..<2 {
            #expect(
                try await reject(code, fixture, idempotencyKey: key).email == EmailAddress("victim@example.com"))
        }
        await #expect(throws: ServiceError(.invalidActionCode)) { try await fixture.apply(code) }
        await #expect(throws: ServiceError(.invalidActionCode)) { try await reject(code, fixture) }
        // Nothing of the account has changed.
        #expect(try await fixture.lookUp(stranger.tokens.idToken) == before)
        _ = try await fixture.refresh(stranger.tokens.refreshToken)
        try await fixture.inspect(reset)
        #expect(try await fixture.auditActions().contains("account.email-verification-rejected"))
    }

    /// The e-mail to the new address says whose account it is.
    @Test func emailOfChangeDescribesTheAccount() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp("stranger@example.com")
        _ = try await fixture.change(
            made.account.id,
            .init(
                emailVerified: true, displayName: "A Friend", phoneNumber: "+12025550101",
                link: .init(providerID: "google.com", providerAccountID: "s")))
        try await fixture.send(.verifyAndChangeEmail, nil, newEmail: "victim@example.com", idToken: made.tokens.idToken)
        let mail = try await fixture.mail(.verifyAndChangeEmail)
        #expect(mail.recipient == EmailAddress("victim@example.com") && mail.displayName == nil)
        #expect(
            mail.account
                == .init(
                    email: try #require(EmailAddress("stranger@example.com")), hasPassword: true, hasEmailLink: false,
                    hasPhoneNumber: true, hasPasskeys: false, providers: ["google.com"]))
        try await fixture.send(.passwordReset, "stranger@example.com")
        #expect(try await fixture.mail(.resetPassword).account == nil)
    }

    /// An e-mail code never removes a second factor, and a verified account loses nothing by a rejection.
    @Test func verifiedEmailAndSecondFactorsAreKept() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpWithFactors()
        let code = try await fixture.code(.verifyEmail)
        #expect(try await fixture.inspect(code).signInMethods == nil)
        await #expect(throws: ServiceError(.invalidActionCode)) { try await reject(code, fixture) }
        #expect(try await fixture.store.account(ada.id, in: Self.realm)?.account.hasPassword == true)
        try await fixture.inspect(code)

        var stored = ActionCodeTests.stored()
        try stored.rejectVerification(at: ActionCodeTests.start + .seconds(9))
        #expect(stored.account.secondFactors.count == 1 && stored.account.phoneNumber == nil)
        #expect(stored.account.validSince == (ActionCodeTests.start + .seconds(9)).timestamp)
    }

    /// The rejection redeems the code once, within its lifetime, and accepts no code of another purpose.
    @Test func rejectionRequiresItsCode() async throws {
        let fixture = try await IdentityFixture()
        _ = try await planted(fixture)
        await #expect(throws: ServiceError(.missingActionCode)) { try await reject(nil, fixture) }
        for purpose in [ActionCode.Purpose.passwordReset, .emailSignIn] {
            let other = try await fixture.code(purpose, "victim@example.com")
            await #expect(throws: ServiceError(.invalidActionCode)) { try await reject(other, fixture) }
            #expect(try await fixture.inspect(other).signInMethods == nil)
        }
        let old = try await fixture.code(.verifyEmail, "victim@example.com")
        fixture.clock.advance(by: ActionCode.Purpose.verifyEmail.lifetime)
        await #expect(throws: ServiceError(.expiredActionCode)) { try await reject(old, fixture) }
        let code = try await fixture.code(.verifyEmail, "victim@example.com")
        let first = try await reject(code, fixture, idempotencyKey: "k")
        #expect(try await reject(code, fixture, idempotencyKey: "k") == first)
        await #expect(throws: ServiceError(.invalidActionCode)) { try await reject(code, fixture) }
    }

    /// Of parallel verifications and rejections with one code, one succeeds.
    @Test(arguments: StoreEngine.shared) func verificationOrRejectionSucceedsOnceUnderConcurrency(engine: StoreEngine)
        async throws
    {
        let fixture = try await IdentityFixture(engine)
        let made = try await planted(fixture)
        let code = try await fixture.code(.verifyEmail, "victim@example.com")
        let wins = await withTaskGroup { group in
            for number in 0..<20 {
                group.addTask {
                    do {
                        if number.isMultiple(of: 2) {
                            _ = try await reject(code, fixture)
                        } else {
                            try await fixture.apply(code)
                        }
                        return 1
                    } catch {
                        #expect(error as? ServiceError == ServiceError(.invalidActionCode))
                        return 0
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wins == 1)
        let account = try #require(try await fixture.store.account(made.account.id, in: Self.realm)?.account)
        #expect(account.hasPassword == account.emailVerified)
    }
}
