import SQL

/// Runs the bodies of many callers under one commit, because the wait for the disk dominates the time of a write.
///
/// A body that throws rolls back only its own changes. Few bodies throw after they have changed rows, and a savepoint copies
/// each page that its body changes. So the bodies run without savepoints first. If one throws after a change, all is rolled
/// back, and all run again, each in its own savepoint; so do the next groups. No caller gets a result before the commit,
/// because the changes of the other bodies are final only then.
struct GroupCommit {
    let connection: SQLiteConnection
    /// Nil for a database in memory.
    var files: SQLiteFiles?
    /// Nil for a database in memory.
    var counter: CommitCounter?

    private var schedule = CheckpointSchedule()
    /// The groups that still use savepoints.
    private var groupsInSavepoints = 0

    /// The maximum number of jobs under one commit. With more, the first callers would wait for too many other bodies.
    static let jobsPerCommit = 256
    /// After a group that had to run twice: one caller that causes it repeatedly does not double the work of the others.
    static let groupsAfterFailure = 64

    init(connection: SQLiteConnection, files: SQLiteFiles? = nil, counter: CommitCounter? = nil) {
        self.connection = connection
        self.files = files
        self.counter = counter
    }

    mutating func run(_ jobs: [SQLJob]) {
        // A migration changes more than rows.
        var usesSavepoints = groupsInSavepoints > 0 || jobs.contains(where: \.isPatient)
        if groupsInSavepoints > 0 { groupsInSavepoints -= 1 }
        while true {
            switch attempt(jobs, inSavepoints: usesSavepoints) {
            case .done: return
            case .runAgain:
                usesSavepoints = true
                groupsInSavepoints = Self.groupsAfterFailure
            case .runIndividually(let culprit): return runIndividually(jobs, except: culprit)
            }
        }
    }

    /// Copies the journal into the file if it is due.
    /// - Parameter isIdle: whether no write waits.
    mutating func copyJournal(isIdle: Bool) {
        if schedule.isDue(connection.journalPages, isIdle: isIdle) { connection.copyJournal() }
    }

    private enum Attempt {
        /// Every caller has its result.
        case done
        /// Nothing was changed, and no caller has a result.
        case runAgain
        /// SQLite has aborted the transaction because of the job at this index, whose caller has the error.
        case runIndividually(Int)
    }

    private func attempt(_ jobs: [SQLJob], inSavepoints: Bool) -> Attempt {
        var resumptions: [@Sendable () -> Void] = []
        do {
            try files?.checkFlag()
            try connection.run("BEGIN IMMEDIATE")
            let changes = connection.totalChanges
            for (index, job) in jobs.enumerated() {
                let changesBefore = connection.totalChanges
                do {
                    resumptions.append(try inSavepoints ? runInSavepoint(job) : run(job))
                } catch {
                    guard connection.isInTransaction else {
                        job.fail(error)
                        return .runIndividually(index)
                    }
                    // What has changed nothing leaves nothing to undo.
                    if !inSavepoints, connection.totalChanges != changesBefore {
                        rollBack()
                        guard jobs.count == 1 else { return .runAgain }
                        job.fail(error)
                        return .done
                    }
                    resumptions.append { job.fail(error) }
                }
            }
            let mark = connection.totalChanges == changes ? nil : try counter?.next()
            try connection.run("COMMIT")
            // A commit into a file that was removed or replaced counts as failed.
            try files?.check()
            if let mark { try counter?.acknowledge(mark) }
            // A migration has filled it with pages of all tables.
            if jobs.contains(where: \.isPatient) { connection.releaseMemory() }
            for resume in resumptions { resume() }
        } catch {
            rollBack()
            for job in jobs { job.fail(error) }
        }
        return .done
    }

    /// Handles the case that SQLite aborts the whole transaction because of one body, for example on a full disk. The
    /// other jobs run again, each under its own commit, so that no body can fail another one twice.
    private mutating func runIndividually(_ jobs: [SQLJob], except culprit: Int) {
        for index in jobs.indices where index != culprit { run([jobs[index]]) }
    }

    /// Runs one body in a savepoint, and rolls it back if it fails.
    private func runInSavepoint(_ job: SQLJob) throws -> @Sendable () -> Void {
        try connection.run("SAVEPOINT body")
        let statementTime = connection.statementTime
        if job.isPatient { connection.statementTime = nil }
        defer { connection.statementTime = statementTime }
        do {
            let resume = try run(job)
            try connection.run("RELEASE body")
            return resume
        } catch {
            rollBackToSavepoint()
            throw error
        }
    }

    private func run(_ job: SQLJob) throws -> @Sendable () -> Void {
        let resume = try job.run(SQLTransaction(on: connection, isReadOnly: false))
        guard connection.isInTransaction else { throw SQLError.transactionAborted }
        // Otherwise the commit would fail, and with it all other bodies.
        guard !connection.hasDeferredViolations else { throw SQLError.foreignKeyViolation }
        return resume
    }

    /// If the savepoint cannot be rolled back alone, the whole transaction is.
    private func rollBackToSavepoint() {
        guard connection.isInTransaction else { return }
        do {
            try connection.run("ROLLBACK TO body")
            try connection.run("RELEASE body")
        } catch {
            rollBack()
        }
    }

    private func rollBack() {
        guard connection.isInTransaction else { return }
        // `try?`: it fails only if there is nothing left to roll back.
        _ = try? connection.run("ROLLBACK")
    }
}
