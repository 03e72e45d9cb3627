internal import Glibc
internal import SQL

/// One thread of a pool with its one connection: takes jobs from the line, and runs each until it is answered.
struct PostgresWorker {
    private let line: JobQueue
    private let settings: PostgresSettings
    private let circuitBreaker: ServerCircuitBreaker
    private var connection: PostgresConnection?

    init(_ line: JobQueue, _ settings: PostgresSettings, _ reachability: ServerCircuitBreaker) {
        self.line = line
        self.settings = settings
        self.circuitBreaker = reachability
    }

    private var limits: PostgresDatabase.Limits { settings.limits }

    /// Works until the line is closed and empty. The connection goes with the thread.
    mutating func run() {
        while let job = line.dequeue(atMost: 1).first { serve(job) }
    }

    private enum Outcome {
        case answered
        case failed(any Error)
        /// It was not begun: the server has no connection left for this thread.
        case unconnected
        /// Nothing was written, and it may succeed if it runs again.
        case repeatable(SQLError, RetryAction)
    }

    private enum RetryAction {
        /// A pause: a neighbour was in the way.
        case backOff
        /// A new connection.
        case reconnect
    }

    private mutating func serve(_ job: SQLJob) {
        let start = ContinuousClock().now
        guard start - job.enqueuedAt < limits.queueTimeout else { return job.fail(SQLError.overloaded) }
        var reconnections = 0
        for run in 1... {
            switch attempt(job) {
            case .answered: return
            case .failed(let error): return job.fail(error)
            case .unconnected:
                // Threads that have a connection take it meanwhile. Without any, it is refused when it has waited too long.
                line.requeue(job)
                // Each try costs the server a process.
                usleep(.random(in: 100_000..<300_000))
                return
            case .repeatable(let error, let remedy):
                if remedy == .reconnect { reconnections += 1 }
                guard run < limits.maximumAttempts, reconnections <= 2,
                    ContinuousClock().now - start < limits.retryTimeout
                else { return job.fail(error) }
                if remedy == .backOff { pause(after: run) }
            }
        }
    }

    /// Neighbours that collided must not collide again in step: the pause is left to chance, and grows.
    private func pause(after run: Int) {
        usleep(.random(in: 0..<(1000 << UInt32(min(run, 6)))))
    }

    private mutating func attempt(_ job: SQLJob) -> Outcome {
        let connection: PostgresConnection
        do throws(SQLError) {
            connection = try connected()
        } catch .overloaded {
            return .unconnected
        } catch {
            return .failed(error)
        }
        connection.begin(isReadOnly: job.onlyReads)
        do {
            let answer = try job.run(SQLTransaction(on: connection, isReadOnly: job.onlyReads))
            if job.onlyReads {
                guard connection.isInTransaction else { throw SQLError.transactionAborted }
                connection.release()
            } else {
                try connection.commit()
            }
            answer()
            // A read that was answered owes nothing to a connection lost behind it.
            if case .lost = connection.transactionFailure { self.connection = nil }
            return .answered
        } catch {
            return handleFailure(error, on: connection)
        }
    }

    /// Cleans up behind a transaction that failed.
    private mutating func handleFailure(_ error: any Error, on connection: PostgresConnection) -> Outcome {
        let trouble = connection.transactionFailure
        connection.rollBack()
        if case .lost = connection.transactionFailure { self.connection = nil }
        switch trouble {
        case nil: return .failed(error)
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

    /// Drops the connection. A server that said nothing in time will not say more to the next.
    private mutating func dropConnection(
        up error: SQLError, after loss: LibpqConnection.ConnectionLostError, _ otherwise: (SQLError) -> Outcome
    ) -> Outcome {
        connection = nil
        guard loss.isTimeout else { return otherwise(error) }
        circuitBreaker.recordFailure(error, at: ContinuousClock().now)
        return .failed(error)
    }

    private mutating func connected() throws(SQLError) -> PostgresConnection {
        if let connection { return connection }
        try circuitBreaker.acquirePermission(at: ContinuousClock().now)
        do throws(SQLError) {
            let connection = try PostgresConnection(settings)
            circuitBreaker.recordSuccess()
            self.connection = connection
            return connection
        } catch {
            if error == .overloaded {
                circuitBreaker.recordSuccess()
            } else {
                circuitBreaker.recordFailure(error, at: ContinuousClock().now)
            }
            throw error
        }
    }

    /// Asks the catalogue for the columns of a constraint that another connection made. The body then runs again, and
    /// meets its violation with them.
    private mutating func loadConstraintName(_ constraint: String) {
        guard let connection else { return }
        connection.begin(isReadOnly: true)
        // `try?`: without an answer the constraint is called by its name.
        if let names = try? ConstraintNames.load(
            of: settings.schema, in: SQLTransaction(on: connection, isReadOnly: true))
        {
            settings.names.replace(with: names)
        }
        connection.rollBack()
        if case .lost = connection.transactionFailure { self.connection = nil }
        settings.names.markUnknown(constraint)
    }
}
