import SQL
import Synchronization

/// A reading connection for the thread of an event loop: a short read there costs less than passing it to another thread
/// and back. Reads that are not short are left to the threads of the database.
///
/// `@unchecked Sendable`: the thread that has changed `state` to `inUse` is the only one that accesses the variables.
final class InlineReader: @unchecked Sendable {
    /// A statement that takes longer is interrupted, and its read runs on another thread.
    static let statementTime = Duration.milliseconds(10)

    private enum State: UInt8, AtomicRepresentable {
        case free
        case inUse
        case closed
    }

    private let state = Atomic(State.free)
    private let connection: SQLiteConnection
    private var pauses = InlineReadPauses()
    private let files: SQLiteFiles

    init(of files: SQLiteFiles) throws(SQLError) {
        connection = try files.connect()
        connection.statementTime = Self.statementTime
        try connection.refuseToWait()
        self.files = files
    }

    /// Runs a body as `SQLiteDatabase.read` does, on the calling thread.
    /// - Returns: nil if the body must run on another thread, because it is not short or must wait, or because the
    ///   connection is in use by another loop, or closed.
    /// - Throws: the error of the body.
    func run<Result: Sendable>(_ body: (borrowing SQLTransaction) throws -> Result) throws -> Result? {
        guard state.compareExchange(expected: .free, desired: .inUse, ordering: .acquiring).exchanged else {
            return nil
        }
        defer { state.store(.free, ordering: .releasing) }
        let start = ContinuousClock.now
        guard pauses.allowsRead(at: start) else { return nil }
        let result = try attempt(body)
        pauses.readEnded(at: .now, startedAt: start, isComplete: result != nil)
        return result
    }

    /// Closes the connection after a running read. Further reads run on other threads. A second call does nothing.
    func close() async {
        while true {
            switch state.compareExchange(expected: .free, desired: .closed, ordering: .acquiring).original {
            case .free: return connection.close()
            case .closed: return
            // For at most `statementTime` per statement of the read.
            case .inUse: await Task.yield()
            }
        }
    }

    private func attempt<Result: Sendable>(_ body: (borrowing SQLTransaction) throws -> Result) throws -> Result? {
        do {
            try files.checkFlag()
            try connection.run("BEGIN")
            // `try?`: it changed nothing, and fails only if SQLite has rolled back by itself.
            defer { if connection.isInTransaction { _ = try? connection.run("COMMIT") } }
            let transaction = SQLTransaction(on: connection, isReadOnly: true)
            let result = try body(transaction)
            // A body that continues after a failed statement has an incomplete result.
            return transaction.isAborted ? nil : result
        } catch SQLError.busy, SQLError.timedOut, SQLError.closed {
            return nil
        }
    }
}

/// Decides when reads on the thread of an event loop pause. A disk that has become slow delays the loop once per pause.
struct InlineReadPauses: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// A read that takes longer starts a pause.
    static let slowRead = Duration.milliseconds(5)
    static let pause = Duration.seconds(1)

    private var endsAt: Instant?

    func allowsRead(at now: Instant) -> Bool {
        endsAt.map { now >= $0 } ?? true
    }

    /// - Parameter isComplete: whether the read has a result.
    mutating func readEnded(at now: Instant, startedAt start: Instant, isComplete: Bool) {
        endsAt = isComplete && now - start < Self.slowRead ? nil : now + Self.pause
    }
}
