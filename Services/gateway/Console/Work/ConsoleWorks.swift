import Bus
import Contracts
import ServiceRuntime
import Synchronization
import UserFiles
import Vocabulary

/// The long work of operators in this process: acts on many accounts, and imports. It ends with the process; each can be
/// begun again, and does then what is left.
final class ConsoleWorks: ProcessComponent {
    private struct Job: Sendable {
        var work: ConsoleWork
        var body: @Sendable (ConsoleWork) async -> ConsoleWork.Outcome
    }

    static let maximumRunning = 4
    /// Finished ones, whose results can be read.
    static let maximumFinished = 20

    /// The oldest first.
    private let works = Mutex<[ConsoleWork]>([])
    private let jobs: AsyncStream<Job>
    private let inbox: AsyncStream<Job>.Continuation

    init() {
        (jobs, inbox) = AsyncStream.makeStream()
    }

    func run() async throws {
        await withDiscardingTaskGroup { group in
            for await job in jobs {
                group.addTask { job.work.finish(await job.body(job.work)) }
            }
            group.cancelAll()
        }
    }

    func beginShutdown() async { inbox.finish() }

    /// - Throws: `ConsoleRefusal.busy` if as much as possible is under way.
    func start(
        _ work: ConsoleWork, _ body: @escaping @Sendable (ConsoleWork) async -> ConsoleWork.Outcome
    ) throws(ConsoleRefusal) {
        let isStarted = works.withLock { works in
            guard works.count(where: \.isRunning) < Self.maximumRunning else { return false }
            while works.count(where: { !$0.isRunning }) >= Self.maximumFinished,
                let oldest = works.firstIndex(where: { !$0.isRunning })
            {
                works.remove(at: oldest)
            }
            works.append(work)
            return true
        }
        guard isStarted else { throw .busy }
        inbox.yield(Job(work: work, body: body))
    }

    /// - Parameter owner: nobody else sees the work.
    func find(_ id: String?, of owner: AccountID, in project: ProjectID?) -> ConsoleWork? {
        works.withLock { $0.first { $0.id == id && $0.owner == owner && $0.realm.project == project } }
    }
}

/// One act on many accounts, or one import: its progress and its result.
final class ConsoleWork: Sendable {
    enum Kind: Sendable {
        case act(ConsoleBulkAct)
        case importing(ConsoleImportFile, isDryRun: Bool)
    }

    enum Outcome: Equatable, Sendable {
        case complete
        /// By the operator, or because the process ends.
        case stopped
        /// The session ended, or the operator has no longer the role.
        case forbidden
        /// The rest was not done.
        case failed(Failure)
    }

    enum Failure: Equatable, Sendable {
        case service(ConsoleReason, detail: String?)
        /// The file of an import cannot be read from this record on.
        case file(record: Int)
        case missingHashAlgorithm
    }

    struct State: Sendable {
        /// Nil until it is known.
        var total: Int?
        var done = 0
        /// Accounts that were not changed, with the reason.
        var failures: [(account: String, reason: ConsoleReason)] = []
        var failureCount = 0
        var isStopping = false
        /// Nil while it runs.
        var outcome: Outcome?
        /// Of an import.
        var summary = ImportSummary()
        var asksForTOTP = true
    }

    static let maximumListedFailures = 20

    /// It cannot be guessed.
    let id = RequestID.random().description
    let kind: Kind
    let owner: AccountID
    let realm: Realm
    private let content = Mutex(State())

    init(_ kind: Kind, of owner: AccountID, in realm: Realm) {
        self.kind = kind
        self.owner = owner
        self.realm = realm
    }

    var state: State { content.withLock { $0 } }
    var isRunning: Bool { state.outcome == nil }
    var isStopping: Bool { Task.isCancelled || state.isStopping }

    func change(_ body: (inout State) -> Void) { content.withLock { body(&$0) } }

    func fail(_ account: String, _ error: any Error) {
        change { state in
            state.failureCount += 1
            guard state.failures.count < Self.maximumListedFailures else { return }
            let reason = (error as? ServiceError).map { ConsoleReason($0.code) } ?? .unexpected
            state.failures.append((account, reason))
        }
    }

    fileprivate func finish(_ outcome: Outcome) { change { $0.outcome = outcome } }
}
