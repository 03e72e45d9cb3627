import SQL

/// One connection with its session and its prepared statements. Not `Sendable`: it belongs to the thread that opened
/// it.
///
/// `BEGIN` and the check of the epoch are sent with the first statement, what may run later with the next statement or the
/// commit, and the end of a read with the next transaction. A read of one statement takes one round trip, and a write of one
/// statement takes two. A body without a statement takes none, or one for its epoch.
final class PostgresConnection: SQLSession {
    /// Why the transaction failed, apart from errors of its body.
    enum TransactionFailure {
        /// The connection is lost, and all changes of the body with it.
        case lost(LibpqConnection.ConnectionLostError)
        /// The connection was lost during the commit: only the server knows whether it took effect.
        case lostInCommit(LibpqConnection.ConnectionLostError)
        /// The server aborted the transaction because of a concurrent one.
        case conflict
        /// A prepared statement no longer fits the tables.
        case staleStatement
        /// A constraint was violated whose columns are not known yet.
        case unknownConstraint(String)
        /// The database has another epoch than the required one.
        case replaced
        /// The server accepts no writes: it is a standby, was demoted, or is configured so.
        case readOnlyServer
    }

    private enum TransactionState {
        case none
        /// Started for the body; `BEGIN` is sent with the first statement.
        case pending(begin: String)
        case open
    }

    private let link: LibpqConnection
    private let settings: PostgresSettings
    private var transactionState = TransactionState.none
    private var statements: PostgresStatements

    private var isReadOnly = false
    /// The epoch that the transaction requires, until it is checked, and the statement that reads it.
    private var requirement: (epoch: Int64, statement: PostgresStatement)?
    /// Statements of the transaction that were not sent.
    private var later: [(statement: PostgresStatement, parameters: PostgresParameters)] = []
    /// With more, they are sent at once: libpq keeps what it sends in memory.
    private static let maximumLater = 32
    /// A read has ended, but its `COMMIT` was not sent.
    private var owesCommit = false

    let openedAt: ContinuousClock.Instant
    private(set) var transactionFailure: TransactionFailure?
    private(set) var changes = 0

    /// Connects and configures the session.
    /// - Parameter additionalSettings: commands after those of every session.
    init(_ settings: PostgresSettings, additionalSettings: [String] = []) throws(SQLError) {
        self.settings = settings
        statements = PostgresStatements(limit: settings.limits.statements)
        do throws(LibpqConnection.ConnectError) {
            link = try settings.connect()
        } catch {
            throw SQLError(error, at: settings.url)
        }
        openedAt = ContinuousClock.now
        guard link.serverVersion >= PostgresSettings.oldestServer else {
            throw .cannotOpen(path: settings.url.description, message: "the server is older than PostgreSQL 13")
        }
        let results: [PostgresResult]
        let keepsSessions: Bool
        do throws(LibpqConnection.ConnectionLostError) {
            for command in settings.optionalSettings {
                try link.send(command)
                // In its own batch: if the engine rejects this setting, it skips no other.
                try link.endBatchWithoutWaiting()
            }
            for command in settings.requiredSettings + additionalSettings { try link.send(command) }
            results = try link.exchange(within: settings.limits.connectTimeout)
            keepsSessions = try settings.sessions.keepsSession(of: link, settings)
        } catch {
            throw .unavailable(error.reason)
        }
        if let refusal = results.lazy.compactMap(\.refusal).first {
            throw SQLError(refusal, at: settings.url, settings.names)
        }
        guard keepsSessions else {
            throw .cannotOpen(path: settings.url.description, message: SessionCheck.sentence)
        }
    }

    // MARK: Transactions

    var isInTransaction: Bool {
        switch transactionState {
        case .none: false
        case .pending, .open: true
        }
    }

    func begin(isReadOnly: Bool) {
        transactionFailure = nil
        changes = 0
        requirement = nil
        later = []
        self.isReadOnly = isReadOnly
        transactionState = .pending(
            begin: isReadOnly ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN ISOLATION LEVEL SERIALIZABLE"
        )
    }

    /// Commits a transaction that wrote, and waits until it is durable. What was left for later is sent with `COMMIT`: after a
    /// statement that fails, the server skips it.
    func commit() throws(SQLError) {
        // Both must have succeeded before.
        if requirement != nil || !later.isEmpty, case .pending = transactionState { try flush() }
        try checkRequirement()
        switch transactionState {
        case .none: throw .transactionAborted
        case .pending: transactionState = .none
        case .open:
            let results: [PostgresResult]
            let warnings = link.warnings
            do throws(LibpqConnection.ConnectionLostError) {
                try sendLater()
                try link.send("COMMIT")
                results = try link.exchange(within: settings.limits.statementTimeout)
            } catch {
                transactionFailure = .lostInCommit(error)
                throw .unavailable("it was lost during a commit: \(error.reason)")
            }
            updateTransactionState()
            if let refusal = results.lazy.compactMap(\.refusal).first {
                // Whichever statement it names: the server may have received all of them.
                if (link.isLost || refusal.endsConnection) && !refusal.isIdleTransactionTimeout {
                    transactionState = .none
                    transactionFailure = .lostInCommit(LibpqConnection.ConnectionLostError(reason: refusal.message))
                    throw .unavailable("it was lost during a commit: \(refusal.message)")
                }
                throw failure(refusal)
            }
            transactionState = .none
            // An administrator has ended its wait for a synchronous standby. The server then reports success, with a warning
            // that only its own disk may have the commit. Its text depends on the server's language.
            guard link.warnings == warnings else {
                let reason = "the server did not wait for its standby"
                transactionFailure = .lostInCommit(LibpqConnection.ConnectionLostError(reason: reason))
                throw .unavailable("it was lost during a commit: \(reason)")
            }
            // The server's reply to a commit after a failed statement.
            guard results.last?.command != "ROLLBACK" else { throw .transactionAborted }
        }
    }

    /// Ends a transaction that only read. The server ends it with the next transaction, or after `endRead`.
    func release() throws(SQLError) {
        try checkRequirement()
        guard case .open = transactionState else { return transactionState = .none }
        transactionState = .none
        owesCommit = true
    }

    /// Ends the last read on the server too, because no transaction follows soon. Its outcome changes nothing.
    /// - Returns: false if the connection is lost.
    func endRead() -> Bool {
        guard owesCommit else { return true }
        owesCommit = false
        do throws(LibpqConnection.ConnectionLostError) {
            try link.send("COMMIT")
            try link.sendAndForget(within: settings.limits.statementTimeout)
            return true
        } catch {
            return false
        }
    }

    /// Rolls back a transaction and waits until its locks are released.
    func rollBack() {
        later = []
        guard case .open = transactionState else { return transactionState = .none }
        transactionState = .none
        do throws(LibpqConnection.ConnectionLostError) {
            try link.send("ROLLBACK")
            _ = try link.exchange(within: settings.limits.statementTimeout)
        } catch {
            transactionFailure = .lost(error)
        }
    }

    var catalog: any SQLCatalog { PostgresCatalog() }

    // MARK: The epoch

    func require(epoch: Int64) throws(SQLError) {
        requirement = (epoch, try prepared(SQLTransaction.epochQuery))
    }

    /// For a body without a statement.
    private func checkRequirement() throws(SQLError) {
        if requirement != nil { try flush() }
    }

    private func check(_ epoch: Int64, in result: PostgresResult, _ statement: PostgresStatement) throws(SQLError) {
        guard let row = try result.rows(positions: statement.positions, limit: 1).first,
            try row.get("epoch") == epoch
        else {
            transactionFailure = .replaced
            throw .replaced
        }
    }

    // MARK: Statistics

    /// Lets the server examine each table of the schema that it has never examined, or only while it was empty.
    func examineNewTables() throws(SQLError) {
        begin(isReadOnly: false)
        // In one order, because two processes may do it at the same time, and each holds its locks until it commits.
        let tables = try run(
            """
            SELECT pg_catalog.quote_ident(relname) AS name FROM pg_catalog.pg_class
            WHERE relnamespace = CAST(CAST($1 AS TEXT) AS regnamespace) AND relkind = 'r' AND reltuples <= 0
                AND pg_catalog.pg_relation_size(oid) > 0
            ORDER BY relname
            """, [.text(settings.quotedSchema)], limit: .max, readOnly: true)
        for table in tables {
            let name: String = try table.get("name")
            _ = try exchange { link throws(LibpqConnection.ConnectionLostError) in try link.send("ANALYZE \(name)") }
        }
        try commit()
    }

    // MARK: Statements

    /// `readOnly` has no effect: the transaction itself is read-only, and the server refuses writes.
    func run(
        _ sql: String, _ parameters: [SQLValue], limit: Int, readOnly: Bool
    ) throws(SQLError) -> [SQLRow] {
        let statement = try prepared(sql)
        let encoded = try PostgresParameters(parameters, types: statement.parameterTypes)
        let results = try exchange { link throws(LibpqConnection.ConnectionLostError) in
            try link.sendExecute(statement.name, encoded)
        }
        guard let result = results.first, !result.isEmpty else {
            throw .other(code: "42601", message: "no statement in the text")
        }
        if let changes = result.changes { self.changes = changes }
        return try result.rows(positions: statement.positions, limit: limit)
    }

    func runLater(_ sql: String, _ parameters: [SQLValue], readOnly: Bool) throws(SQLError) {
        let statement = try prepared(sql)
        later.append((statement, try PostgresParameters(parameters, types: statement.parameterTypes)))
        if later.count >= Self.maximumLater { try flush() }
    }

    /// Sends what the transaction has not sent yet, with its `BEGIN` and the check of its epoch.
    private func flush() throws(SQLError) {
        _ = try exchange { _ throws(LibpqConnection.ConnectionLostError) in }
    }

    private func sendLater() throws(LibpqConnection.ConnectionLostError) {
        let statements = later
        later = []
        for (statement, parameters) in statements { try link.sendExecute(statement.name, parameters) }
    }

    func run(script: String) throws(SQLError) {
        // A script cannot be sent together with other statements.
        if case .pending = transactionState { try flush() } else if !later.isEmpty { try flush() }
        let results: [PostgresResult]
        do throws(LibpqConnection.ConnectionLostError) {
            results = try link.run(script: PostgresDialect.script(script), within: settings.limits.statementTimeout)
        } catch {
            throw lost(error)
        }
        updateTransactionState()
        if let refusal = results.lazy.compactMap(\.refusal).first { throw failure(refusal) }
    }

    /// With `COPY`, which is several times as fast as `INSERT`.
    func insert(_ rows: [SQLRow], into table: SQLTable) throws(SQLError) {
        guard !rows.isEmpty else { return }
        // `COPY` cannot be sent together with other statements.
        if case .pending = transactionState { try flush() } else if !later.isEmpty { try flush() }
        var bytes: [UInt8] = []
        for row in rows { try PostgresCopyFormat.append(row.values, to: &bytes) }
        let columns = table.columns.map(PostgresSettings.quoted).joined(separator: ", ")
        let results: [PostgresResult]
        do throws(LibpqConnection.ConnectionLostError) {
            results = try link.copy(
                "COPY \(PostgresSettings.quoted(table.name)) (\(columns)) FROM STDIN", bytes,
                within: settings.limits.statementTimeout)
        } catch {
            throw lost(error)
        }
        updateTransactionState()
        if let refusal = results.lazy.compactMap(\.refusal).first { throw failure(refusal) }
    }

    private func prepared(_ sql: String) throws(SQLError) -> PostgresStatement {
        if let known = statements[sql] { known } else { try prepare(sql) }
    }

    private func prepare(_ sql: String) throws(SQLError) -> PostgresStatement {
        let name = statements.newName()
        let evictedNames = statements.evictedNames
        let results = try exchange { link throws(LibpqConnection.ConnectionLostError) in
            try link.sendPrepare(PostgresDialect.statement(sql), as: name)
            try link.sendDescribe(name)
            // Last: if the server rejects the text, no statement is deallocated.
            for name in evictedNames { try link.send("DEALLOCATE \(name)") }
        }
        let statement = PostgresStatement(
            name: name, parameterTypes: results[1].parameterTypes,
            positions: Dictionary(
                results[1].columnNames.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first }))
        statements.removeLeaving()
        statements.insert(statement, for: sql)
        return statement
    }

    /// Sends commands as one batch, after those that the transaction has not sent yet.
    /// - Returns: the results of the commands; all succeeded.
    private func exchange(
        _ send: (LibpqConnection) throws(LibpqConnection.ConnectionLostError) -> Void
    ) throws(SQLError) -> [PostgresResult] {
        let requirement = requirement
        self.requirement = nil
        let results: [PostgresResult]
        var (prefix, countBeforeLater) = (0, 0)
        do throws(LibpqConnection.ConnectionLostError) {
            if owesCommit {
                owesCommit = false
                try link.send("COMMIT")
                prefix += 1
            }
            if case .pending(let begin) = transactionState {
                try link.send(begin)
                prefix += 1
            }
            if let requirement {
                try link.sendExecute(requirement.statement.name, .none)
                prefix += 1
            }
            countBeforeLater = prefix
            prefix += later.count
            try sendLater()
            try send(link)
            results = try link.exchange(within: settings.limits.statementTimeout)
        } catch {
            throw lost(error)
        }
        if case .pending = transactionState { transactionState = .open }
        updateTransactionState()
        if let refusal = results.prefix(countBeforeLater).lazy.compactMap(\.refusal).first { throw failure(refusal) }
        // Before the results of the statements: they are those of another database.
        if let requirement, let result = results.prefix(countBeforeLater).last {
            try check(requirement.epoch, in: result, requirement.statement)
        }
        if let refusal = results.lazy.compactMap(\.refusal).first { throw failure(refusal) }
        return Array(results.dropFirst(prefix))
    }

    /// A body can end its transaction with its own statement.
    private func updateTransactionState() {
        if link.transaction == .none { transactionState = .none }
    }

    /// Runs queries outside of a transaction, in one batch, which is one transaction of the server.
    /// - Parameter finish: gets the rows of each query in order, up to the first that fails.
    func runQueries(_ queries: [SQLQuery], _ finish: ([SQLRow]) -> Void) throws(SQLError) {
        transactionFailure = nil
        isReadOnly = true
        var prepared: [(statement: PostgresStatement, parameters: PostgresParameters, query: SQLQuery)] = []
        var invalid: SQLError?
        do throws(SQLError) {
            for query in queries {
                let statement = try self.prepared(query.text)
                let parameters = try PostgresParameters(query.parameters, types: statement.parameterTypes)
                prepared.append((statement, parameters, query))
            }
        } catch {
            // The earlier queries have their results first.
            invalid = error
        }
        let failure = transactionFailure
        transactionFailure = nil
        let fence = queries.contains { $0.epoch != nil } ? try self.prepared(SQLTransaction.epochQuery) : nil
        var results: ArraySlice<PostgresResult>
        do throws(LibpqConnection.ConnectionLostError) {
            if let fence { try link.sendExecute(fence.name, .none) }
            for (statement, parameters, _) in prepared { try link.sendExecute(statement.name, parameters) }
            results = try link.exchange(within: settings.limits.statementTimeout)[...]
        } catch {
            throw lost(error)
        }
        let epoch = fence == nil ? nil : results.popFirst()
        if let refusal = epoch?.refusal { throw self.failure(refusal) }
        for (result, (statement, _, query)) in zip(results, prepared) {
            if let fence, let epoch, let expected = query.epoch { try check(expected, in: epoch, fence) }
            if let refusal = result.refusal { throw self.failure(refusal) }
            finish(try result.rows(positions: statement.positions, limit: query.limit))
        }
        if let invalid {
            transactionFailure = failure
            throw invalid
        }
    }

    // MARK: Failures

    private func lost(_ error: LibpqConnection.ConnectionLostError) -> SQLError {
        transactionFailure = .lost(error)
        transactionState = .none
        return .unavailable(error.reason)
    }

    private func failure(_ refusal: PostgresError) -> SQLError {
        if link.isLost || refusal.endsConnection {
            return lost(LibpqConnection.ConnectionLostError(reason: refusal.message))
        }
        // The server is not read-only; the transaction is.
        if isReadOnly, refusal.isWriteInRead { return .writeInReadOnlyTransaction }
        // A standby refuses serializable transactions as an unsupported feature.
        if refusal.isWriteInRead || (!isReadOnly && refusal.isUnsupported && link.isOfStandby) {
            transactionFailure = .readOnlyServer
            return .readOnly(path: settings.url.description)
        }
        if refusal.isConflict { transactionFailure = .conflict }
        if refusal.isStaleStatement {
            statements.removeAll()
            transactionFailure = .staleStatement
        }
        if ["23505", "23514"].contains(refusal.state), settings.names[refusal.constraint] == nil {
            transactionFailure = .unknownConstraint(refusal.constraint)
        }
        return SQLError(refusal, at: settings.url, settings.names)
    }
}
