/// A transaction lent to a body, on the thread of its connection. It can be neither copied nor kept.
package struct SQLiteTransaction: ~Copyable {
    private let connection: SQLiteConnection
    private let onlyReads: Bool

    init(on connection: SQLiteConnection, onlyReads: Bool) {
        self.connection = connection
        self.onlyReads = onlyReads
    }

    /// The same transaction for a body that promised only to read.
    var onlyReading: SQLiteTransaction { SQLiteTransaction(on: connection, onlyReads: true) }

    /// Runs one statement for its effect.
    /// - Parameters:
    ///   - sql: one statement with parameters `$1`, `$2`, ... in any order. Fixed text: it is prepared once and kept.
    ///   - parameters: the value of `$1`, of `$2`, ...
    package func execute(_ sql: String, _ parameters: SQLiteValue...) throws(SQLiteError) {
        _ = try run(sql, parameters, limit: 0)
    }

    /// Runs one statement and copies out every row it answers, `RETURNING` included. Bound them by `LIMIT`.
    package func rows(_ sql: String, _ parameters: SQLiteValue...) throws(SQLiteError) -> [SQLiteRow] {
        try run(sql, parameters, limit: .max)
    }

    /// `execute` for parameters that are at hand as an array.
    package func execute(_ sql: String, parameters: [SQLiteValue]) throws(SQLiteError) {
        _ = try run(sql, parameters, limit: 0)
    }

    /// `rows` for parameters that are at hand as an array.
    package func rows(_ sql: String, parameters: [SQLiteValue]) throws(SQLiteError) -> [SQLiteRow] {
        try run(sql, parameters, limit: .max)
    }

    /// Runs one statement and copies out the first row it answers. One that changes rows still runs to its end.
    package func firstRow(_ sql: String, _ parameters: SQLiteValue...) throws(SQLiteError) -> SQLiteRow? {
        try run(sql, parameters, limit: 1).first
    }

    /// Rows changed by the last statement that inserted, updated or deleted.
    package var changes: Int { connection.changes }

    /// Any number of statements, without parameters.
    func run(script: String) throws(SQLiteError) {
        try checkAlive()
        try connection.run(script: script)
    }

    private func run(_ sql: String, _ parameters: [SQLiteValue], limit: Int) throws(SQLiteError) -> [SQLiteRow] {
        try checkAlive()
        return try connection.run(sql, parameters, limit: limit, onlyReading: onlyReads)
    }

    /// After SQLite has rolled back by itself each further statement would commit on its own, half of the body's work.
    private func checkAlive() throws(SQLiteError) {
        guard connection.isInTransaction else { throw .transactionLost }
    }
}
