import Vocabulary

/// Consecutive wrong codes for one number or one account, across sessions: a new code does not reset the count
/// (security rule RL2, SM5, MP8).
struct FailedCodeAttempts: Equatable, Sendable {
    /// Maximum consecutive failures (NIST SP 800-63B-4 §3.2.2).
    static let maximum = 100
    /// How long the count is kept after the last failure.
    static let memory = Duration.seconds(30 * 86_400)

    private(set) var count = 0
    /// Until then no code is verified.
    private(set) var lockedUntil: Moment?

    init(count: Int = 0, lockedUntil: Moment? = nil) {
        self.count = count
        self.lockedUntil = lockedUntil
    }

    /// - Returns: the time until which no code is verified; nil without a lock.
    func activeLock(at now: Moment) -> Moment? { lockedUntil.flatMap { $0 > now ? $0 : nil } }

    /// Counts one failure.
    mutating func recordFailure(at now: Moment) {
        // The lock at the maximum is as long as the retention time: after it the count starts at 0.
        if count >= Self.maximum { count = 0 }
        count += 1
        if let pause = Self.lockDuration(after: count) { lockedUntil = now + pause }
    }

    /// Users make a few errors; twenty consecutive wrong codes indicate guessing.
    private static func lockDuration(after count: Int) -> Duration? {
        switch count {
        case 20: .seconds(15 * 60)
        case 40: .seconds(3600)
        case 60: .seconds(4 * 3600)
        case 80: .seconds(24 * 3600)
        case maximum: memory
        default: nil
        }
    }
}
