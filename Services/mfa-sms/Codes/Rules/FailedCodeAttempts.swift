import Vocabulary

/// Consecutive wrong codes of one number or one account, over all sessions. A new code does not reset the count
/// (security rule RL2, SM5, MP8).
struct FailedCodeAttempts: Equatable, Sendable {
    /// The maximum of consecutive wrong codes (NIST SP 800-63B-4 §3.2.2).
    static let maximum = 100
    /// How long the count stays after the last wrong code.
    static let memory = Duration.seconds(30 * 86_400)

    /// The number of wrong codes between two locks. A user enters a few wrong codes. Twenty in a row are guesses.
    private static let lockInterval = 20

    private(set) var count = 0
    /// Until then no code is verified.
    private(set) var lockedUntil: Moment?

    /// - Returns: until when no code may be verified; nil when it may.
    func activeLock(at now: Moment) -> Moment? {
        guard let lockedUntil, let longest = Self.lockDuration(after: count / Self.lockInterval * Self.lockInterval),
            lockedUntil.endsWindow(ofAtMost: longest, at: now)
        else { return nil }
        return lockedUntil
    }

    /// Counts one more.
    mutating func recordFailure(at now: Moment) {
        // The lock at the maximum lasts as long as the count stays.
        if count >= Self.maximum { count = 0 }
        count += 1
        if let pause = Self.lockDuration(after: count) { lockedUntil = now + pause }
    }

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
