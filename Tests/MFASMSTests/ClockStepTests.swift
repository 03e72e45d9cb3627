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

    private static func session() throws -> VerificationSession {
        VerificationSession(
            id: [1], realm: Realm(project: ProjectID("p")), purpose: .signIn,
            number: try ParsedPhoneNumber("+12025550143"), accountID: nil, factorID: nil, isTest: false,
            codeDigest: [6], createdAt: now)
    }

    /// "verification_sessions.expires_at"
    @Test(arguments: [(0, true), (200, true), (700, false), (365 * 86_400, false)] as [(Int64, Bool)])
    func lifetimeOfACode(seconds: Int64, isValid: Bool) throws {
        var session = try Self.session()
        let before = Self.now - .seconds(seconds)
        #expect(session.isOpen(at: before) == isValid)
        let attempt = VerificationSession.Attempt(sessionID: [1], codeDigest: [6], request: [9])
        let decision = session.verify(attempt, at: before)
        #expect(decision == (isValid ? .verified : .expired))
        let challenge = ProofOfWorkChallenge(
            bits: 1, for: ProjectID("p"), at: Self.now, key: [1], random: { .init(repeating: 0, count: $0) })
        #expect(challenge.isExpired(at: before) != isValid)
    }

    /// "app_check_pairs.expires_at", "app_check_tokens.expires_at"
    @Test(arguments: [(0, true), (200, true), (700, false), (365 * 86_400, false)] as [(Int64, Bool)])
    func lifetimeOfAppCredentials(seconds: Int64, isValid: Bool) async throws {
        let store = try await SMSFixture().store.appVerification
        let (project, before) = (ProjectID("p"), Self.now - .seconds(seconds))
        let device = try PushDevice(
            token: String(repeating: "a1", count: 32), bundleID: bundle, in: AppVerificationFixture.configuration(),
            isDev: true)
        let pair = DevicePair(receipt: "r", secret: "s", device: device, deviceDigest: [3])
        #expect(try await store.insert(pair, from: nil, maximumChecks: nil, in: project, at: Self.now) == nil)
        #expect(
            try await store.redeemPair(receipt: "r", secret: "s", bundleID: bundle, in: project, at: before) == isValid)
        #expect(
            try await store.insertToken(
                "t", bundleID: nil, for: nil, from: nil, try AppVerificationFixture.settings([:]), in: project,
                at: Self.now) == nil)
        #expect(try await store.redeemToken("t", bundleID: nil, in: project, at: before) == isValid)
    }

    /// "verification_sessions.leased_until": the request that brought the right code may come again, once its lease has
    /// ended. A clock that is set back further than clocks differ ends the code itself.
    @Test(arguments: [(10, false), (-10, true), (700, false)] as [(Int64, Bool)])
    func leaseOfACode(seconds: Int64, isResumed: Bool) throws {
        var session = try Self.session()
        let attempt = VerificationSession.Attempt(sessionID: [1], codeDigest: [6], request: [9])
        let first = session.verify(attempt, at: Self.now)
        #expect(first == .verified)
        // The clock is set back by `seconds`; a negative number is time that passes.
        let later = Self.now - .seconds(seconds) + (seconds < 0 ? VerificationSession.lease : .zero)
        let second = session.verify(attempt, at: later)
        #expect((second == .resumed) == isResumed)
    }
}
