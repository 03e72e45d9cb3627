import Contracts
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// The recipients of e-mails, and the account details in them.
@Suite struct EmailRecipientTests {
    private func fixture(verified: Bool) async throws -> (IdentityFixture, Identity.SignUp.Reply) {
        let fixture = try await IdentityFixture()
        try await fixture.showsEmails()
        let made = try await fixture.signUp()
        _ = try await fixture.change(
            made.account.id, .init(emailVerified: verified, displayName: "Win a prize at evil.example"))
        return (fixture, made)
    }

    /// A display name in an e-mail to an unverified address is text that any caller could have sent.
    @Test(arguments: [true, false]) func onlyVerifiedEmailGetsDisplayName(verified: Bool) async throws {
        let (fixture, made) = try await fixture(verified: verified)
        let name = verified ? "Win a prize at evil.example" : nil
        try await fixture.send(.passwordReset)
        try await fixture.send(.emailSignIn)
        try await fixture.send(.verifyEmail, nil, idToken: made.tokens.idToken)
        for purpose in [Notifier.EmailPurpose.resetPassword, .emailSignIn, .verifyEmail] {
            #expect(try await fixture.mail(purpose).displayName == name, "\(purpose)")
        }
        // The new address is not verified yet.
        try await fixture.send(.verifyAndChangeEmail, nil, newEmail: "new@example.com", idToken: made.tokens.idToken)
        #expect(try await fixture.mail(.verifyAndChangeEmail).displayName == nil)
        // For a notice about a change, the former address decides.
        _ = try await fixture.changeOwn(
            made.tokens, .init(email: "new@example.com", password: Secret("another-horse-9")))
        #expect(try await fixture.mail(.emailChanged).displayName == name)
        #expect(try await fixture.mail(.passwordChanged).displayName == nil)
    }

    /// The owner gets a notice and can restore the address.
    @Test(arguments: [Identity.AccountChanges.Removal.email, .emailSignIn])
    func removedEmailGetsNoticeWithRecoveryCode(removal: Identity.AccountChanges.Removal) async throws {
        let (fixture, made) = try await fixture(verified: true)
        let changed = try await fixture.changeOwn(made.tokens, .init(removals: [removal]))
        #expect(changed.account.email == nil)
        let notice = try await fixture.mail(.emailRemoved)
        #expect(notice.recipient == EmailAddress("ada@example.com") && notice.newEmail == nil)
        let undo = try #require(try await fixture.listed().first { $0.purpose == .recoverEmail })
        #expect(notice.link == undo.link.reveal())
        let recovered = try await fixture.apply(undo.code).account
        #expect(recovered.email == EmailAddress("ada@example.com") && recovered.emailVerified)
    }

    /// The last sign-in method can be removed; the session continues.
    @Test func sessionSurvivesRemovalOfLastSignInMethod() async throws {
        let (fixture, made) = try await fixture(verified: true)
        let changed = try await fixture.changeOwn(made.tokens, .init(removals: [.emailSignIn]))
        #expect(changed.account.email == nil)
        #expect(try await fixture.lookUp(made.tokens.idToken).email == nil)
        _ = try await fixture.refresh(made.tokens.refreshToken)
        let refreshed = try await fixture.refresh(changed.tokens.refreshToken)
        #expect(try await fixture.lookUp(refreshed.idToken).id == made.account.id)
        #expect(try await fixture.signUp().account.id != made.account.id)
    }
}
