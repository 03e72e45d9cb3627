import Vocabulary

/// What calls of one provider came to lately. Open, it is passed over; now and then one message goes to see whether it
/// is better.
struct CircuitBreaker: Equatable, Sendable {
    /// Failures in a row that open it. One may be chance.
    static let threshold = 3
    static let pauses = Backoff(first: .seconds(5), longest: .seconds(60))

    private(set) var failures = 0
    /// While it is open: when the next message may try. Nil: closed.
    private(set) var retryAt: Moment?
    private var openings = 0

    var isOpen: Bool { retryAt != nil }

    /// Asks for leave to call the provider.
    /// - Parameter callTime: no call takes longer; so long nobody else tries.
    mutating func tryAcquirePermission(at now: Moment, callTimeout callTime: Duration) -> Bool {
        guard let retryAt else { return true }
        guard retryAt.hasCome(at: now) else { return false }
        self.retryAt = now + callTime
        return true
    }

    /// The provider does its work, whatever it thinks of the message.
    mutating func recordSuccess() {
        self = CircuitBreaker()
    }

    /// - Parameters:
    ///   - admittedAt: calls that began before it opened say nothing new.
    ///   - jitter: 0 ..< 1.
    mutating func recordFailure(admittedAt: Moment, at now: Moment, jitter: Double) {
        failures += 1
        if let openedAt, admittedAt < openedAt { return }
        guard failures >= Self.threshold else { return }
        openings += 1
        openedAt = now
        retryAt = now + Self.pauses.delay(forAttempt: openings, jitter: jitter)
    }

    private var openedAt: Moment?
}

/// The providers of text messages, and which of them to call: in the operator's order, but for those that fail.
struct ProviderFailover: Equatable, Sendable {
    private(set) var breakers: [String: CircuitBreaker]
    /// No call of that provider takes longer.
    private let callTimes: [String: Duration]

    init(_ callTimes: [String: Duration]) {
        self.callTimes = callTimes
        breakers = callTimes.mapValues { _ in CircuitBreaker() }
    }

    /// The next provider to give a message to.
    /// - Parameters:
    ///   - route: those that can have it, the best first.
    ///   - tried: those that did not take it just now.
    ///   - orNearest: whether, when every breaker is open, to name the one that is nearest to its retry: when to try at
    ///     all is then for `DeliveryWorkerState` to say.
    /// - Returns: nil when no other is left.
    mutating func nextProvider(
        of route: [String], after tried: [String], at now: Moment, orNearest: Bool = true
    ) -> String? {
        let left = route.filter { !tried.contains($0) && breakers[$0] != nil }
        for name in left
        where breakers[name]?.tryAcquirePermission(at: now, callTimeout: callTimes[name] ?? .zero) == true {
            return name
        }
        guard orNearest, tried.isEmpty else { return nil }
        return left.min { (breakers[$0]?.retryAt ?? now) < (breakers[$1]?.retryAt ?? now) }
    }

    mutating func succeed(_ name: String) {
        breakers[name]?.recordSuccess()
    }

    mutating func fail(_ name: String, admittedAt: Moment, at now: Moment, jitter: Double) {
        breakers[name]?.recordFailure(admittedAt: admittedAt, at: now, jitter: jitter)
    }
}
