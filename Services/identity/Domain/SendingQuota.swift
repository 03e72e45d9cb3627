import Contracts
import Vocabulary

/// How many e-mails went out in the current window: to one address for one purpose, or for a whole project. Counted
/// before anything is looked up and whether or not an account has the address: a refusal must not tell that (security
/// reference EN7).
struct SendingQuota: Equatable, Sendable {
    var count: Int
    var windowBeganAt: Moment

    /// Codes of one purpose to one address.
    static let perAddress = 10
    static let addressWindow = Duration.seconds(60 * 60)
    /// All codes that people asked for in a project.
    static let perProject = 10_000
    static let projectWindow = Duration.seconds(24 * 60 * 60)

    static func empty(at now: Moment) -> SendingQuota { .init(count: 0, windowBeganAt: now) }

    /// Counts one more.
    /// - Returns: when there is room again, if there is none; then nothing was counted.
    mutating func reserve(_ limit: Int, within window: Duration, at now: Moment) -> Moment? {
        if now >= windowBeganAt + window { self = .empty(at: now) }
        guard count < limit else { return windowBeganAt + window }
        count += 1
        return nil
    }
}
