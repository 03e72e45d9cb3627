import Contracts
import Vocabulary

/// Failed attempts within one budget (security rules, section 0 and RL4). An attempt is counted before it is evaluated
/// and refunded when the password was right, so parallel attempts cannot exceed a budget.
///
/// Counted whether or not an account has the address, because an error must not reveal it (EN7).
struct SignInAttempts: Equatable, Sendable {
    /// Attempts since the last successful one.
    var count: Int
    var blockedUntil: Moment?

    static let none = SignInAttempts(count: 0, blockedUntil: nil)

    /// Attempts without a delay.
    static let freeAttempts = 4
    /// From this count on the budget is closed for a complete window after each attempt.
    static let attemptsUntilLocked = 20
    static let lockWindow = Duration.seconds(15 * 60)
    /// Maximum consecutive attempts. Together with `AttemptBudgets.maximumTrusted` it is the maximum of 100 in NIST SP
    /// 800-63B-4 §3.2.2.
    static let maximumAttempts = 60
    /// After this time without an attempt the count restarts.
    static let memory = Duration.seconds(24 * 60 * 60)

    /// Counts an attempt, or refuses it uncounted.
    /// - Parameter limit: the name of the refusal.
    mutating func reserve(at now: Moment, limit: LimitName = .passwordAttempts) throws(ServiceError) {
        // The attempt that set it may have been refunded since.
        if let blockedUntil, blockedUntil.endsWindow(ofAtMost: Self.delay(afterAttempt: count + 1), at: now) {
            throw .limited(by: limit, until: blockedUntil)
        }
        count += 1
        blockedUntil = count > Self.freeAttempts ? now + Self.delay(afterAttempt: count) : nil
    }

    /// Refunds one attempt that was not evaluated, or that was right. A block caused by other attempts stays.
    mutating func refund() {
        count = max(0, count - 1)
        if count <= Self.freeAttempts { blockedUntil = nil }
    }

    /// 2 s after the fifth, doubled with each further one, at most the lock window; the window itself from the
    /// twentieth on; unlimited from the sixtieth on.
    static func delay(afterAttempt count: Int) -> Duration {
        guard count < maximumAttempts else { return memory }
        guard count < attemptsUntilLocked else { return lockWindow }
        return min(.seconds(1 << (count - freeAttempts)), lockWindow)
    }
}
