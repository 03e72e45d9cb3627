import Contracts
import DatabaseService
import SQL
import ServiceRuntime
import Storage
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// A temporarily wrong clock has no lasting effect.
@Suite struct ClockTests {
    private static let year = Duration.seconds(365 * 86_400)

    /// A clock that was ahead created the signing key, or the clock was set back after the key was created.
    @Test(arguments: [year, .seconds(3600), .seconds(40 * 3600)])
    func signUpWorksAfterClockIsSetBack(ahead: Duration) async throws {
        let fixture = try await IdentityFixture()
        let wrong = fixture.clock.now
        fixture.clock.setWall(wrong + (.zero - ahead))
        let ada = try await fixture.signUp()
        _ = try await fixture.lookUp(ada.tokens.idToken)

        let isMisdated = ahead > .seconds(SigningKeySchedule.maximumAheadSeconds)
        let before = try await fixture.store.signingKeys(.idToken)
        #expect(fixture.log.count(of: "signing-key.used-early") == 0)
        try await fixture.service.runMaintenance(sweepAt: nil)
        #expect(fixture.log.count(of: "signing-key.used-early") == 1)
        #expect(fixture.log.count(of: "signing-key.misdated") == (isMisdated ? 1 : 0))
        let after = try await fixture.store.signingKeys(.idToken)
        #expect(after.count == before.count + (isMisdated ? 1 : 0))
        if isMisdated { #expect(after.first?.activatesAt == fixture.clock.now.timestamp) }
        // Earlier tokens are still valid, and so are new ones.
        _ = try await fixture.lookUp(ada.tokens.idToken)
        _ = try await fixture.lookUp(try await fixture.signIn().tokens.idToken)
        // No further key is created in the next minutes.
        fixture.clock.advance(by: .seconds(60))
        try await fixture.service.runMaintenance(sweepAt: nil)
        #expect(try await fixture.store.signingKeys(.idToken).count == after.count)
    }

    /// Seventy days behind for a moment: the refresh of then must not date the session back.
    @Test func clockThatIsBehindEndsNoSession() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        fixture.clock.advance(by: .seconds(3600))
        let right = fixture.clock.now
        fixture.clock.setWall(right + .seconds(-70 * 86_400))
        let refreshed = try await fixture.refresh(ada.tokens.refreshToken)
        fixture.clock.setWall(right)
        _ = try await fixture.refresh(refreshed.refreshToken)
    }

    /// A redeemed token is accepted within the grace only, also after a refresh while the clock was ahead.
    @Test func clockThatWasAheadDoesNotProlongGrace() {
        var random = SeededRandom(seed: 3)
        var (session, token) = SessionTests.opened(random: &random)
        let (now, salt) = (session.createdAt, [UInt8](repeating: 1, count: 32))
        guard case .successor(let second, _) = session.redeem(token, at: now + Self.year / 12, salt: salt) else {
            Issue.record("the first token is redeemed")
            return
        }
        guard case .successor = session.redeem(second, at: now + .seconds(60), salt: salt) else {
            Issue.record("its successor is redeemed when the clock is right again")
            return
        }
        #expect(session.redeem(second, at: now + .seconds(120), salt: salt) == .replayed)
    }

    /// A count that began, or a lock that was set, while the clock was ahead is none when the clock is right again.
    /// "sending_quotas.window_began_at", "recovery_attempts.window_began_at"
    @Test(arguments: [0, 200, 301, 86_400, 365 * 86_400] as [Int64]) func windowOfTheFutureIsEmpty(seconds: Int64)
        throws
    {
        let now = Moment(milliseconds: 1_700_000_000_000)
        let ahead = now + .seconds(seconds)
        let isTolerated = seconds <= 300
        var quota = EmailQuota(count: 10, windowBeganAt: ahead)
        #expect((quota.isFull(10, within: EmailQuota.addressWindow, at: now) != nil) == isTolerated)
        #expect((quota.reserve(10, within: EmailQuota.addressWindow, at: now) != nil) == isTolerated)
        quota = EmailQuota(count: 10, windowBeganAt: ahead)
        quota.beginWindowIfOver(EmailQuota.projectWindow, at: now)
        #expect((quota.count == 10) == isTolerated)
        var recovery = RecoveryAttempts(failures: 5, failuresInWindow: 5, windowBeganAt: ahead)
        #expect(refuses(isTolerated) { try recovery.reserve(at: now) })
        var closed = RecoveryAttempts(failures: 100, failuresInWindow: 0, windowBeganAt: ahead)
        #expect(refuses(isTolerated) { try closed.reserve(at: now) })
        // "sign_in_attempts.blocked_until"
        for count in [
            SignInAttempts.freeAttempts + 1, SignInAttempts.attemptsUntilLocked, SignInAttempts.maximumAttempts,
        ] {
            var attempts = SignInAttempts(
                count: count, blockedUntil: ahead + SignInAttempts.delay(afterAttempt: count))
            let doubled = SignInAttempts.delay(afterAttempt: count + 1) - SignInAttempts.delay(afterAttempt: count)
            #expect(refuses(Duration.seconds(seconds) <= .seconds(300) + doubled) { try attempts.reserve(at: now) })
        }
    }

    /// "RealmCache.Entry.readAt": a project that another process has changed is read again after the time to live, also
    /// when its event was lost and the time of day was set back.
    @Test(arguments: [Duration.zero - year, .seconds(-600), .seconds(600)]) func projectsAreReadAgainInTime(
        step: Duration
    ) async throws {
        let fixture = try await IdentityFixture()
        let clock = fixture.clock
        let cache = ProjectCache(
            store: fixture.store, isDev: true, now: { clock.now }, instant: { clock.instant })
        let id = IdentityFixture.realm.project
        _ = try await cache.project(id, traceID: "")
        try await fixture.store.setAPIKey("another", of: id)
        #expect(try await cache.project(id, traceID: "").apiKey != "another")
        clock.setWall(clock.now + step)
        clock.advance(by: RealmCache<Project>.timeToLive)
        #expect(try await cache.project(id, traceID: "").apiKey == "another")
    }

    /// Whether `body` is refused exactly if it is expected to be.
    private func refuses(_ isExpected: Bool, _ body: () throws -> Void) -> Bool {
        do {
            try body()
            return !isExpected
        } catch {
            return isExpected && error is ServiceError
        }
    }

    @Test func briefForwardJumpEndsNoSession() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        let clock = fixture.clock
        let trusted = TrustedClock(
            fixture.store.database, now: { clock.now }, instant: { clock.instant },
            log: Log(instance: "identity.1", write: fixture.log.append))
        for _ in 0...60 {
            try await fixture.service.runMaintenance(sweepAt: try await trusted.now())
            clock.advance(by: .seconds(60))
        }
        #expect(fixture.log.count(of: "clock.trusted") == 1)
        let right = clock.now
        clock.setWall(right + .seconds(61 * 86_400))
        for _ in 0..<2 {
            try await fixture.service.runMaintenance(sweepAt: try await trusted.now())
            clock.advance(by: .seconds(37))
        }
        #expect(fixture.log.count(of: "clock.doubted") == 1)
        clock.setWall(right + .seconds(75))
        try await fixture.service.runMaintenance(sweepAt: try await trusted.now())
        _ = try await fixture.refresh(ada.tokens.refreshToken)

        // If the time is correct, sessions end.
        clock.advance(by: .seconds(61 * 86_400))
        try await fixture.service.runMaintenance(sweepAt: try await trusted.now())
        await #expect(throws: ServiceError.self) { try await fixture.refresh(ada.tokens.refreshToken) }
        let left = try await fixture.store.read { try $0.rows("SELECT session_id FROM sessions") }
        #expect(left.isEmpty)
    }
}
