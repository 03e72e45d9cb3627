import Vocabulary

/// Wrong codes in a row for one number or one account, whatever sessions they were for: a new code does not begin anew
/// (security rule RL2, SM5, MP8).
struct FailedCodeAttempts: Equatable, Sendable {
    /// Never more in a row (NIST SP 800-63B-4 §3.2.2).
    static let maximum = 100
    /// How long they are remembered after the last one.
    static let memory = Duration.seconds(30 * 86_400)

    private(set) var count = 0
    /// Until then no code is looked at.
    private(set) var lockedUntil: Moment?

    init(count: Int = 0, lockedUntil: Moment? = nil) {
        self.count = count
        self.lockedUntil = lockedUntil
    }

    /// - Returns: until when no code may be looked at; nil when it may.
    func activeLock(at now: Moment) -> Moment? { lockedUntil.flatMap { $0 > now ? $0 : nil } }

    /// One more.
    mutating func recordFailure(at now: Moment) {
        // The lock at the bound is as long as the memory: after it everything is forgotten.
        if count >= Self.maximum { count = 0 }
        count += 1
        if let pause = Self.lockDuration(after: count) { lockedUntil = now + pause }
    }

    /// A person is wrong a few times; whoever is wrong twenty times in a row guesses.
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
