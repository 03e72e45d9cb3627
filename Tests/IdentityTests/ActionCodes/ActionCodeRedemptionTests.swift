import Contracts
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

extension IdentityFixture {
    @discardableResult
    func inspect(_ code: Secret<String>, _ continueURL: String? = nil) async throws -> Identity.InspectActionCode.Reply
    {
        try await send(Identity.InspectActionCode(realm: Self.realm, code: code, continueURL: continueURL))
    }

    @discardableResult
    func reset(_ code: Secret<String>?, _ password: String = "another-secret-7") async throws
        -> Identity.ResetPassword.Reply
    {
        try await send(Identity.ResetPassword(realm: Self.realm, code: code, newPassword: Secret(password)))
    }

    @discardableResult
    func apply(_ code: Secret<String>?, removesPasskeys: Bool? = nil) async throws -> Identity.ApplyActionCode.Reply {
        try await send(Identity.ApplyActionCode(realm: Self.realm, code: code, removesPasskeys: removesPasskeys))
    }
}

@Suite struct ActionCodeRedemptionTests {
    @Test func inspectionReturnsDetailsWithoutRedeeming() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        let code = try await fixture.code(.passwordReset)
        for _ in 0..<3 {
            let reply = try await fixture.inspect(code, "http://localhost/next")
            #expect(reply.purpose == .passwordReset && reply.email == EmailAddress("ada@example.com"))
            #expect(
                reply.passwordRequirements == .init(minimumLength: 6) && reply.continueURL == "http://localhost/next")
        }
        #expect(try await fixture.inspect(code, "https://evil.example/").continueURL == nil)
        try await fixture.reset(code)
    }

    @Test func resetEndsSessionsVerifiesEmailAndNotifiesOwner() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        fixture.clock.advance(by: .seconds(1))
        let code = try await fixture.code(.passwordReset)
        let change = try await fixture.code(.verifyAndChangeEmail, newEmail: "thief@example.com")
        try await fixture.reset(code)
        await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.lookUp(ada.tokens.idToken) }
        await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.refresh(ada.tokens.refreshToken) }
        let signedIn = try await fixture.signIn("ada@example.com", "another-secret-7")
        #expect(signedIn.account.emailVerified)
        await #expect(throws: ServiceError(.invalidCredentials)) { try await fixture.signIn() }
        await #expect(throws: ServiceError(.invalidActionCode)) { try await fixture.reset(code) }
        // PW13: codes requested by the former user of the account are void, even in the same second.
        await #expect(throws: ServiceError(.invalidActionCode)) { try await fixture.apply(change) }
        #expect(try await fixture.mail(.passwordChanged).recipient == EmailAddress("ada@example.com"))
        #expect(fixture.published.all.contains(.sessionsRevoked(IdentityFixture.realm, ada.account.id)))
    }

    @Test func refusedPasswordDoesNotRedeemCode() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        let code = try await fixture.code(.passwordReset)
        await #expect(throws: ServiceError.weakPassword(.shorterThan(6))) { try await fixture.reset(code, "12345") }
        await #expect(throws: ServiceError(.missingPassword)) { try await fixture.reset(code, "") }
        try await fixture.reset(code)
    }

    @Test func resetClearsSignInLock() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        for _ in 0..<5 {
            await #expect(throws: ServiceError(.invalidCredentials)) {
                try await fixture.signIn("ada@example.com", "x")
            }
        }
        try await fixture.reset(try await fixture.code(.passwordReset))
        _ = try await fixture.signIn("ada@example.com", "another-secret-7")
    }

    @Test func passwordChangeVoidsResetCode() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        let code = try await fixture.code(.passwordReset)
        fixture.clock.advance(by: .seconds(1))
        _ = try await fixture.change(ada.account.id, .init(password: Secret("set-by-hand-1")))
        await #expect(throws: ServiceError(.invalidActionCode)) { try await fixture.reset(code) }
    }

    @Test func disabledAccountCannotRedeemCode() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        let code = try await fixture.code(.passwordReset)
        _ = try await fixture.change(ada.account.id, .init(disabled: true))
        await #expect(throws: ServiceError(.accountDisabled)) { try await fixture.reset(code) }
        _ = try await fixture.change(ada.account.id, .init(disabled: false))
        try await fixture.reset(code)
    }

    @Test func resetRequiresPasswordSignIn() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        let code = try await fixture.code(.passwordReset)
        try await fixture.configure { $0.signIn?.email?.enabled = false }
        await #expect(throws: ServiceError(.passwordSignInDisabled)) { try await fixture.reset(code) }
    }

    /// Security rule TK12.
    @Test func emailIsVerifiedChangedAndRecovered() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        #expect(try await fixture.apply(try await fixture.code(.verifyEmail)).account.emailVerified)

        let changed = try await fixture.apply(
            try await fixture.code(.verifyAndChangeEmail, newEmail: "new@example.com"))
        #expect(changed.newEmail == EmailAddress("new@example.com") && changed.account.email == changed.newEmail)
        let notice = try await fixture.mail(.emailChanged)
        #expect(notice.recipient == EmailAddress("ada@example.com") && notice.newEmail == changed.newEmail)
        _ = try await fixture.signIn("new@example.com")

        let undo = try #require(try await fixture.listed().first { $0.purpose == .recoverEmail })
        #expect(notice.link == undo.link.reveal() && undo.email == EmailAddress("ada@example.com"))
        let before = try await fixture.code(.passwordReset, "new@example.com")
        let recovered = try await fixture.apply(undo.code)
        #expect(recovered.account.id == ada.account.id && recovered.account.email == EmailAddress("ada@example.com"))
        await #expect(throws: ServiceError(.invalidActionCode)) { try await fixture.apply(undo.code) }
        await #expect(throws: ServiceError(.invalidActionCode)) { try await fixture.reset(before) }
    }

    /// An unverified address may belong to another user, for example after a typing error: its reader must not get the
    /// account.
    @Test func unverifiedEmailGetsNoRecoveryCode() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        try await fixture.apply(try await fixture.code(.verifyAndChangeEmail, newEmail: "new@example.com"))
        #expect(try await fixture.mail(.emailChanged).link == nil)
        #expect(try await fixture.listed().isEmpty)
    }

    @Test func emailTakenSinceRequestIsRefused() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        let code = try await fixture.code(.verifyAndChangeEmail, newEmail: "new@example.com")
        _ = try await fixture.signUp("new@example.com")
        await #expect(throws: ServiceError(.emailExists)) { try await fixture.apply(code) }
        #expect(try await fixture.lookUp(ada.tokens.idToken).email == EmailAddress("ada@example.com"))
    }

    /// Tries each code with each purpose: only its own purpose accepts it.
    @Test(arguments: ActionCode.Purpose.allCases) func actionCodeIsRejectedForAnotherPurpose(
        purpose: ActionCode.Purpose
    )
        async throws
    {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        guard !ActionCode.Purpose.undoing.contains(purpose) else { return }
        let code = try await fixture.code(purpose, newEmail: "new@example.com")
        if purpose != .passwordReset {
            await #expect(throws: ServiceError(.invalidActionCode)) { try await fixture.reset(code) }
        }
        if purpose != .emailSignIn {
            await #expect(throws: ServiceError(.invalidActionCode)) { try await fixture.signInByLink(code) }
        }
        if purpose == .passwordReset || purpose == .emailSignIn {
            await #expect(throws: ServiceError(.invalidActionCode)) { try await fixture.apply(code) }
        }
        // The code is rejected in another project or tenant, and with any changed bit.
        for realm in [
            Realm(project: ProjectID("other")), Realm(project: ProjectID("demo"), tenant: TenantID("t")),
        ] {
            await #expect(throws: ServiceError.self) {
                try await fixture.send(Identity.InspectActionCode(realm: realm, code: code))
            }
        }
        var bytes = try #require(ActionCode.Text(code.reveal())).bytes
        for byte in bytes.indices {
            bytes[byte] ^= 1
            let flipped = Secret(ActionCode.Text(bytes: bytes).text)
            await #expect(throws: ServiceError(.invalidActionCode)) { try await fixture.inspect(flipped) }
            bytes[byte] ^= 1
        }
        try await fixture.inspect(code)
    }

    @Test func missingOrUnknownCodeIsRefused() async throws {
        let fixture = try await IdentityFixture()
        for code in [nil, Secret("")] {
            await #expect(throws: ServiceError(.missingActionCode)) { try await fixture.reset(code) }
            await #expect(throws: ServiceError(.missingActionCode)) { try await fixture.apply(code) }
        }
        await #expect(throws: ServiceError(.invalidActionCode)) { try await fixture.apply(Secret("made-up")) }
    }

    @Test func accountDeletionVoidsItsCodes() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        let code = try await fixture.code(.passwordReset)
        _ = try await fixture.send(Identity.DeleteAccount(realm: IdentityFixture.realm, accountID: ada.account.id))
        await #expect(throws: ServiceError(.invalidActionCode)) { try await fixture.inspect(code) }
    }

    @Test func repeatedCallGetsRecordedReply() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        let request = Identity.ResetPassword(
            realm: IdentityFixture.realm, code: try await fixture.code(.passwordReset),
            newPassword: Secret("another-secret-7"))
        let first = try await fixture.send(request, idempotencyKey: "k")
        #expect(try await fixture.send(request, idempotencyKey: "k") == first)
        let verify = Identity.ApplyActionCode(
            realm: IdentityFixture.realm, code: try await fixture.code(.verifyEmail))
        let applied = try await fixture.send(verify, idempotencyKey: "l")
        #expect(try await fixture.send(verify, idempotencyKey: "l") == applied)
    }

    /// Security rules, section 14.
    @Test func resetCodeIsRedeemedOnceUnderConcurrency() async throws {
        let fixture = try await IdentityFixture(maximumWaitingPasswords: 100)
        _ = try await fixture.signUp()
        let code = try await fixture.code(.passwordReset)
        let wins = await withTaskGroup { group in
            for number in 0..<50 {
                group.addTask {
                    do {
                        try await fixture.reset(code, "new-secret-\(number)")
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
    }

    @Test func emailLinkIsRedeemedOnceUnderConcurrency() async throws {
        let fixture = try await IdentityFixture()
        let code = try await fixture.code(.emailSignIn, "new@example.com")
        let accounts = await withTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    do {
                        return try await fixture.signInByLink(code, "new@example.com").account.id as AccountID?
                    } catch {
                        #expect(error as? ServiceError == ServiceError(.invalidActionCode))
                        return nil
                    }
                }
            }
            return await group.reduce(into: []) { if let id = $1 { $0.append(id) } }
        }
        #expect(accounts.count == 1)
    }
}
