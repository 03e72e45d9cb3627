import EventLoop
package import SQL

/// An embedded database: one writing connection and several reading ones, each on its own thread, so that no
/// cooperative thread waits for the disk.
///
/// The journal is in write-ahead mode with `synchronous = FULL`: an acknowledged `write` survives a power failure, and
/// reads never wait for writes. Several processes may share a file.
package final class SQLiteDatabase: SQLDatabase {
    package enum Location: Equatable, Sendable {
        /// Created with mode 0600 if it is missing; its directory must exist.
        case file(String)
        /// Private to this value, and deleted with it.
        case memory
    }

    /// The path of the watermark; nil for a database in memory.
    private let notePath: String?
    private let writes: JobQueue<SQLJob>
    /// Nil for a database in memory: it has one connection, which also reads.
    private let reads: JobQueue<SQLJob>?
    private let longReads: LongReads?
    /// For callers on the thread of an event loop.
    private let inlineReader: InlineReader?
    /// Nil for a database in memory. The writing thread keeps it too.
    private let lock: DatabaseLock?

    /// Opens the database and starts its threads. Blocks during the file system calls: call it at start.
    /// - Parameters:
    ///   - readers: reading connections, which are opened when they are needed, each with up to 2 MB of page cache.
    ///   - queuedWrites: writes that may wait; one more is rejected with `overloaded`.
    ///   - queuedReads: the same for reads.
    ///   - statementTime: after which a statement is interrupted; shorter than the wait of a caller. Nil for work on
    ///     the whole database.
    ///   - isChecked: checks the structure of every page first, which takes some seconds for each gigabyte, unless a
    ///     restore has just done so.
    ///   - instant: the steady clock, for the pauses between writes.
    /// - Throws: `SQLError.cannotOpen`, `notADatabase`, `readOnly`, `damaged`, `full`; `commitsLost` and
    ///   `anotherDatabase` according to the watermark beside the file.
    package init(
        _ location: Location, readers: Int = 2, queuedWrites: Int = 4096, queuedReads: Int = 4096,
        statementTime: Duration? = .milliseconds(3500), isChecked: Bool = false,
        instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) throws(SQLError) {
        let writes = JobQueue<SQLJob>(bound: queuedWrites)
        let reads = location == .memory ? nil : JobQueue<SQLJob>(bound: queuedReads)
        self.writes = writes
        self.reads = reads
        notePath =
            switch location {
            case .file(let path): CommitWatermark.path(of: path)
            case .memory: nil
            }
        // Before the file is opened: a restore may be about to put another one in its place.
        let lock: DatabaseLock?
        var isChecked = isChecked
        switch location {
        case .file(let path):
            lock = try DatabaseLock.opening(path)
            if isChecked { isChecked = !StructureMark.take(from: path) }
        case .memory: lock = nil
        }
        self.lock = lock
        // If one of these throws, `deinit` ends the threads that already run.
        let writer = try SQLiteConnection(location)
        if case .file(let path) = location, writer.hasMadeFile {
            CommitWatermark.remove(CommitWatermark.path(of: path))
        }
        try lock?.endOpening()
        if isChecked { try writer.checkStructure() }
        writer.statementTime = statementTime
        try writer.keepPages(bytes: Self.writerCacheBytes)
        guard case .file(let path) = location, let reads else {
            longReads = nil
            inlineReader = nil
            writes.startWorker(label: "sqlite-write") {
                Self.serveWrites(writes, with: GroupCommit(connection: writer), instant: instant)
            }
            return
        }
        writer.takeOverJournal()
        let counter = try CommitCounter(of: path, on: writer)
        let files = try SQLiteFiles(path)
        inlineReader = try InlineReader(of: files)
        let reader = Reader(files: files, statementTime: statementTime)
        longReads = LongReads { queue in
            queue.startWorker(label: "sqlite-long") { reader.serve(queue, perSnapshot: 1) }
        }
        writes.startWorker(label: "sqlite-write") {
            Self.serveWrites(
                writes, with: GroupCommit(connection: writer, files: files, counter: counter), instant: instant)
            withExtendedLifetime(lock) {}
        }
        for _ in 0..<max(1, readers) {
            reads.startWorker(label: "sqlite-read") { reader.serve(reads, perSnapshot: Self.readsPerSnapshot) }
        }
    }

    /// The threads finish the queued jobs and then end.
    deinit {
        writes.close()
        reads?.close()
        longReads?.close()
    }

    /// Runs `body` in a transaction and returns its result once the commit is on the disk.
    ///
    /// Writes that wait at the same time share one commit. A body that throws is rolled back alone, and its error is
    /// rethrown. If the shared commit fails, each of its callers gets that error and nothing was written.
    /// - Parameter body: short and synchronous, because every other write waits for it. It has no effect outside the
    ///   transaction, because it runs again if another body made SQLite abort the shared transaction.
    /// - Throws: the error of `body`; `SQLError.overloaded` at once if the queue is full; `busy`, `full`, `closed`.
    package func write<Result: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
    ) async throws -> Result {
        try await writes.run(isReadOnly: false, body)
    }

    /// Runs `body` on one consistent snapshot, which contains everything that was committed before the call. For a
    /// caller on the thread of an event loop a short body runs there.
    /// - Parameter body: without effects outside. It runs again on another thread if it is not short.
    /// - Throws: the error of `body`; `SQLError.overloaded` at once if the queue is full; `closed`;
    ///   `writeInReadOnlyTransaction` if a statement would change rows.
    package func read<Result: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
    ) async throws -> Result {
        guard let reads else {
            return try await writes.run(isReadOnly: true) { try body($0.readOnly) }
        }
        if EventLoop.isCurrentThread, let result = try inlineReader?.run(body) { return result }
        return try await reads.run(isReadOnly: true, body)
    }

    /// Runs `body` on a separate connection, so that no short read waits for it.
    package func longRead<Result: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
    ) async throws -> Result {
        guard let longReads else { return try await read(body) }
        return try await longReads.run(body)
    }

    /// The maximum number of attempts while another process migrates; each one waits as long as SQLite waits.
    private static let migrationAttempts = 20

    @discardableResult
    package func migrate(_ migrations: [SQLMigration]) async throws -> Int {
        for attempt in 1... {
            do {
                // Rebuilding a table takes longer than a request may.
                return try await writes.run(isReadOnly: false, isPatient: true) { transaction in
                    let former = try transaction.apply(migrations).former
                    try CommitCounter.create(in: transaction)
                    return former
                }
            } catch SQLError.busy {
                guard attempt < Self.migrationAttempts else { throw SQLError.migrationWaits(.lock) }
            }
        }
        preconditionFailure("the last attempt returns or throws")
    }

    /// Keeps a note in the file of the watermark, behind the number of commits.
    package func keepNote(_ note: [UInt8]) async throws {
        guard let notePath else { return }
        // On the thread that also writes the number.
        try await writes.run(isReadOnly: true) { _ in try CommitWatermark.keep(note, in: notePath) }
    }

    package func note() async throws -> [UInt8]? {
        guard let notePath else { return nil }
        return try await writes.run(isReadOnly: true) { _ in try CommitWatermark.note(in: notePath) }
    }

    /// Rejects new work, completes queued work, and returns when the file is closed.
    package func close() async {
        // Writing ends last: the last connection merges the journal into the file if no other process uses it.
        reads?.close()
        longReads?.close()
        await inlineReader?.close()
        await reads?.waitUntilFinished()
        await longReads?.end()
        writes.close()
        await writes.waitUntilFinished()
        lock?.release()
    }

    // MARK: On the threads

    /// What the pages of the writing connection may take in memory. Each index has pages of its own, so most writes change
    /// pages that others have changed before.
    private static let writerCacheBytes = 16 << 20

    private static func serveWrites(
        _ queue: JobQueue<SQLJob>, with group: GroupCommit, instant: () -> ContinuousClock.Instant
    ) {
        var group = group
        var cache = CacheSchedule()
        while true {
            var jobs = queue.dequeueWaiting(atMost: GroupCommit.jobsPerCommit)
            if jobs.isEmpty {
                group.copyJournal(isIdle: true)
                cache.beginPause(at: instant())
                jobs = queue.dequeue(atMost: GroupCommit.jobsPerCommit)
                guard !jobs.isEmpty else { break }
                if cache.endPause(at: instant()) { group.connection.releaseMemory() }
            }
            group.run(jobs)
            group.copyJournal(isIdle: false)
        }
        group.connection.close()
    }

    /// Reads that wait at the same time share a snapshot that was taken after all of them were queued.
    private static let readsPerSnapshot = 16

    /// A thread that reads. It opens its connection for the first read: in most processes all short reads run on the thread of
    /// an event loop, and each connection keeps the schema and pages in memory.
    private struct Reader: Sendable {
        var files: SQLiteFiles
        var statementTime: Duration?

        func serve(_ queue: JobQueue<SQLJob>, perSnapshot: Int) {
            var opened: SQLiteConnection?
            while true {
                let jobs = queue.dequeue(atMost: perSnapshot)
                guard !jobs.isEmpty else { break }
                for job in jobs {
                    do {
                        try files.checkFlag()
                        let connection = try opened ?? connect()
                        opened = connection
                        if !connection.isInTransaction { try connection.run("BEGIN") }
                        let resume = try job.run(SQLTransaction(on: connection, isReadOnly: true))
                        resume()
                    } catch {
                        job.fail(error)
                    }
                }
                // `try?`: it changed nothing, and fails only if `BEGIN` did or SQLite has rolled back by itself.
                if let opened, opened.isInTransaction { _ = try? opened.run("COMMIT") }
            }
            opened?.close()
        }

        private func connect() throws(SQLError) -> SQLiteConnection {
            let connection = try files.connect()
            connection.statementTime = statementTime
            return connection
        }
    }
}
