import SQL

/// Runs the bodies of many callers under one commit, because the wait for the disk dominates the time of a write.
///
/// Each body runs in its own savepoint, so a body that throws rolls back only its own changes. No caller gets a result
/// before the commit, because the changes of the other bodies are final only then.
struct GroupCommit {
    let connection: SQLiteConnection
    /// Nil for a database in memory.
    var files: SQLiteFiles?
    /// Nil for a database in memory.
    var counter: CommitCounter?

    /// The maximum number of jobs under one commit. With more, the first callers would wait for too many other bodies.
    static let jobsPerCommit = 256

    func run(_ jobs: [SQLJob]) {
        var resumptions: [@Sendable () -> Void] = []
        do {
            try files?.checkFlag()
            try connection.run("BEGIN IMMEDIATE")
            let changes = connection.totalChanges
            for (index, job) in jobs.enumerated() {
                do {
                    resumptions.append(try attempt(job))
                } catch {
                    guard connection.isInTransaction else { return runIndividually(jobs, culprit: index, error) }
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
    }

    /// Handles the case that SQLite aborts the whole transaction because of one body, for example on a full disk. The
    /// other jobs run again, each under its own commit, so that no body can fail another one twice.
    private func runIndividually(_ jobs: [SQLJob], culprit: Int, _ error: any Error) {
        jobs[culprit].fail(error)
        for index in jobs.indices where index != culprit { run([jobs[index]]) }
    }

    /// Runs one body in a savepoint, and rolls it back if it fails.
    private func attempt(_ job: SQLJob) throws -> @Sendable () -> Void {
        try connection.run("SAVEPOINT body")
        let statementTime = connection.statementTime
        if job.isPatient { connection.statementTime = nil }
        defer { connection.statementTime = statementTime }
        do {
            let resume = try job.run(SQLTransaction(on: connection, isReadOnly: false))
            guard connection.isInTransaction else { throw SQLError.transactionAborted }
            // Otherwise the commit would fail, and with it all other bodies.
            guard !connection.hasDeferredViolations else { throw SQLError.foreignKeyViolation }
            try connection.run("RELEASE body")
            return resume
        } catch {
            rollBackToSavepoint()
            throw error
        }
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
