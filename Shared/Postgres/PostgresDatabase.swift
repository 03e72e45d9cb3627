package import SQL

/// A schema of a PostgreSQL database, for one service. Any number of processes on any number of machines may use the same.
///
/// A pool of threads, each with a connection of its own, so that no cooperative thread ever waits for the network. They
/// connect when there is work, and again after the server was away: nothing has to be restarted.
package final class PostgresDatabase: SQLDatabase {
    /// How long, how often, how many.
    package struct Limits: Sendable {
        /// Until a connection stands.
        package var connectTimeout = Duration.seconds(3)
        /// Until a statement is answered.
        package var statementTimeout = Duration.seconds(4)
        /// That a caller may have waited in the line; after that nobody may be waiting for the answer any more.
        package var queueTimeout = Duration.seconds(4)
        /// After which a body that collided with others is not run again.
        package var retryTimeout = Duration.seconds(4)
        /// How often a body runs at most.
        package var maximumAttempts = 64
        /// After the server could not be reached: how long nobody tries again.
        package var reconnectCooldown = Duration.milliseconds(250)
        /// Statements each connection keeps prepared.
        package var statements = 256

        package init() {}

        /// For work that no client waits for: copies of whole databases, where one statement may remove all rows of the
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

    private let line: JobQueue
    private let longReads: LongReads
    private let settings: PostgresSettings
    private let circuitBreaker: ServerCircuitBreaker

    /// Connects once, to prove what was set, and makes the schema if it is not there.
    /// - Parameters:
    ///   - schema: the service's name in PostgreSQL, for example `mfa_totp`. It holds all its tables.
    ///   - connections: of this pool, each with a thread.
    ///   - queued: jobs that may wait for a connection; one more is refused with `overloaded`.
    ///   - makesSchema: false for who only looks: a schema that is not there stays away, and has no tables.
    /// - Throws: `SQLError.cannotOpen` for what an operator has to mend (wrong password, no such database, TLS refused),
    ///   `unavailable` for a server that is away.
    package init(
        _ url: PostgresURL, schema: String, connections: Int = 8, queued: Int = 4096, makesSchema: Bool = true,
        limits: Limits = Limits()
    ) async throws(SQLError) {
        line = JobQueue(bound: queued)
        let settings = PostgresSettings(url: url, schema: schema, limits: limits)
        let reachability = ServerCircuitBreaker(recess: limits.reconnectCooldown)
        self.settings = settings
        self.circuitBreaker = reachability
        longReads = LongReads { line in Self.serve(line, settings, reachability) }
        for _ in 0..<max(1, connections) { Self.serve(line, settings, reachability) }
        do {
            if makesSchema { try await makeSchema() }
            try await loadConstraintNames()
        } catch let error as SQLError {
            throw error
        } catch {
            throw .other(code: "XX000", message: "\(error)")
        }
    }

    /// The threads finish what waits, and end.
    deinit {
        line.close()
        longReads.close()
    }

    private static func serve(_ line: JobQueue, _ settings: PostgresSettings, _ reachability: ServerCircuitBreaker) {
        line.startWorker(label: "postgres") {
            var worker = PostgresWorker(line, settings, reachability)
            worker.run()
        }
    }

    // MARK: SQLDatabase

    /// Runs `body` in a serializable transaction and returns its answer once the server says that it is durable.
    ///
    /// If the server gives the transaction up over a neighbour, or is lost before the commit, the body runs again.
    /// - Throws: what `body` threw, and then nothing was written; `SQLError.overloaded` at once when the line is full, or
    ///   after waiting in it for too long; `busy` when it collided too often; `unavailable`; `full`; `closed`.
    package func write<Answer: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Answer
    ) async throws -> Answer {
        try await line.run(isReadOnly: false, body)
    }

    package func read<Answer: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Answer
    ) async throws -> Answer {
        try await line.run(isReadOnly: true, body)
    }

    package func longRead<Answer: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Answer
    ) async throws -> Answer {
        try await longReads.run(body)
    }

    /// How often a starter tries again after another was faster.
    private static let migrationAttempts = 10

    /// Of several starters, on however many machines, one wins: all run the same statements in a serializable
    /// transaction, and the server lets one of those that create the same table commit. The others wait for it meanwhile,
    /// fail, look again, and find nothing left to do. So no lock is needed, and engines without advisory locks
    /// or `LOCK TABLE` will do.
    package func migrate(_ migrations: [SQLMigration]) async throws {
        // A connection of its own: what rebuilds a table takes longer than a request may.
        var patient = settings.limits
        patient.statementTimeout = Limits.longRunning.statementTimeout
        patient.retryTimeout = Limits.longRunning.retryTimeout
        let line = JobQueue(bound: 1)
        Self.serve(line, settings.with(patient), circuitBreaker)
        defer { line.close() }
        for attempt in 1... {
            do {
                try await line.run(isReadOnly: false) { try $0.apply(migrations) }
                break
            } catch let error as SQLError where error.isCreationRace && attempt < Self.migrationAttempts {
                continue
            }
        }
        try await loadConstraintNames()
    }

    /// Refuses new work, does what waits, and returns when every connection is closed.
    package func close() async {
        line.close()
        longReads.close()
        await line.waitUntilFinished()
        await longReads.end()
    }

    // MARK: At start

    private func makeSchema() async throws {
        let (schema, quoted) = (settings.schema, settings.quotedSchema)
        for attempt in 1... {
            do {
                return try await write { transaction in
                    // `IF NOT EXISTS` alone would ask for a right that a user of a schema made by others needs not have.
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
    /// Another starter made a moment ago what we were about to make.
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
