import TestSupport
import Testing
import Vocabulary

@testable import NotifierService

private let start = Moment(milliseconds: 1_700_000_000_000)
private let callTime = Duration.seconds(10)

/// `#expect` for calls that change what they are made on, which it cannot make itself.
private func isTrue(_ condition: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(condition, sourceLocation: sourceLocation)
}

@Suite struct ProviderBreakerTests {
    @Test func opensAfterThreeFailuresInARow() {
        var breaker = ProviderBreaker()
        for _ in 0..<2 { breaker.fail(admittedAt: start, at: start, jitter: 1) }
        breaker.succeed()
        for _ in 0..<2 { breaker.fail(admittedAt: start, at: start, jitter: 1) }
        #expect(!breaker.isOpen)
        isTrue(breaker.admit(at: start, callTime: callTime))
        breaker.fail(admittedAt: start, at: start, jitter: 1)
        #expect(breaker.retryAt == start + .seconds(5))
        isTrue(!breaker.admit(at: start + .milliseconds(4999), callTime: callTime))
    }

    @Test func letsOneTryAndWaitsLongerEachTime() {
        var breaker = ProviderBreaker()
        for _ in 0..<3 { breaker.fail(admittedAt: start, at: start, jitter: 1) }
        var now = start
        for pause in [10, 20, 40, 60, 60] {
            now = breaker.retryAt ?? now
            isTrue(breaker.admit(at: now, callTime: callTime))
            isTrue(!breaker.admit(at: now, callTime: callTime))
            breaker.fail(admittedAt: now, at: now, jitter: 1)
            #expect(breaker.retryAt == now + .seconds(pause))
        }
        now = breaker.retryAt ?? now
        isTrue(breaker.admit(at: now, callTime: callTime))
        breaker.succeed()
        #expect(breaker == ProviderBreaker())
    }

    /// Those that were under way when it opened end late, and say nothing new.
    @Test func failuresFromBeforeDoNotKeepItOpenLonger() {
        var breaker = ProviderBreaker()
        for _ in 0..<3 { breaker.fail(admittedAt: start, at: start + .seconds(1), jitter: 1) }
        let retryAt = breaker.retryAt
        for _ in 0..<20 { breaker.fail(admittedAt: start, at: start + .seconds(2), jitter: 1) }
        #expect(breaker.retryAt == retryAt)
    }

    /// Whatever happens: closed after a success; open, it lets nobody through before its time and then one at a time; and
    /// its time comes.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func keepsItsWord(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var breaker = ProviderBreaker()
        var now = start
        var calls: [Moment] = []
        for _ in 0..<300 {
            now = now + .milliseconds(Int.random(in: 0...4000, using: &random))
            let before = breaker
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let isAdmitted = breaker.admit(at: now, callTime: callTime)
                #expect(isAdmitted == (before.retryAt.map { now >= $0 } ?? true))
                if isAdmitted {
                    calls.append(now)
                    if before.isOpen { isTrue(!breaker.admit(at: now, callTime: callTime)) }
                }
            case 2:
                guard let admittedAt = calls.popLast() else { continue }
                breaker.fail(admittedAt: admittedAt, at: now, jitter: Double.random(in: 0..<1, using: &random))
                if let retryAt = breaker.retryAt, before.retryAt != retryAt {
                    #expect(retryAt > now && retryAt <= now + .seconds(60))
                }
                #expect(breaker.isOpen == (before.isOpen || breaker.failures >= ProviderBreaker.threshold))
            default:
                guard calls.popLast() != nil else { continue }
                breaker.succeed()
                #expect(!breaker.isOpen && breaker.failures == 0)
            }
        }
        isTrue(breaker.admit(at: now + .seconds(60), callTime: callTime))
    }
}

@Suite struct ProviderLadderTests {
    private static let names = ["a", "b", "c"]

    private func ladder() -> ProviderLadder { ProviderLadder(["a": callTime, "b": callTime, "c": callTime]) }

    private func expect(
        _ name: String?, _ ladder: inout ProviderLadder, after tried: [String] = [], at now: Moment = start,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let next = ladder.next(of: Self.names, after: tried, at: now)
        #expect(next == name, sourceLocation: sourceLocation)
    }

    @Test func goesDownInOrder() {
        var ladder = ladder()
        expect("a", &ladder)
        expect("b", &ladder, after: ["a"])
        expect("c", &ladder, after: ["a", "b"])
        expect(nil, &ladder, after: ["a", "b", "c"])
        let none = ladder.next(of: ["nobody"], after: [], at: start)
        #expect(none == nil)
    }

    @Test func passesOverAnOpenOneUntilItIsBetter() {
        var ladder = ladder()
        for _ in 0..<3 { ladder.fail("a", admittedAt: start, at: start, jitter: 1) }
        expect("b", &ladder)
        // One goes to see, the others do not wait for it.
        expect("a", &ladder, at: start + .seconds(5))
        expect("b", &ladder, at: start + .seconds(5))
        ladder.succeed("a")
        expect("a", &ladder, at: start + .seconds(5))
    }

    @Test func triesTheNearestWhenAllAreOpen() {
        var ladder = ladder()
        for (seconds, name) in ["b", "c", "a"].enumerated() {
            for _ in 0..<3 {
                ladder.fail(name, admittedAt: start, at: start + .seconds(seconds), jitter: 1)
            }
        }
        expect("b", &ladder, at: start + .seconds(3))
        expect(nil, &ladder, after: ["b"], at: start + .seconds(3))
        let patient = ladder.next(of: Self.names, after: [], at: start + .seconds(3), orNearest: false)
        #expect(patient == nil)
        let later = ladder.next(of: Self.names, after: [], at: start + .seconds(5), orNearest: false)
        #expect(later == "b")
    }

    /// There is always somebody to try first, and nobody is tried twice for one message.
    @Test(arguments: 0..<100 as Range<UInt64>)
    func alwaysKnowsWhoIsNext(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var ladder = ladder()
        var now = start
        for _ in 0..<100 {
            now = now + .milliseconds(Int.random(in: 0...3000, using: &random))
            var tried: [String] = []
            while let name = ladder.next(of: Self.names, after: tried, at: now) {
                #expect(!tried.contains(name))
                tried.append(name)
                if Bool.random(using: &random) {
                    ladder.succeed(name)
                    break
                }
                ladder.fail(name, admittedAt: now, at: now, jitter: Double.random(in: 0..<1, using: &random))
            }
            #expect(!tried.isEmpty)
        }
    }
}
