import Contracts
import Vocabulary

/// The state of an enrolled factor (security rules, section 5).
struct TOTPFactor: Equatable, Sendable {
    enum VerificationResult: Equatable, Sendable {
        case accepted
        case refused(ServiceError)
    }

    /// The maximum of wrong codes within `failurePeriod`, over all sessions and processes.
    static let maximumFailures = 5
    static let failurePeriod = Duration.seconds(300)
    /// After so many consecutive wrong codes the factor is locked for good (NIST SP 800-63B-4 §3.2.2).
    static let maximumFailuresInARow = 100
    /// Maximum time between first factor and code.
    static let challengeLifetime = Duration.seconds(300)

    /// Steps up to this one are used.
    var lastStep: Int64
    /// When that step was accepted, by the process clock.
    var acceptedAt: Moment
    /// The times of the latest wrong codes, oldest first; no more than `maximumFailures`.
    var failureTimes: [Moment] = []
    var consecutiveFailures = 0

    /// A factor of which no code was accepted here.
    static let unused = TOTPFactor(lastStep: 0, acceptedAt: Moment(milliseconds: 0))

    /// Verifies a code and counts the attempt.
    /// - Parameters:
    ///   - code: nil for input that is no code. It does not count.
    ///   - window: steps of 30 s that a code may be early or late.
    mutating func verify(_ code: TOTPCode?, secret: [UInt8], window: Int, at now: Moment) -> VerificationResult {
        switch block(at: now) {
        case .forGood: return .refused(.limited(by: .totpCodeAttempts, until: nil))
        case .until(let end):
            failureTimes = recentFailureTimes(at: now)
            return .refused(.limited(by: .totpCodeAttempts, until: end))
        case nil: failureTimes = recentFailureTimes(at: now)
        }
        guard let code else { return .refused(ServiceError(.invalidCode)) }
        // Counted before it is evaluated, and refunded when it was right.
        failureTimes.append(now)
        consecutiveFailures += 1
        guard
            let step = code.step(secret: secret, around: TOTPCode.step(at: now), window: window, after: lastStep)
        else { return .refused(ServiceError(.invalidCode)) }
        failureTimes.removeLast()
        consecutiveFailures = 0
        lastStep = step
        acceptedAt = now
        return .accepted
    }

    /// Times in the future were written before the clock was set back: they count from now on.
    private func recentFailureTimes(at now: Moment) -> [Moment] {
        failureTimes.map { min($0, now) }.filter { now < $0 + Self.failurePeriod }
    }

    enum Block: Equatable, Sendable {
        case forGood
        case until(Moment)
    }

    /// Why no code is verified now; nil if one is.
    func block(at now: Moment) -> Block? {
        guard consecutiveFailures < Self.maximumFailuresInARow else { return .forGood }
        let recent = recentFailureTimes(at: now)
        guard recent.count >= Self.maximumFailures, let earliest = recent.first else { return nil }
        return .until(earliest + Self.failurePeriod)
    }

    /// How far the clock is behind the time of the last accepted code: it was set back. Used steps stay used.
    func clockSkew(at now: Moment) -> Duration {
        .milliseconds(max(0, acceptedAt.milliseconds(since: now)))
    }
}

/// A factor of an account.
struct TOTPFactorKey: Hashable, Sendable {
    var owner: TOTPAccountKey
    var id: FactorID
}
