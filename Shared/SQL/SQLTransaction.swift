/// The operations of an engine for a transaction: one connection, used only by the thread that owns it.
package protocol SQLSession: AnyObject {
    /// Runs one statement, and prepares it if necessary.
    /// - Parameters:
    ///   - sql: one statement with parameters `$1`, `$2`, ...
    ///   - limit: the maximum number of rows. A statement that changes rows still runs to its end.
    ///   - readOnly: rejects a statement that changes rows with `writeInReadOnlyTransaction`.
    func run(
        _ sql: String, _ parameters: [SQLValue], limit: Int, readOnly: Bool
    ) throws(SQLError) -> [SQLRow]

    /// Runs one statement for its effect, at the latest with the next statement or the commit. It may throw the error of an
    /// earlier one.
    func runLater(_ sql: String, _ parameters: [SQLValue], readOnly: Bool) throws(SQLError)

    /// Runs any number of statements without parameters, in the SQL of migrations.
    func run(script: String) throws(SQLError)

    /// False after a commit, and when the engine has rolled back by itself.
    var isInTransaction: Bool { get }

    /// Rows changed by the last statement that inserted, updated or deleted.
    var changes: Int { get }

    /// Operations whose SQL differs between the engines.
    var catalog: any SQLCatalog { get }

    /// Inserts rows that have a value for each column of the table, in its order.
    func insert(_ rows: [SQLRow], into table: SQLTable) throws(SQLError)

    /// Requires that the database has this epoch. An engine may send the check with the next statement: until it has
    /// succeeded, no row is returned and nothing is committed.
    /// - Throws: `SQLError.replaced`, at once, by the next statement, or by the commit.
    func require(epoch: Int64) throws(SQLError)
}

extension SQLSession {
    /// The default: statements with many rows. SQLite allows 32,766 values in one; more than some hundreds is not faster.
    package func insert(_ rows: [SQLRow], into table: SQLTable) throws(SQLError) {
        let width = table.columns.count
        let rowsAtOnce = max(1, 800 / width)
        let names = table.columns.map(\.quotedName).joined(separator: ", ")
        for start in stride(from: 0, to: rows.count, by: rowsAtOnce) {
            let batch = rows[start..<min(start + rowsAtOnce, rows.count)]
            let tuples = batch.indices.map { index in
                "(" + (1...width).map { "$\((index - start) * width + $0)" }.joined(separator: ", ") + ")"
            }
            // Each table has few different texts, so they stay prepared.
            _ = try run(
                "INSERT INTO \(table.name.quotedName) (\(names)) VALUES \(tuples.joined(separator: ", "))",
                batch.flatMap(\.values), limit: 0, readOnly: false)
        }
    }

    /// The default for an engine whose statements take no round trip.
    package func runLater(_ sql: String, _ parameters: [SQLValue], readOnly: Bool) throws(SQLError) {
        _ = try run(sql, parameters, limit: 0, readOnly: readOnly)
    }

    /// As above.
    package func require(epoch: Int64) throws(SQLError) {
        let rows = try run(SQLTransaction.epochQuery, [], limit: 1, readOnly: true)
        guard let row = rows.first, try row.get("epoch") == epoch else { throw .replaced }
    }
}

/// A transaction that is lent to a body, on the thread of its connection. It can be neither copied nor stored.
///
/// A failed statement aborts it, on every engine: further statements are rejected, and the body must throw.
package struct SQLTransaction: ~Copyable {
    private let session: any SQLSession
    private let isReadOnly: Bool
    private let health: AbortState

    /// A class, because a borrowed transaction cannot be changed.
    private final class AbortState { var isAborted = false }

    /// - Parameter isReadOnly: whether the body only reads.
    package init(on session: any SQLSession, isReadOnly: Bool) {
        self.init(on: session, isReadOnly: isReadOnly, health: AbortState())
    }

    private init(on session: any SQLSession, isReadOnly: Bool, health: AbortState) {
        self.session = session
        self.isReadOnly = isReadOnly
        self.health = health
    }

    /// The same transaction for a read-only body.
    package var readOnly: SQLTransaction { SQLTransaction(on: session, isReadOnly: true, health: health) }

    /// The same transaction on a session around this one, which sees each statement: for tests of transactions that run
    /// beside each other.
    package func observed(_ wrap: (any SQLSession) -> any SQLSession) -> SQLTransaction {
        SQLTransaction(on: wrap(session), isReadOnly: isReadOnly, health: health)
    }

    /// Whether a statement has failed: the transaction will be rolled back.
    package var isAborted: Bool { health.isAborted }

    /// Runs one statement for its effect.
    /// - Parameters:
    ///   - sql: one statement with parameters `$1`, `$2`, ... in any order. A constant text: it is prepared once and
    ///     kept.
    ///   - parameters: the value of `$1`, of `$2`, ...
    package func execute(_ sql: String, _ parameters: SQLValue...) throws(SQLError) {
        _ = try run(sql, parameters, limit: 0)
    }

    /// Runs one statement and copies every row of its result, `RETURNING` included. Limit them by `LIMIT`.
    package func rows(_ sql: String, _ parameters: SQLValue...) throws(SQLError) -> [SQLRow] {
        try run(sql, parameters, limit: .max)
    }

    /// `execute` with the parameters as an array.
    package func execute(_ sql: String, parameters: [SQLValue]) throws(SQLError) {
        _ = try run(sql, parameters, limit: 0)
    }

    /// Runs one statement for its effect, of which nothing in the body depends: neither its error nor `changes`. An engine on a
    /// network sends it with the next statement or with the commit, which then throws its error.
    package func executeLater(_ sql: String, parameters: [SQLValue]) throws(SQLError) {
        try unlessAborted { () throws(SQLError) in
            try session.runLater(sql, parameters, readOnly: isReadOnly)
        }
    }

    /// `rows` with the parameters as an array.
    package func rows(_ sql: String, parameters: [SQLValue]) throws(SQLError) -> [SQLRow] {
        try run(sql, parameters, limit: .max)
    }

    /// Runs one statement and copies the first row of its result. A statement that changes rows still runs to its end.
    package func firstRow(_ sql: String, _ parameters: SQLValue...) throws(SQLError) -> SQLRow? {
        try run(sql, parameters, limit: 1).first
    }

    /// `firstRow` for parameters that are at hand as an array.
    package func firstRow(_ sql: String, parameters: [SQLValue]) throws(SQLError) -> SQLRow? {
        try run(sql, parameters, limit: 1).first
    }

    /// Runs a query and copies the rows of its result.
    package func rows(_ query: SQLQuery) throws(SQLError) -> [SQLRow] {
        if let epoch = query.epoch { try require(epoch: epoch) }
        return try run(query.text, query.parameters, limit: query.limit)
    }

    /// Requires that the database has this epoch, before any other statement. If it has another one, no statement
    /// returns a row, and nothing is committed.
    /// - Throws: `SQLError.replaced`, or a later statement or the commit throws it.
    package func require(epoch: Int64) throws(SQLError) {
        try unlessAborted { () throws(SQLError) in try session.require(epoch: epoch) }
    }

    /// Rows changed by the last statement that inserted, updated or deleted.
    package var changes: Int { session.changes }

    /// Operations whose SQL differs between the engines.
    package var catalog: any SQLCatalog { session.catalog }

    /// Inserts rows that have a value for each column of the table, in its order: for copies of whole tables.
    package func insert(_ rows: [SQLRow], into table: SQLTable) throws(SQLError) {
        try unlessAborted { () throws(SQLError) in
            guard !isReadOnly else { throw .writeInReadOnlyTransaction }
            try session.insert(rows, into: table)
        }
    }

    /// Runs any number of statements without parameters, in the SQL of migrations.
    package func run(script: String) throws(SQLError) {
        try unlessAborted { () throws(SQLError) in try session.run(script: script) }
    }

    private func run(_ sql: String, _ parameters: [SQLValue], limit: Int) throws(SQLError) -> [SQLRow] {
        try unlessAborted { () throws(SQLError) in
            try session.run(sql, parameters, limit: limit, readOnly: isReadOnly)
        }
    }

    /// After the engine has rolled back by itself, each further statement would commit separately: an incomplete part
    /// of the body.
    private func unlessAborted<Result>(_ body: () throws(SQLError) -> Result) throws(SQLError) -> Result {
        guard !health.isAborted, session.isInTransaction else { throw .transactionAborted }
        do {
            return try body()
        } catch {
            health.isAborted = true
            throw error
        }
    }
}
