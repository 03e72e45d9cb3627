import Contracts
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// Account pre-hijacking (security rule FE13): codes from before the owner verified the address are void; codes that
/// protect the owner stay valid.
@Suite(.serialized) struct UndoRevocationTests {
    static let realm = IdentityFixture.realm
    static let start = Moment(milliseconds: 1_700_000_000_000)

    // MARK: Rule

    private static func account(_ email: String?, _ verified: Bool) -> Account {
        Account(
            id: AccountID("a"), realm: realm, email: email.flatMap(EmailAddress.init), emailVerified: verified,
            validSince: start.timestamp, createdAt: start)
    }

    @Test(
        arguments: [
            // Before, after; whether the verification voids earlier undo codes.
            ("victim@example.com", false, "victim@example.com", true, true),
            ("victim@example.com", true, "victim@example.com", true, false),
            ("victim@example.com", false, "victim@example.com", false, false),
            // The change verified the new address: the account had an owner before.
            ("owner@example.com", true, "thief@example.com", true, false),
            ("owner@example.com", false, "new@example.com", true, false),
            ("owner@example.com", true, "thief@example.com", false, false),
            (nil, false, "new@example.com", true, false), ("owner@example.com", true, nil, false, false),
        ] as [(String?, Bool, String?, Bool, Bool)])
    func firstVerificationOfUnchangedEmailTakesOver(
        before: String?, wasVerified: Bool, after: String?, isVerified: Bool, takesOver: Bool
    ) throws {
        let revocation = UndoRevocation(
            from: Self.account(before, wasVerified), to: Self.account(after, isVerified))
        #expect((revocation != nil) == takesOver)
        if takesOver {
            #expect(revocation == .mailboxVerified(try #require(after.flatMap(EmailAddress.init))))
        }
    }

    @Test(
        arguments: [
            // Purpose, recipient, sequence; void after a verification, void after a recovery by code 5.
            (.recoverEmail, "planted@example.com", 4, true, false),
            (.recoverEmail, "planted@example.com", 6, true, true),
            (.recoverEmail, "here@example.com", 6, false, false),
            (.revertSecondFactorAddition, "planted@example.com", 4, true, false),
            (.revertSecondFactorAddition, "planted@example.com", 6, true, true),
            (.revertSecondFactorAddition, "here@example.com", 6, false, false),
            (.revertPasskeyAddition, "planted@example.com", 4, true, false),
            (.revertPasskeyAddition, "planted@example.com", 6, true, true),
            (.revertPasskeyAddition, "here@example.com", 6, false, false),
            (.passwordReset, "planted@example.com", 6, false, false),
            (.emailSignIn, "planted@example.com", 6, false, false),
            (.verifyEmail, "planted@example.com", 6, false, false),
            (.verifyAndChangeEmail, "planted@example.com", 6, false, false),
        ] as [(ActionCode.Purpose, String, Int64, Bool, Bool)])
    func undoCodesOfOtherEmailsAreVoid(
        purpose: ActionCode.Purpose, sentTo: String, sequence: Int64, byVerification: Bool, byRecovery: Bool
    ) throws {
        let here = try #require(EmailAddress("here@example.com"))
        let undo = UndoCode(
            code: ActionCode(
                purpose, in: Self.realm, accountID: AccountID("a"), email: try #require(EmailAddress(sentTo)),
                at: Self.start), sequence: sequence)
        #expect(UndoRevocation.mailboxVerified(here).voids(undo) == byVerification)
        #expect(UndoRevocation.emailRecovered(here, bySequence: 5).voids(undo) == byRecovery)
    }

    // MARK: On every engine

    enum Proof: CaseIterable { case reset, verification, link }

    private func undoCode(_ fixture: IdentityFixture, of email: String) async throws -> Secret<String> {
        let listed = try await fixture.listed()
        return try #require(
            listed.first { $0.purpose == .recoverEmail && $0.email == EmailAddress(email) }, "\(listed)"
        ).code
    }

    private func verify(_ email: String, by proof: Proof, _ fixture: IdentityFixture) async throws {
        switch proof {
        case .reset: try await fixture.reset(try await fixture.code(.passwordReset, email))
        case .verification: try await fixture.apply(try await fixture.code(.verifyEmail, email))
        case .link: _ = try await fixture.signInByNewLink(email)
        }
    }

    /// An attacker changes the address of an account from an own, verified address to the address of a victim.
    @Test(arguments: Proof.allCases, StoreEngine.allCases)
    func undoCodeOfAttackerIsVoidAfterTakeover(proof: Proof, engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        try await fixture.showsEmails()
        let planted = try await fixture.signUp("attacker@example.com")
        try await verify("attacker@example.com", by: .verification, fixture)
        _ = try await fixture.changeOwn(planted.tokens, .init(email: "victim@example.com"))
        let undo = try await undoCode(fixture, of: "attacker@example.com")
        try await fixture.inspect(undo)

        try await verify("victim@example.com", by: proof, fixture)
        await #expect(throws: ServiceError(.invalidActionCode)) { try await fixture.apply(undo) }
        let account = try await fixture.store.account(planted.account.id, in: Self.realm)?.account
        #expect(account?.email == EmailAddress("victim@example.com"))
    }

    /// An attacker changes the account of its owner to an own address and verifies that address repeatedly.
    @Test(arguments: Proof.allCases, StoreEngine.allCases)
    func undoCodeOfOwnerSurvivesAttackersVerifications(proof: Proof, engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        _ = try await fixture.signUp("owner@example.com")
        try await verify("owner@example.com", by: .verification, fixture)
        try await fixture.apply(
            try await fixture.code(.verifyAndChangeEmail, "owner@example.com", newEmail: "thief@example.com"))
        let undo = try await undoCode(fixture, of: "owner@example.com")
        try await verify("thief@example.com", by: proof, fixture)

        // The second change and its reversal do not void the code of the first change either.
        try await fixture.apply(
            try await fixture.code(.verifyAndChangeEmail, "thief@example.com", newEmail: "other@example.com"))
        try await fixture.apply(try await undoCode(fixture, of: "thief@example.com"))
        try await fixture.apply(
            try await fixture.code(.verifyAndChangeEmail, "thief@example.com", newEmail: "third@example.com"))
        let attackerUndo = try await undoCode(fixture, of: "thief@example.com")

        let recovered = try await fixture.apply(undo).account
        #expect(recovered.email == EmailAddress("owner@example.com") && recovered.emailVerified)
        await #expect(throws: ServiceError(.invalidActionCode)) { try await fixture.apply(attackerUndo) }
    }
}
