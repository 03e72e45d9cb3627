import Contracts
import PhoneNumbers
import TestSupport
import Testing
import Vocabulary

@testable import MFASMSService

/// What was stored while the clock was ahead restricts nothing when it is right again. Up to five minutes count as the
/// difference between two machines.
@Suite struct ClockStepTests {
    private static let now = Moment(milliseconds: 1_700_000_000_000)
    /// Seconds, and whether what was stored then still holds.
    private static let aheads: [(Int64, Bool)] = [
        (0, true), (200, true), (-100_000_000, false), (700, false), (3600, false), (365 * 86_400, false),
    ]

    /// "sending_ladders.last_at"
    @Test(arguments: aheads) func resendDelay(seconds: Int64, holds: Bool) {
        let backoff = ResendBackoff(messages: 1, lastAt: Self.now + .seconds(seconds), previousAt: nil)
        #expect((backoff.nextAllowedAt(delays: [.seconds(30)], at: Self.now) != nil) == holds)
    }

    /// "failed_guesses.locked_until"
    @Test(arguments: aheads, [20, 40, 60, 80]) func lockOfANumber(ahead: (Int64, Bool), count: Int) {
        var failures = FailedCodeAttempts(count: count - 1)
        failures.recordFailure(at: Self.now + .seconds(ahead.0))
        #expect((failures.activeLock(at: Self.now) != nil) == ahead.1)
    }

    /// "sending_ranges.blocked_until", "sending_ranges.checkpoint_at", "sending_ranges.last_sent_at"
    @Test(arguments: aheads) func blockOfAPrefix(seconds: Int64, holds: Bool) {
        var conversion = SendingPolicy.Conversion()
        conversion.minimumPercent = 50
        let ahead = Self.now + .seconds(seconds)
        var prefix = PrefixRecord(at: ahead - SendingPolicy.Conversion.maturationTime)
        for _ in 0..<SendingPolicy.Conversion.sampleSize {
            prefix.countSent(at: ahead - SendingPolicy.Conversion.maturationTime)
        }
        let states = [ahead, Self.now].map { isBlocked(&prefix, conversion, at: $0) }
        #expect(states == [true, holds])
    }

    private func isBlocked(
        _ prefix: inout PrefixRecord, _ conversion: SendingPolicy.Conversion, at now: Moment
    ) -> Bool {
        if case .blocked = prefix.evaluate(conversion, at: now) { true } else { false }
    }

    /// "verification_sessions.leased_until": the request that brought the right code may come again.
    @Test(arguments: [(10, false), (-10, true), (700, true)] as [(Int64, Bool)])
    func leaseOfACode(seconds: Int64, isResumed: Bool) throws {
        var session = VerificationSession(
            id: [1], realm: Realm(project: ProjectID("p")), purpose: .signIn,
            number: try ParsedPhoneNumber("+12025550143"), accountID: nil, factorID: nil, isTest: false,
            codeDigest: [6], createdAt: Self.now)
        let attempt = VerificationSession.Attempt(sessionID: [1], codeDigest: [6], request: [9])
        let first = session.verify(attempt, at: Self.now)
        #expect(first == .verified)
        // The clock is set back by `seconds`; a negative number is time that passes.
        let later = Self.now - .seconds(seconds) + (seconds < 0 ? VerificationSession.lease : .zero)
        let second = session.verify(attempt, at: later)
        #expect((second == .resumed) == isResumed)
    }
}
