/// The state of one process's transport: messages in flight, and an outage. Its times are of the steady clock.
struct DeliveryWorkerState: Equatable, Sendable {
    typealias Instant = ContinuousClock.Instant

    /// An outage of the server.
    struct Outage: Equatable, Sendable {
        var problem: DeliveryFailure
        var since: Instant
        /// Consecutive failed probes.
        var failures: Int
        /// The time of the next probe.
        var retryAt: Instant
    }

    /// Maximum concurrent messages.
    let concurrency: Int
    /// Between probes during an outage.
    let backoff: Backoff
    private(set) var inFlight = 0
    private(set) var outage: Outage?

    init(concurrency: Int, backoff: Backoff = .server) {
        self.concurrency = concurrency
        self.backoff = backoff
    }

    /// How many more messages may be leased now. During an outage it is one probe message when its time has come; if
    /// its delivery succeeds, the others follow.
    func availableCapacity(at now: Instant) -> Int {
        guard let outage else { return concurrency - inFlight }
        return inFlight == 0 && outage.retryAt <= now ? 1 : 0
    }

    mutating func begin(_ count: Int) {
        inFlight += count
    }

    /// - Parameter jitter: 0 ..< 1.
    mutating func end(_ outcome: DeliveryOutcome, at now: Instant, jitter: Double) {
        inFlight -= 1
        switch outcome {
        case .sent, .deferred, .rejected:
            outage = nil
        case .interrupted:
            break
        case .transportUnavailable(let problem):
            recordFailure(problem, at: now, jitter: jitter)
        case .uncertain(let uncertainty):
            if uncertainty.isTransportFailure { recordFailure(uncertainty.problem, at: now, jitter: jitter) }
        }
    }

    private mutating func recordFailure(_ problem: DeliveryFailure, at now: Instant, jitter: Double) {
        // Concurrent messages fail together: they count as one failure.
        let failures = outage.map { now < $0.retryAt ? $0.failures : $0.failures + 1 } ?? 1
        outage = Outage(
            problem: problem, since: outage?.since ?? now, failures: failures,
            retryAt: now + backoff.delay(forAttempt: failures, jitter: jitter))
    }
}
