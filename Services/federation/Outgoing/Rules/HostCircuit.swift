/// The circuit breaker of one domain, with a limit of its running calls: a slow provider must not slow down the others
/// (security rule FE21).
struct HostCircuit: Equatable, Sendable {
    /// Consecutive failures that open it.
    static let failureThreshold = 5
    /// How long it stays open, and the minimum time between two probes.
    static let openDuration = Duration.seconds(10)
    static let maximumRunning = 24

    enum Outcome: Sendable {
        case success, failure
        /// The call did not reach the host, for a reason of this process.
        case notSent
    }

    private(set) var running = 0
    private var failures = 0
    /// Nil: closed.
    private var nextProbeAt: ContinuousClock.Instant?

    var isIdle: Bool { running == 0 && failures == 0 }

    /// Acquires permission for a call. A caller with permission reports the outcome.
    mutating func acquirePermission(at now: ContinuousClock.Instant) -> Bool {
        guard running < Self.maximumRunning else { return false }
        if let nextProbeAt {
            guard now >= nextProbeAt else { return false }
            self.nextProbeAt = now + Self.openDuration
        }
        running += 1
        return true
    }

    mutating func record(_ outcome: Outcome, at now: ContinuousClock.Instant) {
        running = max(0, running - 1)
        switch outcome {
        case .notSent: break
        case .success:
            failures = 0
            nextProbeAt = nil
        case .failure:
            failures = min(failures + 1, Self.failureThreshold)
            if failures == Self.failureThreshold { nextProbeAt = now + Self.openDuration }
        }
    }
}
