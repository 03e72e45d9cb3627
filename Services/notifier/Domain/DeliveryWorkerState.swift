import Vocabulary

/// What one process knows of the way out: how much is under way, and whether the server takes anything.
struct DeliveryWorkerState: Equatable, Sendable {
    /// A server that takes nothing.
    struct Outage: Equatable, Sendable {
        var problem: DeliveryFailure
        var since: Moment
        /// Attempts to find it better, one at a time.
        var failures: Int
        /// Nothing is tried before.
        var retryAt: Moment
    }

    /// Messages at a time.
    let limit: Int
    /// Between attempts in trouble.
    let backoff: Backoff
    private(set) var inFlight = 0
    private(set) var outage: Outage?

    init(limit: Int, backoff: Backoff = .server) {
        self.limit = limit
        self.backoff = backoff
    }

    /// How many messages may be taken on now. In trouble it is one, when its time has come: if that one goes through, the
    /// others follow.
    func availableCapacity(at now: Moment) -> Int {
        guard let outage else { return limit - inFlight }
        return inFlight == 0 && outage.retryAt.hasCome(at: now) ? 1 : 0
    }

    mutating func begin(_ count: Int) {
        inFlight += count
    }

    /// - Parameter jitter: 0 ..< 1.
    mutating func end(_ outcome: DeliveryOutcome, at now: Moment, jitter: Double) {
        inFlight -= 1
        switch outcome {
        case .sent, .deferred, .rejected:
            outage = nil
        case .interrupted:
            break
        case .transportUnavailable(let problem):
            recordFailure(problem, at: now, jitter: jitter)
        case .uncertain(let doubt):
            if doubt.isTransportFailure { recordFailure(doubt.problem, at: now, jitter: jitter) }
        }
    }

    private mutating func recordFailure(_ problem: DeliveryFailure, at now: Moment, jitter: Double) {
        // Those that were under way together find out together: that is one failure.
        let failures = outage.map { now < $0.retryAt ? $0.failures : $0.failures + 1 } ?? 1
        outage = Outage(
            problem: problem, since: outage?.since ?? now, failures: failures,
            retryAt: now + backoff.delay(forAttempt: failures, jitter: jitter))
    }
}
