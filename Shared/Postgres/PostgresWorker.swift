import Glibc
import SQL

/// One thread of a database: takes jobs from the queue, a connection from the pool, and runs each job until it has a result.
struct PostgresWorker {
    let queue: JobQueue<SQLJob>
    var connector: PostgresConnector
    let statistics: StatisticsSchedule

    private var settings: PostgresSettings { connector.settings }
    private var limits: PostgresDatabase.Limits { settings.limits }

    /// Works until the queue is closed and empty.
    mutating func run() {
        while let job = next() { process(job) }
    }

    private mutating func next() -> SQLJob? {
        if let job = queue.dequeueWaiting(atMost: 1).first { return job }
        connector.release()
        return queue.dequeue(atMost: 1).first
    }

    private enum Outcome {
        case finished
        case failed(any Error)
        /// The job did not start: the server accepts no further connection.
        case unconnected
        /// Nothing was written, and another run may succeed.
        case repeatable(SQLError, RetryAction)
    }

    private enum RetryAction {
        /// A delay: a concurrent transaction conflicted.
        case backOff
        /// A new connection.
        case reconnect
    }

    private mutating func process(_ job: SQLJob) {
        let start = ContinuousClock().now
        guard start - job.enqueuedAt < limits.queueTimeout else { return job.fail(SQLError.overloaded) }
        var reconnections = 0
        for run in 1... {
            switch attempt(job) {
            case .finished: return
            case .failed(let error): return job.fail(error)
            case .unconnected:
                guard connector.mayWait(since: job.enqueuedAt) else { return job.fail(SQLError.connectionsExhausted) }
                // Threads with a connection run the job meanwhile.
                queue.requeue(job)
                usleep(PostgresSettings.unconnectedPause())
                return
            case .repeatable(let error, let action):
                if action == .reconnect { reconnections += 1 }
                guard run < limits.maximumAttempts, reconnections <= 2,
                    ContinuousClock().now - start < limits.retryTimeout
                else { return job.fail(error) }
                if action == .backOff { pause(after: run) }
            }
        }
    }

    /// Conflicting transactions must not retry at the same time: the delay is random and grows.
    private func pause(after run: Int) {
        usleep(.random(in: 0..<(1000 << UInt32(min(run, 6)))))
    }

    private mutating func attempt(_ job: SQLJob) -> Outcome {
        let connection: PostgresConnection
        do throws(SQLError) {
            connection = try connector.connected()
        } catch .connectionsExhausted {
            return .unconnected
        } catch {
            return .failed(error)
        }
        connection.begin(isReadOnly: job.isReadOnly)
        do {
            let resume = try job.run(SQLTransaction(on: connection, isReadOnly: job.isReadOnly))
            if job.isReadOnly {
                guard connection.isInTransaction else { throw SQLError.transactionAborted }
                try connection.release()
            } else {
                try connection.commit()
            }
            resume()
        } catch {
            return handleFailure(error, on: connection)
        }
        if !job.isReadOnly, statistics.isDueAfterCommit() { examineNewTables(on: connection) }
        return .finished
    }

    /// The job has its result. Without statistics the server is slower, so a failure is no error.
    private mutating func examineNewTables(on connection: PostgresConnection) {
        do throws(SQLError) {
            try connection.examineNewTables()
        } catch {
            _ = handleFailure(error, on: connection)
        }
    }

    /// Cleans up after a failed transaction.
    private mutating func handleFailure(_ error: any Error, on connection: PostgresConnection) -> Outcome {
        let trouble = connection.transactionFailure
        connection.rollBack()
        if case .lost = connection.transactionFailure { connector.drop() }
        switch trouble {
        case nil: return .failed(error)
        // Whatever the body made of it.
        case .replaced: return .failed(SQLError.replaced)
        case .readOnlyServer:
            // Another server may be the primary now, or this connection leads to the former one.
            let error = SQLError.readOnly(path: settings.url.description)
            return connector.dropReadOnly() ? .repeatable(error, .reconnect) : .failed(error)
        case .conflict: return .repeatable(.busy, .backOff)
        case .staleStatement: return .repeatable(.busy, .backOff)
        case .unknownConstraint(let name):
            loadConstraintName(name)
            return .repeatable(.busy, .backOff)
        case .lost(let loss):
            return dropConnection(up: .unavailable(loss.reason), after: loss) { .repeatable($0, .reconnect) }
        case .lostInCommit(let loss):
            return dropConnection(up: .unavailable("it was lost during a commit: \(loss.reason)"), after: loss) {
                .failed($0)
            }
        }
    }

    /// Drops the connection. After a timeout the job is not repeated, because the server would not reply to the next
    /// attempt.
    private mutating func dropConnection(
        up error: SQLError, after loss: LibpqConnection.ConnectionLostError, _ otherwise: (SQLError) -> Outcome
    ) -> Outcome {
        guard loss.isTimeout else {
            connector.drop()
            return otherwise(error)
        }
        connector.drop(afterTimeout: error)
        return .failed(error)
    }

    /// Queries the catalog for the columns of a constraint that another connection created. The body then runs again,
    /// and its error names the columns.
    private mutating func loadConstraintName(_ constraint: String) {
        guard let connection = connector.current else { return }
        connection.begin(isReadOnly: true)
        // `try?`: if the query fails, the error uses the name of the constraint.
        if let names = try? ConstraintNames.load(
            of: settings.schema, in: SQLTransaction(on: connection, isReadOnly: true))
        {
            settings.names.replace(with: names)
        }
        connection.rollBack()
        if case .lost = connection.transactionFailure { connector.drop() }
        settings.names.markUnknown(constraint)
    }
}
