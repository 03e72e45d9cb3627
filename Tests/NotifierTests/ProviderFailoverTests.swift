import TestSupport
import Testing

@testable import NotifierService

private let start = ContinuousClock.now
private let callTime = Duration.seconds(10)

/// `#expect` for mutating calls, which the macro cannot evaluate itself.
private func isTrue(_ condition: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(condition, sourceLocation: sourceLocation)
}

@Suite struct CircuitBreakerTests {
    @Test func breakerOpensAfterThreeConsecutiveFailures() {
        var breaker = CircuitBreaker()
        for _ in 0..<2 { breaker.recordFailure(admittedAt: start, at: start, jitter: 1) }
        breaker.recordSuccess()
        for _ in 0..<2 { breaker.recordFailure(admittedAt: start, at: start, jitter: 1) }
        #expect(!breaker.isOpen)
        isTrue(breaker.tryAcquirePermission(at: start, callTimeout: callTime))
        breaker.recordFailure(admittedAt: start, at: start, jitter: 1)
        #expect(breaker.retryAt == start + .seconds(5))
        isTrue(!breaker.tryAcquirePermission(at: start + .milliseconds(4999), callTimeout: callTime))
    }

    @Test func halfOpenBreakerAdmitsOneProbeWithGrowingDelay() {
        var breaker = CircuitBreaker()
        for _ in 0..<3 { breaker.recordFailure(admittedAt: start, at: start, jitter: 1) }
        var now = start
        for pause in [10, 20, 40, 60, 60] {
            now = breaker.retryAt ?? now
            isTrue(breaker.tryAcquirePermission(at: now, callTimeout: callTime))
            isTrue(!breaker.tryAcquirePermission(at: now, callTimeout: callTime))
            breaker.recordFailure(admittedAt: now, at: now, jitter: 1)
            #expect(breaker.retryAt == now + .seconds(pause))
        }
        now = breaker.retryAt ?? now
        isTrue(breaker.tryAcquirePermission(at: now, callTimeout: callTime))
        breaker.recordSuccess()
        #expect(breaker == CircuitBreaker())
    }

    /// Calls that were running when the breaker opened end late and add no information.
    @Test func failuresOfEarlierCallsDoNotExtendOpenTime() {
        var breaker = CircuitBreaker()
        for _ in 0..<3 { breaker.recordFailure(admittedAt: start, at: start + .seconds(1), jitter: 1) }
        let retryAt = breaker.retryAt
        for _ in 0..<20 { breaker.recordFailure(admittedAt: start, at: start + .seconds(2), jitter: 1) }
        #expect(breaker.retryAt == retryAt)
    }

    /// Random events: a success closes the breaker. An open breaker admits no call before its retry time, then one at a
    /// time; the retry time is bounded.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func breakerKeepsInvariantsForRandomEvents(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var breaker = CircuitBreaker()
        var now = start
        var calls: [ContinuousClock.Instant] = []
        for _ in 0..<300 {
            now = now + .milliseconds(Int.random(in: 0...4000, using: &random))
            let before = breaker
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let isAdmitted = breaker.tryAcquirePermission(at: now, callTimeout: callTime)
                #expect(isAdmitted == (before.retryAt.map { now >= $0 } ?? true))
                if isAdmitted {
                    calls.append(now)
                    if before.isOpen { isTrue(!breaker.tryAcquirePermission(at: now, callTimeout: callTime)) }
                }
            case 2:
                guard let admittedAt = calls.popLast() else { continue }
                breaker.recordFailure(admittedAt: admittedAt, at: now, jitter: Double.random(in: 0..<1, using: &random))
                if let retryAt = breaker.retryAt, before.retryAt != retryAt {
                    #expect(retryAt > now && retryAt <= now + .seconds(60))
                }
                #expect(breaker.isOpen == (before.isOpen || breaker.failures >= CircuitBreaker.threshold))
            default:
                guard calls.popLast() != nil else { continue }
                breaker.recordSuccess()
                #expect(!breaker.isOpen && breaker.failures == 0)
            }
        }
        isTrue(breaker.tryAcquirePermission(at: now + .seconds(60), callTimeout: callTime))
    }
}

@Suite struct ProviderFailoverTests {
    private static let names = ["a", "b", "c"]

    private func failover() -> ProviderFailover { ProviderFailover(["a": callTime, "b": callTime, "c": callTime]) }

    private func expect(
        _ name: String?, _ failover: inout ProviderFailover, after tried: [String] = [],
        at now: ContinuousClock.Instant = start,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let next = failover.nextProvider(of: Self.names, after: tried, at: now)
        #expect(next == name, sourceLocation: sourceLocation)
    }

    @Test func providersAreTriedInOrder() {
        var failover = failover()
        expect("a", &failover)
        expect("b", &failover, after: ["a"])
        expect("c", &failover, after: ["a", "b"])
        expect(nil, &failover, after: ["a", "b", "c"])
        let none = failover.nextProvider(of: ["nobody"], after: [], at: start)
        #expect(none == nil)
    }

    @Test func openProviderIsSkippedUntilProbeSucceeds() {
        var failover = failover()
        for _ in 0..<3 { failover.recordFailure("a", admittedAt: start, at: start, jitter: 1) }
        expect("b", &failover)
        // One message probes the provider; the others do not wait for it.
        expect("a", &failover, at: start + .seconds(5))
        expect("b", &failover, at: start + .seconds(5))
        failover.recordSuccess("a")
        expect("a", &failover, at: start + .seconds(5))
    }

    @Test func earliestRetryIsTriedWhenAllBreakersAreOpen() {
        var failover = failover()
        for (seconds, name) in ["b", "c", "a"].enumerated() {
            for _ in 0..<3 {
                failover.recordFailure(name, admittedAt: start, at: start + .seconds(seconds), jitter: 1)
            }
        }
        expect("b", &failover, at: start + .seconds(3))
        expect(nil, &failover, after: ["b"], at: start + .seconds(3))
        let waiting = failover.nextProvider(of: Self.names, after: [], at: start + .seconds(3), orNearest: false)
        #expect(waiting == nil)
        let later = failover.nextProvider(of: Self.names, after: [], at: start + .seconds(5), orNearest: false)
        #expect(later == "b")
    }

    /// A first provider always exists, and no provider is tried twice for one message.
    @Test(arguments: 0..<100 as Range<UInt64>)
    func nextProviderIsNeverTriedTwice(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var failover = failover()
        var now = start
        for _ in 0..<100 {
            now = now + .milliseconds(Int.random(in: 0...3000, using: &random))
            var tried: [String] = []
            while let name = failover.nextProvider(of: Self.names, after: tried, at: now) {
                #expect(!tried.contains(name))
                tried.append(name)
                if Bool.random(using: &random) {
                    failover.recordSuccess(name)
                    break
                }
                failover.recordFailure(name, admittedAt: now, at: now, jitter: Double.random(in: 0..<1, using: &random))
            }
            #expect(!tried.isEmpty)
        }
    }
}
