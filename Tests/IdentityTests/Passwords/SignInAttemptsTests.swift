import Contracts
import Testing
import Vocabulary

@testable import IdentityService

@Suite struct SignInAttemptsTests {
    static let start = Moment(milliseconds: 1_700_000_000_000)

    @Test func delayStartsAfterFiveFailures() throws {
        var attempts = SignInAttempts.none
        for _ in 1...5 { try attempts.reserve(at: Self.start) }
        #expect(throws: ServiceError.limited(by: .passwordAttempts, until: Self.start + .seconds(2))) {
            try attempts.reserve(at: Self.start + .milliseconds(1999))
        }
        #expect(attempts.count == 5, "a refused attempt is not counted")
        try attempts.reserve(at: Self.start + .seconds(2))
    }

    @Test func refundKeepsDelayOfOtherFailures() throws {
        var attempts = SignInAttempts.none
        for _ in 1...6 { try? attempts.reserve(at: Self.start) }
        attempts.count += 1
        attempts.refund()
        #expect(attempts.blockedUntil == Self.start + .seconds(2))
        attempts.refund()
        #expect(attempts.blockedUntil == nil)
    }

    @Test(arguments: [(5, 2), (6, 4), (7, 8), (13, 512), (14, 900), (19, 900), (20, 900), (59, 900), (60, 86_400)])
    func delayDoublesUpToLockWindow(count: Int, seconds: Int) {
        #expect(SignInAttempts.delay(afterAttempt: count) == .seconds(seconds))
    }

    /// The caller waits for the end of every delay.
    @Test func waitingCallerHasSixtyAttemptsPerWindow() throws {
        var attempts = SignInAttempts.none
        var now = Self.start
        for _ in 1...60 {
            try attempts.reserve(at: now)
            now = max(now, attempts.blockedUntil ?? now)
        }
        let shortest = Self.start + .seconds(11 * 60 * 60) + SignInAttempts.memory
        #expect(now >= shortest)
        #expect(throws: ServiceError.self) { try attempts.reserve(at: now + .milliseconds(-1)) }
    }
}
