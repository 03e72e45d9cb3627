import Contracts
import SQL
import ServiceRuntime
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// What was issued or revoked while the clock was ahead, when it is right again: a code has expired, an account can sign in,
/// and what was revoked stays revoked.
@Suite(.serialized) struct ClockAheadTests {
    private static let year = Duration.seconds(365 * 86_400)
    private static let now = Moment(milliseconds: 1_700_000_000_000)
    private static let realm = IdentityFixture.realm
    /// By how much the clock was ahead, and whether a code of then is still valid: five minutes count as the difference
    /// between two machines.
    private static let aheads: [(Duration, Bool)] = [(.seconds(200), true), (.seconds(700), false), (year, false)]

    private static func isAccepted(_ check: () throws -> Void) -> Bool {
        do {
            try check()
            return true
        } catch {
            return false
        }
    }

    /// "action_codes.expires_at"
    @Test(arguments: Identity.ActionPurpose.allCases, aheads)
    func actionCodeHasExpired(purpose: Identity.ActionPurpose, ahead: (Duration, Bool)) throws {
        let code = ActionCode(
            purpose, in: Self.realm, accountID: nil, email: try #require(EmailAddress("ada@example.com")),
            at: Self.now + ahead.0)
        #expect(Self.isAccepted { try code.validate(at: Self.now) } == ahead.1)
    }

    @Test(arguments: aheads) func digitsHaveExpired(ahead: Duration, isValid: Bool) throws {
        let code = ActionCode(
            .verifyEmail, in: Self.realm, accountID: nil, email: try #require(EmailAddress("ada@example.com")),
            digits: .decoy, at: Self.now + ahead)
        #expect(Self.isAccepted { try code.validate(at: Self.now) } == isValid)
        #expect(throws: ServiceError(.verificationSessionExpired)) {
            try code.validate(at: code.createdAt + Identity.emailCodeLifetime)
        }
    }

    /// "pending_sign_ins.created_at"
    @Test(arguments: aheads) func pendingSignInHasExpired(ahead: Duration, isValid: Bool) {
        let pending = PendingSignIn(
            credentialHash: [], realm: Self.realm, accountID: AccountID("ada"),
            authentication: .init(authenticatedAt: Self.now.timestamp, signInProvider: "password"),
            createdAt: Self.now + ahead)
        #expect(Self.isAccepted { try pending.checkAge(at: Self.now) } == isValid)
    }

    @Test(arguments: aheads) func signInIsNotRecent(ahead: Duration, isRecent: Bool) {
        let principal = Principal(
            accountID: AccountID("ada"), realm: Self.realm, issuedAt: Self.now.timestamp,
            authenticatedAt: (Self.now + ahead).timestamp, signInProvider: "password")
        #expect(Self.isAccepted { try principal.requireRecentSignIn(at: Self.now) } == isRecent)
    }

    @Test(arguments: aheads) func deviceTokenHasExpired(ahead: Duration, isValid: Bool) {
        let token = DeviceTokenTests.token(at: (Self.now + ahead).timestamp)
        let parsed = DeviceToken(
            token.text, of: DeviceTokenTests.ada, in: DeviceTokenTests.realm, at: Self.now.timestamp,
            key: DeviceTokenTests.key)
        #expect((parsed != nil) == isValid)
    }

    /// "temporary_proofs.expires_at"
    @Test(arguments: aheads) func temporaryProofHasExpired(ahead: Duration, isValid: Bool) async throws {
        let fixture = try await IdentityFixture()
        let right = fixture.clock.now
        _ = try await fixture.session()
        fixture.clock.setWall(right + ahead)
        let other = try await fixture.signUp()
        let proof = try #require(try await fixture.signInByPhone(idToken: other.tokens.idToken).conflict).temporaryProof
        fixture.clock.setWall(right)
        let reply = try? await fixture.signInByProof(proof)  // `try?`: the error is the other result.
        #expect((reply?.session != nil) == isValid)
    }

    /// An ID token could not be revoked until the time in it.
    @Test(arguments: aheads) func idTokenIsRefused(ahead: Duration, isValid: Bool) async throws {
        let fixture = try await IdentityFixture()
        let right = fixture.clock.now
        _ = try await fixture.signUp()
        fixture.clock.setWall(right + ahead)
        let ada = try await fixture.signIn()
        fixture.clock.setWall(right)
        let account = try? await fixture.lookUp(ada.tokens.idToken)  // `try?`: as above.
        #expect((account != nil) == isValid)
        // The session goes on, with tokens of the right time.
        let refreshed = try await fixture.refresh(ada.tokens.refreshToken)
        _ = try await fixture.lookUp(refreshed.idToken)
    }

    private func trust(_ time: Moment, _ fixture: IdentityFixture) async throws {
        try await fixture.store.database.write { try $0.setTrustedTime(time.milliseconds) }
    }

    private func expectRevoked(_ tokens: [TokenSet], _ fixture: IdentityFixture) async {
        for set in tokens {
            await #expect(throws: ServiceError.self) { try await fixture.lookUp(set.idToken) }
            await #expect(throws: ServiceError.self) { try await fixture.refresh(set.refreshToken) }
        }
    }

    /// Whoever revokes: the owner by a password, or an administrator by a time.
    enum Revocation: CaseIterable {
        case password, validSince

        func changes(at now: Moment) -> Identity.AccountChanges {
            switch self {
            case .password: .init(password: Secret("correct-horse-9"))
            case .validSince: .init(validSince: now.timestamp)
            }
        }
    }

    @Test(arguments: StoreEngine.allCases, Revocation.allCases)
    func accountSignsInAfterRevocationOfTheFuture(engine: StoreEngine, revocation: Revocation) async throws {
        let fixture = try await IdentityFixture(engine)
        let right = fixture.clock.now
        let before = try await fixture.signUp()
        try await trust(right, fixture)
        fixture.clock.setWall(right + Self.year)
        let ahead = try await fixture.signIn()
        fixture.clock.advance(by: .seconds(5))
        _ = try await fixture.change(before.account.id, revocation.changes(at: fixture.clock.now))
        fixture.clock.setWall(right + .seconds(20))
        await expectRevoked([before.tokens, ahead.tokens], fixture)

        let after = try await fixture.signIn()
        #expect(after.account.validSince <= fixture.clock.now.timestamp)
        _ = try await fixture.lookUp(after.tokens.idToken)
        fixture.clock.advance(by: .seconds(600))
        _ = try await fixture.lookUp(try await fixture.refresh(after.tokens.refreshToken).idToken)
        await expectRevoked([before.tokens, ahead.tokens], fixture)
    }

    /// Before it gets a reset code, and with it.
    @Test func passwordIsResetAfterRevocationOfTheFuture() async throws {
        let fixture = try await IdentityFixture()
        let right = fixture.clock.now
        let ada = try await fixture.signUp()
        try await trust(right, fixture)
        fixture.clock.advance(by: .seconds(5))
        _ = try await fixture.change(ada.account.id, .init(validSince: (right + Self.year).timestamp))
        await expectRevoked([ada.tokens], fixture)
        let code = try #require(
            try await fixture.send(
                Identity.SendActionCode(
                    realm: Self.realm, purpose: .passwordReset, email: "ada@example.com", isByAdministrator: true,
                    returnsLink: true)
            ).code)
        _ = try await fixture.send(
            Identity.ResetPassword(realm: Self.realm, code: code, newPassword: Secret("another-horse-9")))
        let after = try await fixture.signIn("ada@example.com", "another-horse-9")
        _ = try await fixture.refresh(after.tokens.refreshToken)
        await expectRevoked([ada.tokens], fixture)
    }

    @Test func accountOfTheFutureSignsIn() async throws {
        let fixture = try await IdentityFixture()
        let right = fixture.clock.now
        try await trust(right, fixture)
        fixture.clock.setWall(right + Self.year)
        _ = try await fixture.signUp()
        fixture.clock.setWall(right)
        let ada = try await fixture.signIn()
        _ = try await fixture.lookUp(try await fixture.refresh(ada.tokens.refreshToken).idToken)
    }

    /// A clock that is behind takes every revocation for one of the future.
    @Test(arguments: Revocation.allCases) func clockBehindTheTrustedTimeBoundsNothing(revocation: Revocation)
        async throws
    {
        let fixture = try await IdentityFixture()
        let before = try await fixture.signUp()
        fixture.clock.advance(by: .seconds(60))
        _ = try await fixture.change(before.account.id, revocation.changes(at: fixture.clock.now))
        let right = fixture.clock.now
        try await trust(right, fixture)
        fixture.clock.setWall(right + .seconds(-70 * 86_400))
        _ = try await fixture.signIn()
        fixture.clock.setWall(right + .seconds(20))
        await expectRevoked([before.tokens], fixture)
    }

    /// A session that was opened while the clock was ahead is older than a revocation of today.
    @Test func laterRevocationEndsSessionOfTheFuture() async throws {
        let fixture = try await IdentityFixture()
        let right = fixture.clock.now
        _ = try await fixture.signUp()
        fixture.clock.setWall(right + Self.year)
        let ada = try await fixture.signIn()
        fixture.clock.setWall(right + .seconds(60))
        _ = try await fixture.change(ada.account.id, .init(validSince: fixture.clock.now.timestamp))
        await expectRevoked([ada.tokens], fixture)
    }
}
