package import SQL

/// A schema of a PostgreSQL database, for one service. Any number of processes on any number of machines may use the
/// same schema.
///
/// It is a pool of threads, so that no cooperative thread waits for the network. A thread with work takes an idle
/// connection or opens one, and connects again after an outage of the server. No process needs a restart. Queries outside
/// of transactions have connections of their own: those that wait at the same time share a round trip.
package final class PostgresDatabase: SQLDatabase {
    /// Timeouts and limits.
    package struct Limits: Sendable {
        /// For opening a connection.
        package var connectTimeout = Duration.seconds(3)
        /// For one statement.
        package var statementTimeout = Duration.seconds(4)
        /// Between two statements of a transaction. If a process hangs in the middle of one, its locks are released after
        /// this time.
        package var idleTransactionTimeout = Duration.seconds(10)
        /// How long a caller may wait in the queue; after that it may have stopped waiting for the result.
        package var queueTimeout = Duration.seconds(4)
        /// After this time a body with conflicts is not run again.
        package var retryTimeout = Duration.seconds(4)
        /// How long a migration is tried while another process migrates, or transactions hold a table that it changes.
        package var migrationTimeout = Duration.seconds(30)
        /// The maximum number of runs of a body.
        package var maximumAttempts = 64
        /// After a failed connection attempt: how long no other attempt is made.
        package var reconnectCooldown = Duration.milliseconds(250)
        /// How long work waits while the server has no free slot for a first connection.
        package var freeSlotTimeout = Duration.seconds(2)
        /// Between two attempts to get such a slot.
        package var freeSlotInterval = Duration.seconds(1)
        /// After which an unused connection is closed, when another one is used.
        package var idleTimeout = Duration.seconds(15)
        /// Prepared statements of each connection.
        package var statements = 256

        package init() {}

        /// For work without a waiting client: copies of whole databases, where one statement may delete all rows of the
        /// largest table, and the next one may wait for the disk or for the other database.
        package static let longRunning: Limits = {
            var limits = Limits()
            limits.connectTimeout = .seconds(15)
            limits.statementTimeout = .seconds(15 * 60)
            limits.idleTransactionTimeout = .seconds(15 * 60)
            limits.queueTimeout = .seconds(15 * 60)
            limits.retryTimeout = .seconds(15 * 60)
            limits.freeSlotTimeout = .seconds(10)
            return limits
        }()
    }

    private let queue: JobQueue<SQLJob>
    /// Nil for a pool of few connections: each query is a transaction.
    private let queries: JobQueue<SQLQueryJob>?
    /// Nil for a pool of few connections: a long read is like any other.
    private let longReads: LongReads?
    private let settings: PostgresSettings
    private let circuitBreaker: ServerCircuitBreaker
    private let pool: PostgresConnectionPool
    /// The number of this database in the pool.
    private let owner: UInt64

    var schemaName: String { settings.schema }

    /// The connections that a process opens at most, unless its operator sets another number.
    package static let defaultConnections = 8

    /// Connects once, to check the settings, and creates the schema if it is missing.
    /// - Parameters:
    ///   - schema: the service's name in PostgreSQL, for example `mfa_totp`. It contains all its tables.
    ///   - connections: the most that this process opens, each with a thread. Every fourth is for queries outside of
    ///     transactions, and from four on one is for long reads.
    ///   - queued: jobs that may wait for a connection; one more is rejected with `overloaded`.
    ///   - createsSchema: false for read-only commands: a missing schema is not created and has no tables.
    ///   - pool: shared with the other databases of a command.
    /// - Throws: `SQLError.cannotOpen` for errors that the operator must correct (wrong password, no such database, TLS
    ///   refused), `unavailable` if the server is unavailable, `connectionsExhausted` if it has no free slot.
    package init(
        _ url: PostgresURL, schema: String, connections: Int = PostgresDatabase.defaultConnections, queued: Int = 4096,
        createsSchema: Bool = true, limits: Limits = Limits(), pool: PostgresConnectionPool = PostgresConnectionPool()
    ) async throws(SQLError) {
        queue = JobQueue(bound: queued)
        let queryConnections = connections / 4
        let longConnections = connections < 4 ? 0 : 1
        queries = queryConnections > 0 ? JobQueue(bound: queued) : nil
        let settings = PostgresSettings(url: url, schema: schema, limits: limits)
        let circuitBreaker = ServerCircuitBreaker(cooldown: limits.reconnectCooldown)
        let owner = pool.newOwner()
        self.settings = settings
        self.circuitBreaker = circuitBreaker
        self.pool = pool
        self.owner = owner
        let connector: @Sendable (PostgresConnectionPool.Purpose.Work) -> PostgresConnector = { work in
            PostgresConnector(
                settings: settings, circuitBreaker: circuitBreaker, pool: pool,
                purpose: PostgresConnectionPool.Purpose(owner: owner, work: work))
        }
        let statistics = StatisticsSchedule(dueAfter: StatisticsSchedule.ofGrowingTables)
        longReads =
            longConnections == 0
            ? nil : LongReads { queue in Self.startWorker(queue, statistics) { connector(.transactions) } }
        for _ in 0..<max(1, connections - queryConnections - longConnections) {
            Self.startWorker(queue, statistics) { connector(.transactions) }
        }
        if let queries {
            for _ in 0..<queryConnections { Self.startQueryWorker(queries) { connector(.queries) } }
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
        longReads?.close()
        pool.close(owner: owner)
    }

    private static func startWorker(
        _ queue: JobQueue<SQLJob>, _ statistics: StatisticsSchedule,
        _ connector: @Sendable @escaping () -> PostgresConnector
    ) {
        queue.startWorker(label: "postgres") {
            var worker = PostgresWorker(queue: queue, connector: connector(), statistics: statistics)
            worker.run()
        }
    }

    private static func startQueryWorker(
        _ queries: JobQueue<SQLQueryJob>, _ connector: @Sendable @escaping () -> PostgresConnector
    ) {
        queries.startWorker(label: "postgres-query") {
            var worker = PostgresQueryWorker(queue: queries, connector: connector())
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
        guard let longReads else { return try await read(body) }
        return try await longReads.run(body)
    }

    /// The maximum number of attempts when other processes migrate at the same time.
    private static let migrationAttempts = 10

    /// How long a statement waits for a table, in milliseconds. Readers of the table wait behind it.
    private static let tableLockTimeout = 250

    /// Several processes, on any number of machines, may migrate at the same time: an advisory lock lets one after the
    /// other do so, and the others find nothing left to do. An engine without such locks works too: all run the same
    /// statements in a serializable transaction, one commits, and the others fail and check again.
    ///
    /// Processes of an earlier release serve the database meanwhile. So each migration of a database in use is a transaction
    /// of its own, and a statement that must have a table alone waits a quarter of a second, again and again: readers wait
    /// behind it.
    @discardableResult
    package func migrate(_ migrations: [SQLMigration]) async throws -> Int {
        // A separate connection: rebuilding a table takes longer than a request may.
        var longRunning = settings.limits
        longRunning.statementTimeout = Limits.longRunning.statementTimeout
        longRunning.idleTransactionTimeout = Limits.longRunning.idleTransactionTimeout
        longRunning.retryTimeout = Limits.longRunning.retryTimeout
        let queue = JobQueue<SQLJob>(bound: 1)
        let purpose = PostgresConnectionPool.Purpose(owner: owner, work: .migration)
        Self.startWorker(queue, StatisticsSchedule(dueAfter: StatisticsSchedule.atStart)) {
            [settings = settings.with(longRunning), circuitBreaker, pool] in
            PostgresConnector(settings: settings, circuitBreaker: circuitBreaker, pool: pool, purpose: purpose)
        }
        let result: Result<Int, any Error>
        do {
            result = .success(try await Self.apply(migrations, queue, settings))
        } catch {
            result = .failure(error)
        }
        // Its thread examines new tables after the commit, and closes its connection.
        queue.close()
        await queue.waitUntilFinished()
        let former = try result.get()
        try await loadConstraintNames()
        return former
    }

    private static func apply(
        _ migrations: [SQLMigration], _ queue: JobQueue<SQLJob>, _ settings: PostgresSettings
    ) async throws -> Int {
        let start = ContinuousClock.now
        var former: Int?
        var hasLocks = true
        var races = 0
        while true {
            do {
                let result = try await queue.run(isReadOnly: false) { [hasLocks] transaction in
                    if hasLocks { try transaction.takeMigrationLock(of: settings.schema) }
                    try transaction.execute("SET LOCAL lock_timeout = \(tableLockTimeout)")
                    return try transaction.apply(migrations, atMost: 1)
                }
                former = former ?? result.former
                if let former, result.isComplete { return former }
            } catch SQLError.other(let code, _) where hasLocks && PostgresError.missingFeatures.contains(code) {
                hasLocks = false
            } catch let error as SQLError where error == .busy || error == .migrationWaits(.lock) {
                guard ContinuousClock.now - start < settings.limits.migrationTimeout else {
                    throw SQLError.migrationWaits(.lock)
                }
                try await Task.sleep(for: .milliseconds(.random(in: 10...500)))
            } catch let error as SQLError where error.isCreationRace && races < migrationAttempts {
                races += 1
            }
        }
    }

    /// Rejects new work, completes queued work, and returns when every connection is closed.
    package func close() async {
        queue.close()
        queries?.close()
        longReads?.close()
        await queue.waitUntilFinished()
        await queries?.waitUntilFinished()
        await longReads?.end()
        pool.close(owner: owner)
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

extension SQLTransaction {
    /// Lets no other process migrate the schema until the end of the transaction. It does not wait: a transaction that waits
    /// would not see what the other one commits.
    /// - Throws: `SQLError.migrationWaits` if another process has the lock.
    fileprivate borrowing func takeMigrationLock(of schema: String) throws(SQLError) {
        let key = "latchkey/\(schema)".utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        let taken: Int64? = try firstRow(
            "SELECT CASE WHEN pg_try_advisory_xact_lock($1) THEN 1 ELSE 0 END AS taken",
            .integer(Int64(bitPattern: key)))?.get("taken")
        guard taken == 1 else { throw .migrationWaits(.lock) }
    }
}

extension SQLError {
    /// Another process has just created the same object.
    fileprivate var isCreationRace: Bool {
        switch self {
        case .busy, .uniqueViolation: true
        case .other(let code, _): PostgresError.creationRaces.contains(code)
        case .foreignKeyViolation, .notNullViolation, .checkViolation, .overloaded, .timedOut, .unavailable,
            .connectionsExhausted, .full,
            .transactionAborted, .closed, .replaced, .cannotOpen, .notADatabase, .readOnly, .damaged, .moved,
            .commitsLost,
            .anotherDatabase, .schemaNewer, .migrationWaits, .migrationChanged, .columnTypeMismatch, .parameterCount,
            .recordMismatch, .writeInReadOnlyTransaction:
            false
        }
    }
}
