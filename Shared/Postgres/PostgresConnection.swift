internal import SQL

/// One connection with its session and its prepared statements. Not `Sendable`: it belongs to the thread that opened
/// it.
///
/// `BEGIN` is sent with the first statement, and no caller waits for the end of a read. A read of one statement takes
/// one round trip, and a write of one statement takes two. A body without a statement takes none.
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

    private(set) var transactionFailure: TransactionFailure?
    private(set) var changes = 0

    /// Connects and configures the session.
    init(_ settings: PostgresSettings) throws(SQLError) {
        self.settings = settings
        statements = PostgresStatements(limit: settings.limits.statements)
        do throws(LibpqConnection.ConnectError) {
            link = try LibpqConnection(settings.connectionParameters, within: settings.limits.connectTimeout)
        } catch {
            throw SQLError(error, at: settings.url)
        }
        guard link.serverVersion >= PostgresSettings.oldestServer else {
            throw .cannotOpen(path: settings.url.description, message: "the server is older than PostgreSQL 13")
        }
        let refusals: [PostgresError]
        do throws(LibpqConnection.ConnectionLostError) {
            for command in settings.optionalSettings {
                try link.send(command)
                // In its own batch: if the engine rejects this setting, it skips no other.
                try link.endBatchWithoutWaiting()
            }
            for command in settings.requiredSettings { try link.send(command) }
            refusals = try link.exchange(within: settings.limits.connectTimeout).compactMap(\.refusal)
        } catch {
            throw .unavailable(error.reason)
        }
        if let refusal = refusals.first { throw SQLError(refusal, at: settings.url, settings.names) }
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
        self.isReadOnly = isReadOnly
        transactionState = .pending(
            begin: isReadOnly ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN ISOLATION LEVEL SERIALIZABLE"
        )
    }

    /// Commits a transaction that wrote, and waits until it is durable.
    func commit() throws(SQLError) {
        switch transactionState {
        case .none: throw .transactionAborted
        case .pending: transactionState = .none
        case .open:
            let results: [PostgresResult]
            do throws(LibpqConnection.ConnectionLostError) {
                try link.send("COMMIT")
                results = try link.exchange(within: settings.limits.statementTimeout)
            } catch {
                transactionFailure = .lostInCommit(error)
                throw .unavailable("it was lost during a commit: \(error.reason)")
            }
            transactionState = .none
            if let refusal = results.lazy.compactMap(\.refusal).first {
                if link.isLost || refusal.endsConnection {
                    transactionFailure = .lostInCommit(LibpqConnection.ConnectionLostError(reason: refusal.message))
                    throw .unavailable("it was lost during a commit: \(refusal.message)")
                }
                throw failure(refusal)
            }
            // The server's reply to a commit after a failed statement.
            guard results.first?.command != "ROLLBACK" else { throw .transactionAborted }
        }
    }

    /// Ends a transaction that only read. Its outcome changes nothing.
    func release() {
        guard case .open = transactionState else { return transactionState = .none }
        transactionState = .none
        do throws(LibpqConnection.ConnectionLostError) {
            try link.send("COMMIT")
            try link.sendAndForget(within: settings.limits.statementTimeout)
        } catch {
            transactionFailure = .lost(error)
        }
    }

    /// Rolls back a transaction and waits until its locks are released.
    func rollBack() {
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

    // MARK: Statements

    /// `readOnly` has no effect: the transaction itself is read-only, and the server refuses writes.
    func run(
        _ sql: String, _ parameters: [SQLValue], limit: Int, readOnly: Bool
    ) throws(SQLError) -> [SQLRow] {
        let statement = if let known = statements[sql] { known } else { try prepare(sql) }
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

    func run(script: String) throws(SQLError) {
        // A script cannot be sent together with `BEGIN`.
        if case .pending = transactionState { _ = try exchange { _ throws(LibpqConnection.ConnectionLostError) in } }
        let results: [PostgresResult]
        do throws(LibpqConnection.ConnectionLostError) {
            results = try link.run(script: PostgresDialect.script(script), within: settings.limits.statementTimeout)
        } catch {
            throw lost(error)
        }
        updateTransactionState()
        if let refusal = results.lazy.compactMap(\.refusal).first { throw failure(refusal) }
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

    /// Sends commands as one batch, after `BEGIN` if it is pending.
    /// - Returns: the results of the commands; all succeeded.
    private func exchange(
        _ send: (LibpqConnection) throws(LibpqConnection.ConnectionLostError) -> Void
    ) throws(SQLError) -> [PostgresResult] {
        var results: ArraySlice<PostgresResult>
        do throws(LibpqConnection.ConnectionLostError) {
            if case .pending(let begin) = transactionState { try link.send(begin) }
            try send(link)
            results = try link.exchange(within: settings.limits.statementTimeout)[...]
        } catch {
            throw lost(error)
        }
        if case .pending = transactionState {
            transactionState = .open
            if results.first?.refusal == nil { results = results.dropFirst() }
        }
        updateTransactionState()
        if let refusal = results.lazy.compactMap(\.refusal).first { throw failure(refusal) }
        return Array(results)
    }

    /// A body can end its transaction with its own statement.
    private func updateTransactionState() {
        if link.transaction == .none { transactionState = .none }
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
