internal import SQL

/// Runs the bodies of many callers under one commit, since the wait for the disk is what a write costs.
///
/// Each body stands in a savepoint of its own, so one that throws takes only its own work back. No caller hears
/// anything, good or bad, before the commit: what a body saw of its neighbours is true only then.
struct GroupCommit {
    let connection: SQLiteConnection
    /// Nil for a database in memory.
    var files: SQLiteFiles?
    /// Nil for a database in memory.
    var counter: CommitCounter?

    /// Jobs that share one commit at most. Beyond, the first callers would wait for the bodies of too many others.
    static let jobsPerCommit = 256

    func run(_ jobs: [SQLJob]) {
        var answers: [@Sendable () -> Void] = []
        do {
            try files?.checkFlag()
            try connection.run("BEGIN IMMEDIATE")
            let changes = connection.totalChanges
            for (index, job) in jobs.enumerated() {
                do {
                    answers.append(try attempt(job))
                } catch {
                    guard connection.isInTransaction else { return runIndividually(jobs, culprit: index, error) }
                    answers.append { job.fail(error) }
                }
            }
            let mark = connection.totalChanges == changes ? nil : try counter?.next()
            try connection.run("COMMIT")
            // A commit into a file that nobody finds any more is none.
            try files?.check()
            if let mark { try counter?.acknowledge(mark) }
            for answer in answers { answer() }
        } catch {
            rollBack()
            for job in jobs { job.fail(error) }
        }
    }

    /// After SQLite gave up the whole transaction over one body, as it does when the disk is full: the others have lost
    /// their work with it and run again, each under a commit of its own, so that none can pay for another twice.
    private func runIndividually(_ jobs: [SQLJob], culprit: Int, _ error: any Error) {
        jobs[culprit].fail(error)
        for index in jobs.indices where index != culprit { run([jobs[index]]) }
    }

    /// Runs one body in a savepoint, and takes its work back if it fails.
    private func attempt(_ job: SQLJob) throws -> @Sendable () -> Void {
        try connection.run("SAVEPOINT body")
        let statementTime = connection.statementTime
        if job.isPatient { connection.statementTime = nil }
        defer { connection.statementTime = statementTime }
        do {
            let answer = try job.run(SQLTransaction(on: connection, isReadOnly: false))
            guard connection.isInTransaction else { throw SQLError.transactionAborted }
            // The commit would refuse it, and everybody else's work with it.
            guard !connection.hasDeferredViolations else { throw SQLError.foreignKeyViolation }
            try connection.run("RELEASE body")
            return answer
        } catch {
            rollBackToSavepoint()
            throw error
        }
    }

    /// If the savepoint cannot be undone alone, nothing of the transaction may stay.
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
