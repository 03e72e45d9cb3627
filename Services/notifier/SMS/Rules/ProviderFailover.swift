import Delivery

/// The circuit breaker of one provider. While it is open, the provider is skipped; periodically one message probes it.
/// Its times are of the steady clock.
struct CircuitBreaker: Equatable, Sendable {
    typealias Instant = ContinuousClock.Instant

    /// Consecutive failures that open it. A single failure may be accidental.
    static let threshold = 3
    static let backoff = Backoff(first: .seconds(5), longest: .seconds(60))

    private(set) var failures = 0
    /// While it is open: the time of the next probe. Nil: closed.
    private(set) var retryAt: Instant?
    private var openings = 0

    var isOpen: Bool { retryAt != nil }

    /// Acquires permission to call the provider.
    /// - Parameter callTimeout: the maximum duration of a call; during it there is no other probe.
    mutating func tryAcquirePermission(at now: Instant, callTimeout: Duration) -> Bool {
        guard let retryAt else { return true }
        guard retryAt <= now else { return false }
        self.retryAt = now + callTimeout
        return true
    }

    /// The provider works, whether it accepted the message or not.
    mutating func recordSuccess() {
        self = CircuitBreaker()
    }

    /// - Parameters:
    ///   - admittedAt: calls that began before the breaker opened do not count again.
    ///   - jitter: 0 ..< 1.
    mutating func recordFailure(admittedAt: Instant, at now: Instant, jitter: Double) {
        failures += 1
        if let openedAt, admittedAt < openedAt { return }
        guard failures >= Self.threshold else { return }
        openings += 1
        openedAt = now
        retryAt = now + Self.backoff.delay(forAttempt: openings, jitter: jitter)
    }

    private var openedAt: Instant?
}

/// Selects the SMS provider to call: in the operator's order, without failing providers.
struct ProviderFailover: Equatable, Sendable {
    private(set) var breakers: [String: CircuitBreaker]
    /// The maximum duration of a call, by provider.
    private let callTimes: [String: Duration]

    init(_ callTimes: [String: Duration]) {
        self.callTimes = callTimes
        breakers = callTimes.mapValues { _ in CircuitBreaker() }
    }

    /// The next provider for a message.
    /// - Parameters:
    ///   - route: the candidates, in order of preference.
    ///   - tried: the providers that already failed in this attempt.
    ///   - orNearest: whether to return the provider with the earliest retry when every breaker is open.
    ///     `DeliveryState` then decides when to try.
    /// - Returns: nil when there is no other provider.
    mutating func nextProvider(
        of route: [String], after tried: [String], at now: CircuitBreaker.Instant, orNearest: Bool = true
    ) -> String? {
        let left = route.filter { !tried.contains($0) && breakers[$0] != nil }
        for name in left
        where breakers[name]?.tryAcquirePermission(at: now, callTimeout: callTimes[name] ?? .zero) == true {
            return name
        }
        guard orNearest, tried.isEmpty else { return nil }
        return left.min { (breakers[$0]?.retryAt ?? now) < (breakers[$1]?.retryAt ?? now) }
    }

    mutating func recordSuccess(_ name: String) {
        breakers[name]?.recordSuccess()
    }

    mutating func recordFailure(
        _ name: String, admittedAt: CircuitBreaker.Instant, at now: CircuitBreaker.Instant, jitter: Double
    ) {
        breakers[name]?.recordFailure(admittedAt: admittedAt, at: now, jitter: jitter)
    }
}
