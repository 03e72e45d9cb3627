import Vocabulary

/// What one process knows of the way out: how much is under way, and whether the server takes anything.
struct CourierState: Equatable, Sendable {
    /// A server that takes nothing.
    struct Trouble: Equatable, Sendable {
        var problem: DeliveryProblem
        var since: Moment
        /// Attempts to find it better, one at a time.
        var failures: Int
        /// Nothing is tried before.
        var retryAt: Moment
    }

    /// Messages at a time.
    let limit: Int
    /// Between attempts in trouble.
    let pauses: BackOff
    private(set) var inFlight = 0
    private(set) var trouble: Trouble?

    init(limit: Int, pauses: BackOff = .server) {
        self.limit = limit
        self.pauses = pauses
    }

    /// How many messages may be taken on now. In trouble it is one, when its time has come: if that one goes through, the
    /// others follow.
    func room(at now: Moment) -> Int {
        guard let trouble else { return limit - inFlight }
        return inFlight == 0 && trouble.retryAt.hasCome(at: now) ? 1 : 0
    }

    mutating func begin(_ count: Int) {
        inFlight += count
    }

    /// - Parameter jitter: 0 ..< 1.
    mutating func end(_ outcome: AttemptOutcome, at now: Moment, jitter: Double) {
        inFlight -= 1
        switch outcome {
        case .taken, .delayed, .refused:
            trouble = nil
        case .interrupted:
            break
        case .serverTrouble(let problem):
            suffer(problem, at: now, jitter: jitter)
        case .uncertain(let doubt):
            if doubt.isServerTrouble { suffer(doubt.problem, at: now, jitter: jitter) }
        }
    }

    private mutating func suffer(_ problem: DeliveryProblem, at now: Moment, jitter: Double) {
        // Those that were under way together find out together: that is one failure.
        let failures = trouble.map { now < $0.retryAt ? $0.failures : $0.failures + 1 } ?? 1
        trouble = Trouble(
            problem: problem, since: trouble?.since ?? now, failures: failures,
            retryAt: now + pauses.pause(failures, jitter: jitter))
    }
}
