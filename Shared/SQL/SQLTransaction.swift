/// What an engine does for a transaction: one connection, used by the one thread that owns it.
package protocol SQLSession: AnyObject {
    /// Runs one statement, prepared before or now.
    /// - Parameters:
    ///   - sql: one statement with parameters `$1`, `$2`, ...
    ///   - limit: how many rows are wanted at most. A statement that changes rows runs to its end all the same.
    ///   - onlyReading: refuse a statement that changes rows, with `writeInReadOnlyTransaction`.
    func run(
        _ sql: String, _ parameters: [SQLValue], limit: Int, readOnly: Bool
    ) throws(SQLError) -> [SQLRow]

    /// Runs any number of statements without parameters, in the words of a migration.
    func run(script: String) throws(SQLError)

    /// False after a commit, and when the engine has rolled back by itself.
    var isInTransaction: Bool { get }

    /// Rows changed by the last statement that inserted, updated or deleted.
    var changes: Int { get }

    /// What this engine says in words of its own.
    var catalog: any SQLCatalog { get }
}

/// A transaction lent to a body, on the thread of its connection. It can be neither copied nor kept.
///
/// A statement that fails spoils it, on every engine: the ones after it are refused, and the body has to throw.
package struct SQLTransaction: ~Copyable {
    private let session: any SQLSession
    private let isReadOnly: Bool
    private let health: AbortState

    /// A class, since a transaction that is lent cannot change.
    private final class AbortState { var isAborted = false }

    /// - Parameter onlyReads: the body promised to change nothing.
    package init(on session: any SQLSession, isReadOnly: Bool) {
        self.init(on: session, isReadOnly: isReadOnly, health: AbortState())
    }

    private init(on session: any SQLSession, isReadOnly: Bool, health: AbortState) {
        self.session = session
        self.isReadOnly = isReadOnly
        self.health = health
    }

    /// The same transaction for a body that promised only to read.
    package var readOnly: SQLTransaction { SQLTransaction(on: session, isReadOnly: true, health: health) }

    /// A statement has failed: nothing of this transaction will stay.
    package var isAborted: Bool { health.isAborted }

    /// Runs one statement for its effect.
    /// - Parameters:
    ///   - sql: one statement with parameters `$1`, `$2`, ... in any order. Fixed text: it is prepared once and kept.
    ///   - parameters: the value of `$1`, of `$2`, ...
    package func execute(_ sql: String, _ parameters: SQLValue...) throws(SQLError) {
        _ = try run(sql, parameters, limit: 0)
    }

    /// Runs one statement and copies out every row it answers, `RETURNING` included. Bound them by `LIMIT`.
    package func rows(_ sql: String, _ parameters: SQLValue...) throws(SQLError) -> [SQLRow] {
        try run(sql, parameters, limit: .max)
    }

    /// `execute` for parameters that are at hand as an array.
    package func execute(_ sql: String, parameters: [SQLValue]) throws(SQLError) {
        _ = try run(sql, parameters, limit: 0)
    }

    /// `rows` for parameters that are at hand as an array.
    package func rows(_ sql: String, parameters: [SQLValue]) throws(SQLError) -> [SQLRow] {
        try run(sql, parameters, limit: .max)
    }

    /// Runs one statement and copies out the first row it answers. One that changes rows still runs to its end.
    package func firstRow(_ sql: String, _ parameters: SQLValue...) throws(SQLError) -> SQLRow? {
        try run(sql, parameters, limit: 1).first
    }

    /// `firstRow` for parameters that are at hand as an array.
    package func firstRow(_ sql: String, parameters: [SQLValue]) throws(SQLError) -> SQLRow? {
        try run(sql, parameters, limit: 1).first
    }

    /// Rows changed by the last statement that inserted, updated or deleted.
    package var changes: Int { session.changes }

    /// What this engine says in words of its own.
    package var catalog: any SQLCatalog { session.catalog }

    /// Runs any number of statements, without parameters, in the words of a migration.
    package func run(script: String) throws(SQLError) {
        try unlessAborted { () throws(SQLError) in try session.run(script: script) }
    }

    private func run(_ sql: String, _ parameters: [SQLValue], limit: Int) throws(SQLError) -> [SQLRow] {
        try unlessAborted { () throws(SQLError) in
            try session.run(sql, parameters, limit: limit, readOnly: isReadOnly)
        }
    }

    /// After the engine has rolled back by itself each further statement would commit on its own, half of the body's
    /// work.
    private func unlessAborted<Answer>(_ body: () throws(SQLError) -> Answer) throws(SQLError) -> Answer {
        guard !health.isAborted, session.isInTransaction else { throw .transactionAborted }
        do {
            return try body()
        } catch {
            health.isAborted = true
            throw error
        }
    }
}
