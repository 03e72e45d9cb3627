import Glibc
import SQL

/// One thread of a database for queries outside of transactions: takes all waiting queries, at most `batch`, and runs them in one round trip.
struct PostgresQueryWorker {
    /// The maximum number of queries in a round trip.
    static let batch = 32

    let queue: JobQueue<SQLQueryJob>
    var connector: PostgresConnector

    private var limits: PostgresDatabase.Limits { connector.settings.limits }

    /// Works until the queue is closed and empty.
    mutating func run() {
        while case let jobs = next(), !jobs.isEmpty { process(jobs) }
    }

    private mutating func next() -> [SQLQueryJob] {
        let waiting = queue.dequeueWaiting(atMost: Self.batch)
        if !waiting.isEmpty { return waiting }
        connector.release()
        return queue.dequeue(atMost: Self.batch)
    }

    private mutating func process(_ jobs: [SQLQueryJob]) {
        let start = ContinuousClock().now
        var waiting: ArraySlice<SQLQueryJob> = []
        for job in jobs {
            if start - job.enqueuedAt < limits.queueTimeout { waiting.append(job) } else { job.fail(.overloaded) }
        }
        var failures = 0
        while !waiting.isEmpty {
            let connection: PostgresConnection
            do throws(SQLError) {
                connection = try connector.connected()
            } catch .connectionsExhausted {
                // Threads with a connection run the queries meanwhile.
                for job in waiting.reversed() {
                    if connector.mayWait(since: job.enqueuedAt) {
                        queue.requeue(job)
                    } else {
                        job.fail(.connectionsExhausted)
                    }
                }
                usleep(PostgresSettings.unconnectedPause())
                return
            } catch {
                for job in waiting { job.fail(error) }
                return
            }
            let outcome = connection.run(waiting.map(\.query))
            for (job, rows) in zip(waiting, outcome.rows) { job.finish(rows) }
            waiting = waiting.dropFirst(outcome.rows.count)
            guard let (error, repair) = outcome.failure, let refused = waiting.first else { continue }
            let hasTime = failures < Self.maximumRepairs && ContinuousClock().now - start < limits.retryTimeout
            switch repair {
            case .none:
                refused.fail(error)
                waiting = waiting.dropFirst()
            case .retry where hasTime:
                failures += 1
            case .retry:
                refused.fail(error)
                waiting = waiting.dropFirst()
            case .reconnect where hasTime:
                connector.drop()
                failures += 1
            case .reconnect:
                connector.drop()
                for job in waiting { job.fail(error) }
                return
            case .giveUp:
                // The server would not reply to the next attempt.
                connector.drop(afterTimeout: error)
                for job in waiting { job.fail(error) }
                return
            }
        }
    }

    /// New attempts for the queries of one round trip.
    private static let maximumRepairs = 2
}

/// What to do after a query that failed.
enum PostgresQueryRepair {
    /// The error is that of the query.
    case none
    /// The same connection will run it.
    case retry
    /// A new connection will run it.
    case reconnect
    /// The server sent no reply in time.
    case giveUp
}

extension PostgresConnection {
    /// The rows of the first queries, and why the one behind them failed. The others did not run.
    struct QueryOutcome {
        var rows: [[SQLRow]]
        var failure: (SQLError, PostgresQueryRepair)?
    }

    /// Runs queries on one snapshot, in one round trip.
    func run(_ queries: [SQLQuery]) -> QueryOutcome {
        var rows: [[SQLRow]] = []
        do throws(SQLError) {
            try runQueries(queries) { rows.append($0) }
            return QueryOutcome(rows: rows)
        } catch {
            return QueryOutcome(rows: rows, failure: (error, repair(after: error)))
        }
    }

    private func repair(after error: SQLError) -> PostgresQueryRepair {
        switch transactionFailure {
        case .lost(let loss), .lostInCommit(let loss): loss.isTimeout ? .giveUp : .reconnect
        case .conflict, .staleStatement: .retry
        case nil, .unknownConstraint, .replaced, .readOnlyServer: .none
        }
    }
}
