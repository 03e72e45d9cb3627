package import SQL

/// An embedded database: one writing connection and several reading ones, each on a thread of its own, so that no
/// cooperative thread ever waits for the disk.
///
/// Journal in write-ahead mode with `synchronous = FULL`: what `write` has answered survives the loss of power, and
/// reads never wait for writes. Several processes may share a file.
package final class SQLiteDatabase: SQLDatabase {
    package enum Location: Equatable, Sendable {
        /// Made with mode 0600 if it is not there; its folder must exist.
        case file(String)
        /// Private to this value, and gone with it.
        case memory
    }

    private let writes: JobQueue
    /// A database in memory belongs to one connection: the writing one reads too.
    private let reads: JobQueue?
    private let longReads: LongReads?

    /// Opens the database and starts its threads. Blocks for the time the file system takes: call it at start.
    /// - Parameters:
    ///   - readers: connections that read, each with up to 2 MB of page cache.
    ///   - queuedWrites: writes that may wait; one more is refused with `overloaded`.
    ///   - queuedReads: the same for reads.
    ///   - statementTime: after which a statement is interrupted: less than a caller waits. nil for one who goes through
    ///     all of the database.
    ///   - isChecked: look at the structure of every page first, which takes some seconds for each gigabyte.
    /// - Throws: `SQLError.cannotOpen`, `notADatabase`, `readOnly`, `damaged`, `full`; `commitsLost` and
    ///   `anotherDatabase` when the watermark beside the file says so.
    package init(
        _ location: Location, readers: Int = 2, queuedWrites: Int = 4096, queuedReads: Int = 4096,
        statementTime: Duration? = .milliseconds(3500), isChecked: Bool = false
    ) throws(SQLError) {
        let writes = JobQueue(bound: queuedWrites)
        let reads = location == .memory ? nil : JobQueue(bound: queuedReads)
        self.writes = writes
        self.reads = reads
        // If one of these throws, `deinit` ends the threads that already run.
        let writer = try SQLiteConnection(location)
        if isChecked { try writer.checkStructure() }
        writer.statementTime = statementTime
        guard case .file(let path) = location, let reads else {
            longReads = nil
            writes.startWorker(label: "sqlite-write") {
                Self.serveWrites(writes, with: GroupCommit(connection: writer))
            }
            return
        }
        let counter = try CommitCounter(of: path, on: writer, isNew: writer.hasMadeFile)
        let files = try SQLiteFiles(path)
        longReads = LongReads { line in
            let reader = try SQLiteConnection(location)
            reader.statementTime = statementTime
            line.startWorker(label: "sqlite-long") { Self.serveReads(line, on: reader, of: files, perSnapshot: 1) }
        }
        writes.startWorker(label: "sqlite-write") {
            Self.serveWrites(writes, with: GroupCommit(connection: writer, files: files, counter: counter))
        }
        for _ in 0..<max(1, readers) {
            let reader = try SQLiteConnection(location)
            reader.statementTime = statementTime
            reads.startWorker(label: "sqlite-read") {
                Self.serveReads(reads, on: reader, of: files, perSnapshot: Self.readsPerSnapshot)
            }
        }
    }

    /// The threads finish what waits, and end.
    deinit {
        writes.close()
        reads?.close()
        longReads?.close()
    }

    /// Runs `body` in a transaction and returns its answer once the commit is on the disk.
    ///
    /// Writes that wait at the same time share one commit. A body that throws is rolled back alone, and its error is
    /// rethrown. If the shared commit fails, each of its callers gets that failure and nothing was written.
    /// - Parameter body: short and synchronous; every other write waits for it. It has no effect outside the transaction,
    ///   because it runs again if a neighbour's failure made SQLite give up the transaction they shared.
    /// - Throws: what `body` threw; `SQLError.overloaded` at once when the line is full; `busy`, `full`, `closed`.
    package func write<Answer: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Answer
    ) async throws -> Answer {
        try await writes.run(isReadOnly: false, body)
    }

    /// Runs `body` on one consistent snapshot, which holds everything that was committed before the call.
    /// - Throws: what `body` threw; `SQLError.overloaded` at once when the line is full; `closed`; `writeInRead` when
    ///   a statement would change rows.
    package func read<Answer: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Answer
    ) async throws -> Answer {
        guard let reads else {
            return try await writes.run(isReadOnly: true) { try body($0.readOnly) }
        }
        return try await reads.run(isReadOnly: true, body)
    }

    /// Runs `body` on a connection of its own, which no short read waits for.
    package func longRead<Answer: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Answer
    ) async throws -> Answer {
        guard let longReads else { return try await read(body) }
        return try await longReads.run(body)
    }

    /// How often a starter tries again while another process migrates; each try waits as long as SQLite waits.
    private static let migrationAttempts = 20

    package func migrate(_ migrations: [SQLMigration]) async throws {
        for attempt in 1... {
            do {
                // What rebuilds a table takes longer than a request may.
                return try await writes.run(isReadOnly: false, isPatient: true) { transaction in
                    try transaction.apply(migrations)
                    try CommitCounter.create(in: transaction)
                }
            } catch SQLError.busy where attempt < Self.migrationAttempts {
                continue
            }
        }
    }

    /// Refuses new work, does what waits, and returns when the file is closed.
    package func close() async {
        // Writing ends last: the last connection to leave folds the journal into the file, if it is alone.
        reads?.close()
        longReads?.close()
        await reads?.waitUntilFinished()
        await longReads?.end()
        writes.close()
        await writes.waitUntilFinished()
    }

    // MARK: On the threads

    private static func serveWrites(_ line: JobQueue, with group: GroupCommit) {
        while true {
            let jobs = line.dequeue(atMost: GroupCommit.jobsPerCommit)
            guard !jobs.isEmpty else { break }
            group.run(jobs)
        }
        group.connection.close()
    }

    /// Reads that wait at the same time share a snapshot, which is younger than all of them.
    private static let readsPerSnapshot = 16

    private static func serveReads(
        _ line: JobQueue, on connection: SQLiteConnection, of files: SQLiteFiles, perSnapshot: Int
    ) {
        while true {
            let jobs = line.dequeue(atMost: perSnapshot)
            guard !jobs.isEmpty else { break }
            for job in jobs {
                do {
                    try files.checkFlag()
                    if !connection.isInTransaction { try connection.run("BEGIN") }
                    let answer = try job.run(SQLTransaction(on: connection, isReadOnly: true))
                    answer()
                } catch {
                    job.fail(error)
                }
            }
            // `try?`: it changed nothing, and fails only if `BEGIN` did or SQLite has rolled back by itself.
            if connection.isInTransaction { _ = try? connection.run("COMMIT") }
        }
        connection.close()
    }
}
