internal import SQL

/// One connection with its session and its prepared statements. Not `Sendable`: it belongs to the thread that opened it.
///
/// `BEGIN` travels with the first statement, and nobody waits for the end of a read: a read of one statement costs one
/// round trip, a write of one statement two. A body without a statement costs none.
final class PostgresConnection: SQLSession {
    /// What befell the transaction for which its body is not to blame.
    enum Trouble {
        /// The connection is gone, and with it everything the body did.
        case lost(PostgresLink.Lost)
        /// The connection is gone while the commit was on its way: only the server knows whether it took effect.
        case lostInCommit(PostgresLink.Lost)
        /// The server gave the transaction up over a neighbour.
        case conflict
        /// A prepared statement no longer fits the tables.
        case staleStatement
        /// A constraint was violated of which nobody knows the columns yet.
        case unknownConstraint(String)
    }

    private enum Standing {
        case none
        /// Promised to the body; the server hears of it with the first statement.
        case promised(begin: String)
        case open
    }

    private let link: PostgresLink
    private let settings: PostgresSettings
    private var standing = Standing.none
    private var statements: PostgresStatements

    private var onlyReads = false

    private(set) var trouble: Trouble?
    private(set) var changes = 0

    /// Connects and sets the session up.
    init(_ settings: PostgresSettings) throws(SQLError) {
        self.settings = settings
        statements = PostgresStatements(limit: settings.limits.statements)
        do throws(PostgresLink.Refused) {
            link = try PostgresLink(settings.connectionParameters, within: settings.limits.connecting)
        } catch {
            throw SQLError(error, at: settings.url)
        }
        guard link.serverVersion >= PostgresSettings.oldestServer else {
            throw .cannotOpen(path: settings.url.description, message: "the server is older than PostgreSQL 13")
        }
        let refusals: [PostgresRefusal]
        do throws(PostgresLink.Lost) {
            for command in settings.wishes {
                try link.send(command)
                // On its own: an engine that does not know it skips nothing else.
                try link.endUnawaitedBatch()
            }
            for command in settings.demands { try link.send(command) }
            refusals = try link.exchange(within: settings.limits.connecting).compactMap(\.refusal)
        } catch {
            throw .unavailable(error.reason)
        }
        if let refusal = refusals.first { throw SQLError(refusal, at: settings.url, settings.names) }
    }

    // MARK: Transactions

    var isInTransaction: Bool {
        switch standing {
        case .none: false
        case .promised, .open: true
        }
    }

    /// Starts a transaction.
    func begin(onlyReads: Bool) {
        trouble = nil
        changes = 0
        self.onlyReads = onlyReads
        standing = .promised(
            begin: onlyReads ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN ISOLATION LEVEL SERIALIZABLE")
    }

    /// Ends a transaction that wrote, and waits until that is durable.
    func commit() throws(SQLError) {
        switch standing {
        case .none: throw .transactionLost
        case .promised: standing = .none
        case .open:
            let results: [PostgresResult]
            do throws(PostgresLink.Lost) {
                try link.send("COMMIT")
                results = try link.exchange(within: settings.limits.statement)
            } catch {
                trouble = .lostInCommit(error)
                throw .unavailable("it was lost during a commit: \(error.reason)")
            }
            standing = .none
            if let refusal = results.lazy.compactMap(\.refusal).first {
                if link.isLost || refusal.endsConnection {
                    trouble = .lostInCommit(PostgresLink.Lost(reason: refusal.message))
                    throw .unavailable("it was lost during a commit: \(refusal.message)")
                }
                throw failure(refusal)
            }
            // The server's answer to a commit of a transaction in which a statement failed.
            guard results.first?.command != "ROLLBACK" else { throw .transactionLost }
        }
    }

    /// Ends a transaction that only read. Whatever becomes of that, it changes nothing.
    func release() {
        guard case .open = standing else { return standing = .none }
        standing = .none
        do throws(PostgresLink.Lost) {
            try link.send("COMMIT")
            try link.sendAndForget(within: settings.limits.statement)
        } catch {
            trouble = .lost(error)
        }
    }

    /// Takes back a transaction, and waits until its rows are free again.
    func rollBack() {
        guard case .open = standing else { return standing = .none }
        standing = .none
        do throws(PostgresLink.Lost) {
            try link.send("ROLLBACK")
            _ = try link.exchange(within: settings.limits.statement)
        } catch {
            trouble = .lost(error)
        }
    }

    var catalog: any SQLCatalog { PostgresCatalog() }

    // MARK: Statements

    /// `onlyReading` asks for nothing: the transaction itself only reads, and the server refuses the rest.
    func run(
        _ sql: String, _ parameters: [SQLValue], limit: Int, onlyReading: Bool
    ) throws(SQLError) -> [SQLRow] {
        let statement = if let known = statements[sql] { known } else { try prepare(sql) }
        let encoded = try PostgresParameters(parameters, types: statement.parameterTypes)
        let results = try exchange { link throws(PostgresLink.Lost) in try link.sendExecute(statement.name, encoded) }
        guard let result = results.first, !result.isEmpty else {
            throw .other(code: "42601", message: "no statement in the text")
        }
        if let changes = result.changes { self.changes = changes }
        return try result.rows(positions: statement.positions, limit: limit)
    }

    func run(script: String) throws(SQLError) {
        // It cannot travel with `BEGIN`.
        if case .promised = standing { _ = try exchange { _ throws(PostgresLink.Lost) in } }
        let results: [PostgresResult]
        do throws(PostgresLink.Lost) {
            results = try link.run(script: PostgresDialect.script(script), within: settings.limits.statement)
        } catch {
            throw lost(error)
        }
        noteStanding()
        if let refusal = results.lazy.compactMap(\.refusal).first { throw failure(refusal) }
    }

    private func prepare(_ sql: String) throws(SQLError) -> PostgresStatement {
        let name = statements.newName()
        let leaving = statements.leaving
        let results = try exchange { link throws(PostgresLink.Lost) in
            try link.sendPrepare(PostgresDialect.statement(sql), as: name)
            try link.sendDescribe(name)
            // Last: when the text is refused, none of them is gone.
            for leaving in leaving { try link.send("DEALLOCATE \(leaving)") }
        }
        let statement = PostgresStatement(
            name: name, parameterTypes: results[1].parameterTypes,
            positions: Dictionary(
                results[1].columnNames.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first }))
        statements.removeLeaving()
        statements.insert(statement, for: sql)
        return statement
    }

    /// Sends commands as one batch, behind `BEGIN` if that is still to come.
    /// - Returns: what the server answered to each; all succeeded.
    private func exchange(
        _ send: (PostgresLink) throws(PostgresLink.Lost) -> Void
    ) throws(SQLError) -> [PostgresResult] {
        var results: ArraySlice<PostgresResult>
        do throws(PostgresLink.Lost) {
            if case .promised(let begin) = standing { try link.send(begin) }
            try send(link)
            results = try link.exchange(within: settings.limits.statement)[...]
        } catch {
            throw lost(error)
        }
        if case .promised = standing {
            standing = .open
            if results.first?.refusal == nil { results = results.dropFirst() }
        }
        noteStanding()
        if let refusal = results.lazy.compactMap(\.refusal).first { throw failure(refusal) }
        return Array(results)
    }

    /// A body can end its transaction with a statement of its own.
    private func noteStanding() {
        if link.transaction == .none { standing = .none }
    }

    // MARK: Failures

    private func lost(_ error: PostgresLink.Lost) -> SQLError {
        trouble = .lost(error)
        standing = .none
        return .unavailable(error.reason)
    }

    private func failure(_ refusal: PostgresRefusal) -> SQLError {
        if link.isLost || refusal.endsConnection { return lost(PostgresLink.Lost(reason: refusal.message)) }
        // It is not the server that cannot write: the transaction was told to only read.
        if onlyReads, refusal.isWriteInRead { return .writeInRead }
        if refusal.isConflict { trouble = .conflict }
        if refusal.isStaleStatement {
            statements.forgetAll()
            trouble = .staleStatement
        }
        if ["23505", "23514"].contains(refusal.state), settings.names[refusal.constraint] == nil {
            trouble = .unknownConstraint(refusal.constraint)
        }
        return SQLError(refusal, at: settings.url, settings.names)
    }
}
