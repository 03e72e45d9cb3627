internal import Glibc
internal import SQL

/// One thread of a pool with its one connection: takes jobs from the line, and runs each until it is answered.
struct PostgresWorker {
    private let line: JobLine
    private let settings: PostgresSettings
    private let reachability: Reachability
    private var connection: PostgresConnection?

    init(_ line: JobLine, _ settings: PostgresSettings, _ reachability: Reachability) {
        self.line = line
        self.settings = settings
        self.reachability = reachability
    }

    private var limits: PostgresDatabase.Limits { settings.limits }

    /// Works until the line is closed and empty. The connection goes with the thread.
    mutating func run() {
        while let job = line.take(atMost: 1).first { serve(job) }
    }

    private enum Outcome {
        case answered
        case failed(any Error)
        /// It was not begun: the server has no connection left for this thread.
        case unconnected
        /// Nothing was written, and it may succeed if it runs again.
        case repeatable(SQLError, Remedy)
    }

    private enum Remedy {
        /// A pause: a neighbour was in the way.
        case giveWay
        /// A new connection.
        case reconnect
    }

    private mutating func serve(_ job: SQLJob) {
        let start = ContinuousClock().now
        guard start - job.since < limits.waiting else { return job.fail(SQLError.overloaded) }
        var reconnections = 0
        for run in 1... {
            switch attempt(job) {
            case .answered: return
            case .failed(let error): return job.fail(error)
            case .unconnected:
                // Threads that have a connection take it meanwhile. Without any, it is refused when it has waited too long.
                line.giveBack(job)
                // Each try costs the server a process.
                usleep(.random(in: 100_000..<300_000))
                return
            case .repeatable(let error, let remedy):
                if remedy == .reconnect { reconnections += 1 }
                guard run < limits.attempts, reconnections <= 2, ContinuousClock().now - start < limits.repeating
                else { return job.fail(error) }
                if remedy == .giveWay { pause(after: run) }
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
        connection.begin(onlyReads: job.onlyReads)
        do {
            let answer = try job.run(SQLTransaction(on: connection, onlyReads: job.onlyReads))
            if job.onlyReads {
                guard connection.isInTransaction else { throw SQLError.transactionLost }
                connection.release()
            } else {
                try connection.commit()
            }
            answer()
            // A read that was answered owes nothing to a connection lost behind it.
            if case .lost = connection.trouble { self.connection = nil }
            return .answered
        } catch {
            return settle(error, on: connection)
        }
    }

    /// Cleans up behind a transaction that failed.
    private mutating func settle(_ error: any Error, on connection: PostgresConnection) -> Outcome {
        let trouble = connection.trouble
        connection.rollBack()
        if case .lost = connection.trouble { self.connection = nil }
        switch trouble {
        case nil: return .failed(error)
        case .conflict: return .repeatable(.busy, .giveWay)
        case .staleStatement: return .repeatable(.busy, .giveWay)
        case .unknownConstraint(let name):
            learn(name)
            return .repeatable(.busy, .giveWay)
        case .lost(let loss):
            return given(up: .unavailable(loss.reason), after: loss) { .repeatable($0, .reconnect) }
        case .lostInCommit(let loss):
            return given(up: .unavailable("it was lost during a commit: \(loss.reason)"), after: loss) { .failed($0) }
        }
    }

    /// Drops the connection. A server that said nothing in time will not say more to the next.
    private mutating func given(
        up error: SQLError, after loss: PostgresLink.Lost, _ otherwise: (SQLError) -> Outcome
    ) -> Outcome {
        connection = nil
        guard loss.isTimeout else { return otherwise(error) }
        reachability.failed(error, at: ContinuousClock().now)
        return .failed(error)
    }

    private mutating func connected() throws(SQLError) -> PostgresConnection {
        if let connection { return connection }
        try reachability.admit(at: ContinuousClock().now)
        do throws(SQLError) {
            let connection = try PostgresConnection(settings)
            reachability.reached()
            self.connection = connection
            return connection
        } catch {
            if error == .overloaded {
                reachability.reached()
            } else {
                reachability.failed(error, at: ContinuousClock().now)
            }
            throw error
        }
    }

    /// Asks the catalogue for the columns of a constraint that another connection made. The body then runs again, and
    /// meets its violation with them.
    private mutating func learn(_ constraint: String) {
        guard let connection else { return }
        connection.begin(onlyReads: true)
        // `try?`: without an answer the constraint is called by its name.
        if let names = try? ConstraintNames.load(
            of: settings.schema, in: SQLTransaction(on: connection, onlyReads: true))
        {
            settings.names.replace(with: names)
        }
        connection.rollBack()
        if case .lost = connection.trouble { self.connection = nil }
        settings.names.settle(constraint)
    }
}
