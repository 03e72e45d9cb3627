package import SQL

/// A schema of a PostgreSQL database, for one service. Any number of processes on any number of machines may use the
/// same schema.
///
/// It is a pool of threads, each with its own connection, so that no cooperative thread waits for the network. A thread
/// connects when there is work, and again after an outage of the server. No process needs a restart. Queries outside of
/// transactions have connections of their own: those that wait at the same time share a round trip.
package final class PostgresDatabase: SQLDatabase {
    /// Timeouts and limits.
    package struct Limits: Sendable {
        /// For opening a connection.
        package var connectTimeout = Duration.seconds(3)
        /// For one statement.
        package var statementTimeout = Duration.seconds(4)
        /// How long a caller may wait in the queue; after that it may have stopped waiting for the result.
        package var queueTimeout = Duration.seconds(4)
        /// After this time a body with conflicts is not run again.
        package var retryTimeout = Duration.seconds(4)
        /// The maximum number of runs of a body.
        package var maximumAttempts = 64
        /// After a failed connection attempt: how long no other attempt is made.
        package var reconnectCooldown = Duration.milliseconds(250)
        /// Prepared statements of each connection.
        package var statements = 256

        package init() {}

        /// For work without a waiting client: copies of whole databases, where one statement may delete all rows of the
        /// largest table.
        package static let longRunning: Limits = {
            var limits = Limits()
            limits.connectTimeout = .seconds(15)
            limits.statementTimeout = .seconds(15 * 60)
            limits.queueTimeout = .seconds(15 * 60)
            limits.retryTimeout = .seconds(15 * 60)
            return limits
        }()
    }

    private let queue: JobQueue<SQLJob>
    /// Nil for a pool of few connections: each query is a transaction.
    private let queries: JobQueue<SQLQueryJob>?
    private let longReads: LongReads
    private let settings: PostgresSettings
    private let circuitBreaker: ServerCircuitBreaker

    /// Connects once, to check the settings, and creates the schema if it is missing.
    /// - Parameters:
    ///   - schema: the service's name in PostgreSQL, for example `mfa_totp`. It contains all its tables.
    ///   - connections: of this pool, each with a thread. Every fourth is for queries outside of transactions.
    ///   - queued: jobs that may wait for a connection; one more is rejected with `overloaded`.
    ///   - makesSchema: false for read-only commands: a missing schema is not created and has no tables.
    /// - Throws: `SQLError.cannotOpen` for errors that the operator must correct (wrong password, no such database, TLS
    ///   refused), `unavailable` if the server is unavailable.
    package init(
        _ url: PostgresURL, schema: String, connections: Int = 8, queued: Int = 4096, createsSchema: Bool = true,
        limits: Limits = Limits()
    ) async throws(SQLError) {
        queue = JobQueue(bound: queued)
        let queryConnections = connections / 4
        queries = queryConnections > 0 ? JobQueue(bound: queued) : nil
        let settings = PostgresSettings(url: url, schema: schema, limits: limits)
        let circuitBreaker = ServerCircuitBreaker(cooldown: limits.reconnectCooldown)
        self.settings = settings
        self.circuitBreaker = circuitBreaker
        let statistics = StatisticsSchedule(dueAfter: StatisticsSchedule.ofGrowingTables)
        longReads = LongReads { queue in Self.startWorker(queue, settings, circuitBreaker, statistics) }
        for _ in 0..<max(1, connections - queryConnections) {
            Self.startWorker(queue, settings, circuitBreaker, statistics)
        }
        if let queries {
            for _ in 0..<queryConnections { Self.startQueryWorker(queries, settings, circuitBreaker) }
        }
        do {
            if createsSchema { try await makeSchema() }
            try await loadConstraintNames()
        } catch let error as SQLError {
            throw error
        } catch {
            throw .other(code: "XX000", message: "\(error)")
        }
    }

    /// The threads finish the queued jobs and then end.
    deinit {
        queue.close()
        queries?.close()
        longReads.close()
    }

    private static func startWorker(
        _ queue: JobQueue<SQLJob>, _ settings: PostgresSettings, _ circuitBreaker: ServerCircuitBreaker,
        _ statistics: StatisticsSchedule
    ) {
        queue.startWorker(label: "postgres") {
            var worker = PostgresWorker(queue, PostgresConnector(settings, circuitBreaker), statistics)
            worker.run()
        }
    }

    private static func startQueryWorker(
        _ queries: JobQueue<SQLQueryJob>, _ settings: PostgresSettings, _ circuitBreaker: ServerCircuitBreaker
    ) {
        queries.startWorker(label: "postgres-query") {
            var worker = PostgresQueryWorker(
                queries,
                PostgresConnector(
                    settings, circuitBreaker, additionalSettings: PostgresSettings.settingsOfQueries))
            worker.run()
        }
    }

    // MARK: SQLDatabase

    /// Runs `body` in a serializable transaction and returns its result once it is durable.
    ///
    /// If the server aborts the transaction because of a concurrent one, or the connection is lost before the commit,
    /// the body runs again.
    /// - Throws: the error of `body`, and then nothing was written; `SQLError.overloaded` at once if the queue is full,
    ///   or after too long a wait in it; `busy` after too many conflicts; `unavailable`; `full`; `closed`.
    package func write<Result: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
    ) async throws -> Result {
        try await queue.run(isReadOnly: false, body)
    }

    package func read<Result: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
    ) async throws -> Result {
        try await queue.run(isReadOnly: true, body)
    }

    package func rows(_ query: SQLQuery) async throws -> [SQLRow] {
        guard let queries else { return try await read { transaction in try transaction.rows(query) } }
        return try await queries.run(query)
    }

    package func longRead<Result: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
    ) async throws -> Result {
        try await longReads.run(body)
    }

    /// The maximum number of attempts when other processes migrate at the same time.
    private static let migrationAttempts = 10

    /// Several processes, on any number of machines, may migrate at the same time. All run the same statements in a
    /// serializable transaction, and the server lets one that creates a table commit. The others wait for it, fail,
    /// check again, and find nothing left to do. So no lock is needed, and engines without advisory locks or `LOCK
    /// TABLE` work.
    package func migrate(_ migrations: [SQLMigration]) async throws {
        // A separate connection: rebuilding a table takes longer than a request may.
        var longRunning = settings.limits
        longRunning.statementTimeout = Limits.longRunning.statementTimeout
        longRunning.retryTimeout = Limits.longRunning.retryTimeout
        let queue = JobQueue<SQLJob>(bound: 1)
        Self.startWorker(
            queue, settings.with(longRunning), circuitBreaker,
            StatisticsSchedule(dueAfter: StatisticsSchedule.atStart))
        defer { queue.close() }
        for attempt in 1... {
            do {
                try await queue.run(isReadOnly: false) { try $0.apply(migrations) }
                break
            } catch let error as SQLError where error.isCreationRace && attempt < Self.migrationAttempts {
                continue
            }
        }
        try await loadConstraintNames()
    }

    /// Rejects new work, completes queued work, and returns when every connection is closed.
    package func close() async {
        queue.close()
        queries?.close()
        longReads.close()
        await queue.waitUntilFinished()
        await queries?.waitUntilFinished()
        await longReads.end()
    }

    // MARK: At start

    private func makeSchema() async throws {
        let (schema, quoted) = (settings.schema, settings.quotedSchema)
        for attempt in 1... {
            do {
                return try await write { transaction in
                    // `IF NOT EXISTS` alone requires a privilege that the user of an existing schema may not have.
                    let isThere = try transaction.firstRow(
                        "SELECT 1 AS found FROM pg_catalog.pg_namespace WHERE nspname = $1", .text(schema))
                    if isThere == nil { try transaction.execute("CREATE SCHEMA IF NOT EXISTS \(quoted)") }
                }
            } catch let error as SQLError where error.isCreationRace && attempt < Self.migrationAttempts {
                continue
            }
        }
    }

    private func loadConstraintNames() async throws {
        let schema = settings.schema
        settings.names.replace(with: try await read { try ConstraintNames.load(of: schema, in: $0) })
    }
}

extension SQLError {
    /// Another process has just created the same object.
    fileprivate var isCreationRace: Bool {
        switch self {
        case .busy, .uniqueViolation: true
        case .other(let code, _): PostgresError.creationRaces.contains(code)
        case .foreignKeyViolation, .notNullViolation, .checkViolation, .overloaded, .timedOut, .unavailable, .full,
            .transactionAborted, .closed, .replaced, .cannotOpen, .notADatabase, .readOnly, .damaged, .moved,
            .commitsLost,
            .anotherDatabase, .schemaNewer, .migrationChanged, .columnTypeMismatch, .parameterCount,
            .recordMismatch, .writeInReadOnlyTransaction:
            false
        }
    }
}
