import Contracts
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
