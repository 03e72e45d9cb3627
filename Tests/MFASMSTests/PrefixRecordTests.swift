import TestSupport
import Testing
import Vocabulary

@testable import MFASMSService

/// When a prefix is deferred, blocked and opened again.
@Suite struct PrefixRecordTests {
    private let conversion = SendingPolicy.Conversion()

    private func prefix(sent: Int, verified: Int, at now: Moment = .midnight) -> PrefixRecord {
        var prefix = PrefixRecord(at: now)
        for _ in 0..<sent { prefix.countSent(at: now) }
        for _ in 0..<verified { prefix.countVerified() }
        return prefix
    }

    @Test(arguments: [
        (49, 0, false), (50, 0, true), (50, 4, true), (50, 5, false), (60, 5, true), (60, 6, false), (100, 10, false),
        (101, 10, true),
    ])
    func prefixIsBlockedBelowMinimumConversion(sent: Int, verified: Int, isClosed: Bool) {
        var prefix = prefix(sent: sent, verified: verified)
        let decision = prefix.evaluate(conversion, at: .midnight + 120)
        #expect(decision == (isClosed ? .blocked(until: .midnight + 3720) : .open))
    }

    @Test func prefixIsDeferredUntilFirstSampleMatures() {
        var prefix = prefix(sent: 50, verified: 0)
        for seconds in [0, 60, 119] {
            #expect(prefix.evaluate(conversion, at: .midnight + seconds) == .deferred(until: .midnight + 120))
        }
        // Some codes are verified meanwhile.
        for _ in 0..<4 { prefix.countVerified() }
        #expect(prefix.evaluate(conversion, at: .midnight + 119) == .deferred(until: .midnight + 120))
        prefix.countVerified()
        #expect(prefix.evaluate(conversion, at: .midnight + 119) == .open)
    }

    @Test func blockDurationDoublesUpToMaximum() {
        var prefix = PrefixRecord(at: .midnight)
        var now = Moment.midnight
        for hours in [1, 2, 4, 8, 16, 24, 24, 24] {
            for _ in 0..<50 {
                #expect(prefix.evaluate(conversion, at: now) == .open)
                prefix.countSent(at: now)
            }
            now = now + 120
            let until = now + hours * 3600
            #expect(prefix.evaluate(conversion, at: now) == .blocked(until: until))
            #expect(prefix.evaluate(conversion, at: until + .milliseconds(-1)) == .blocked(until: until))
            now = until
        }
        // After a good sample the prefix is trusted.
        for _ in 0..<50 { prefix.countSent(at: now) }
        for _ in 0..<30 { prefix.countVerified() }
        #expect(prefix.evaluate(conversion, at: now + 120) == .open)
        #expect(prefix.blockCount == 0)
    }

    @Test func unmaturedMessagesDoNotBlockPrefix() {
        var prefix = prefix(sent: 100, verified: 60)
        #expect(prefix.evaluate(conversion, at: .midnight + 120) == .open)
        // Many unverified messages at once: the earlier conversion of the prefix counts.
        for _ in 0..<300 { prefix.countSent(at: .midnight + 125) }
        #expect(prefix.evaluate(conversion, at: .midnight + 126) == .open)
        for _ in 0..<200 { prefix.countVerified() }
        #expect(prefix.evaluate(conversion, at: .midnight + 300) == .open)
    }

    @Test func pastConversionsHideAttackOnlyBriefly() {
        var prefix = PrefixRecord(at: .midnight)
        var now = Moment.midnight
        for _ in 0..<2000 {
            #expect(prefix.evaluate(conversion, at: now) == .open)
            prefix.countSent(at: now)
            prefix.countVerified()
            now = now + 60
        }
        var sent = 0
        while case .open = prefix.evaluate(conversion, at: now), sent < 5000 {
            prefix.countSent(at: now)
            sent += 1
            now = now + 1
        }
        #expect((100...1500).contains(sent), "closed after \(sent)")
    }

    @Test func prefixIsNotBlockedWhenCheckIsOff() {
        var prefix = prefix(sent: 5000, verified: 0)
        var off = conversion
        off.minimumPercent = 0
        #expect(prefix.evaluate(off, at: .midnight + 600) == .open)
    }

    /// Random events in random order.
    @Test(arguments: 0..<100 as Range<UInt64>)
    func countsStayConsistentInAnyOrder(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var prefix = PrefixRecord(at: .midnight)
        var now = Moment.midnight
        for _ in 0..<500 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                if case .open = prefix.evaluate(conversion, at: now) { prefix.countSent(at: now) }
            case 5..<7: prefix.countVerified()
            case 7: prefix.removeSent()
            default: now = now + Int.random(in: -60...600, using: &random)
            }
            #expect(0 <= prefix.verified && prefix.verified <= prefix.sent)
            #expect(
                0 <= prefix.maturedCount && prefix.maturedCount <= prefix.sent && prefix.checkpointSent <= prefix.sent)
            if let until = prefix.blockedUntil { #expect(until <= now + (24 * 3600 + 60 * 500)) }
        }
    }

    @Test(arguments: [
        ("+4915112345678", "+4915112"), ("+12025550156", "+1202555"), ("+8801812345678", "+8801812"),
        ("+2908123456", "+2908123"), ("+24740123", "+24740"), ("+6834002", "+6834"),
    ])
    func prefixOmitsSubscriberDigits(number: String, prefix: String) throws {
        #expect(NumberPrefix(try #require(PhoneNumber(number))).prefix == prefix)
    }
}
