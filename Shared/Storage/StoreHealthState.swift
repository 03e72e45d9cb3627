import Contracts
import SQL

/// The result of one check of a store.
enum StoreCheckResult: Equatable, Sendable {
    case working
    case failed(StoreProblem)
    /// The check has not ended in time.
    case unanswered
}

/// Why a store does not work.
struct StoreProblem: Equatable, Sendable {
    /// One or two words without confidential content.
    let word: String
    /// For the log: with paths and addresses, but without values of any user's data.
    let reason: String

    static let unanswered = StoreProblem(word: "no answer", reason: "the database does not answer")
}

extension StoreCheckResult {
    init(_ error: any Error) {
        guard let error = error as? SQLError else {
            self = .failed(StoreProblem(word: "failed", reason: String(reflecting: type(of: error))))
            return
        }
        switch error {
        // Overload is not an outage. A restored backup ends the process, and a stopping process closes its database.
        case .overloaded, .replaced, .closed: self = .working
        case .unavailable, .connectionsExhausted, .busy, .timedOut, .full, .transactionAborted, .cannotOpen,
            .notADatabase, .readOnly,
            .damaged,
            .moved, .commitsLost, .anotherDatabase, .schemaNewer, .migrationWaits, .migrationChanged, .uniqueViolation,
            .foreignKeyViolation, .notNullViolation,
            .checkViolation, .columnTypeMismatch, .parameterCount, .recordMismatch, .writeInReadOnlyTransaction, .other:
            self = .failed(StoreProblem(word: error.word, reason: error.reason))
        }
    }
}

extension SQLError {
    /// For readers who must not see paths and addresses.
    fileprivate var word: String {
        switch self {
        case .unavailable, .cannotOpen, .transactionAborted: "unavailable"
        case .connectionsExhausted: "no connection"
        case .busy: "busy"
        case .timedOut: "slow"
        case .full: "no room"
        case .notADatabase, .damaged, .commitsLost, .anotherDatabase: "damaged"
        case .moved: "moved"
        case .readOnly: "read-only"
        case .schemaNewer, .migrationWaits, .migrationChanged: "other schema"
        case .overloaded, .replaced, .closed, .uniqueViolation, .foreignKeyViolation, .notNullViolation,
            .checkViolation, .columnTypeMismatch, .parameterCount, .recordMismatch, .writeInReadOnlyTransaction, .other:
            "failed"
        }
    }
}

/// Decides from the results of checks whether a store works, and what to log.
struct StoreHealthState: Sendable {
    struct Outage: Equatable, Sendable {
        var problem: StoreProblem
        /// When the first of its checks failed.
        var since: ContinuousClock.Instant
    }

    /// For the log.
    enum Change: Equatable {
        case lost(StoreProblem)
        /// Once a minute.
        case stillLost(StoreProblem, Duration)
        case recovered(Duration)
    }

    /// Consecutive failed checks that make an outage. A single one may be a broken connection.
    static let failuresOfOutage = 2
    static let logInterval = Duration.seconds(60)
    /// A commit keeps the disk busy, and an idle machine awake.
    static let readsBetweenCommits = 2

    private(set) var outage: Outage?
    /// That succeeded since the last commit.
    private var reads = 0
    private var firstFailure: ContinuousClock.Instant?
    private var failures = 0
    private var loggedAt: ContinuousClock.Instant?

    init() {}

    /// The next check, and whether it repeats the only failed one. After a failure it commits: a read alone does not show
    /// that the store works again.
    var next: (kind: StoreCheckKind, isRepetition: Bool) {
        guard failures == 0 else { return (.commit, failures < Self.failuresOfOutage) }
        return (reads < Self.readsBetweenCommits ? .read : .commit, false)
    }

    /// - Returns: what to log.
    mutating func receive(_ result: StoreCheckResult, at now: ContinuousClock.Instant) -> Change? {
        switch result {
        case .working:
            let ended = outage
            let reads =
                switch next.kind {
                case .read: reads + 1
                case .commit: 0
                }
            self = .init()
            self.reads = reads
            return ended.map { .recovered(now - $0.since) }
        case .unanswered: return fail(.unanswered, atLeast: Self.failuresOfOutage, at: now)
        case .failed(let problem): return fail(problem, atLeast: 1, at: now)
        }
    }

    /// - Parameter weight: of the failure. A check that timed out is not just a broken connection.
    private mutating func fail(
        _ problem: StoreProblem, atLeast weight: Int, at now: ContinuousClock.Instant
    ) -> Change? {
        let since = firstFailure ?? now
        firstFailure = since
        // Bounded, because an outage may last for years.
        failures = min(failures + weight, Self.failuresOfOutage)
        guard failures >= Self.failuresOfOutage else { return nil }
        let isNew = outage == nil
        outage = Outage(problem: problem, since: since)
        guard !isNew else {
            loggedAt = now
            return .lost(problem)
        }
        guard let logged = loggedAt, now - logged >= Self.logInterval else { return nil }
        loggedAt = now
        return .stillLost(problem, now - since)
    }
}
