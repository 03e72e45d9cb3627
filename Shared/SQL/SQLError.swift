/// What can go wrong with a database. `description` is one plain sentence, fit for a launcher to print.
package enum SQLError: Error, Equatable, Sendable {
    /// A second row with the same key: `accounts.email`, or `accounts.project, accounts.email` for a key of several
    /// columns, or `index 'name'` for an index over expressions.
    case uniqueViolation(String)
    /// A row refers to one that is not there, or one that is referred to was removed.
    case foreignKeyViolation
    /// The column that may not be null, as `table.columnTypeMismatch`.
    case notNullViolation(String)
    /// The name or the expression of the `CHECK` that failed.
    case checkViolation(String)

    /// The waiting line is full; nothing was done.
    case overloaded
    /// Another process held the rows or the file for longer than we wait; nothing was done.
    case busy
    /// A statement took longer than a request may; nothing was done.
    case timedOut
    /// The server cannot be reached, or was lost, or the disk fails. If that was during a commit, only the database
    /// knows whether it took effect.
    case unavailable(String)
    /// No room on the disk; nothing was done, and the same may succeed once there is room.
    case full
    /// The transaction was given up after an earlier failure; nothing was done.
    case transactionAborted
    /// The database was closed; nothing was done.
    case closed
    /// A backup was restored into the database since it was opened: what is in memory belongs to other rows. Nothing
    /// was done, and nothing will be until the process has started again.
    case replaced

    case cannotOpen(path: String, message: String)
    case notADatabase(path: String)
    case readOnly(path: String)
    /// The file is a database, but its structure is broken.
    case damaged(path: String)
    /// A file of the database was removed or replaced while it was in use; what was about to be committed may be lost.
    case moved(path: String)
    /// The database ends before the commits that its watermark says were acknowledged: this many are missing.
    case commitsLost(path: String, watermark: String, count: Int64)
    /// The watermark belongs to another database than the one at the path.
    case anotherDatabase(path: String, watermark: String)

    /// The schema was written by a later version of the program.
    case schemaNewer(found: Int, known: Int)
    /// A migration that was applied here is not the one the program brings: history was edited.
    case migrationChanged(version: Int, name: String)

    /// A column that is not there or holds another type than was asked for.
    case columnTypeMismatch(name: String, expected: String, found: String)
    /// The statement names another number of parameters than were given.
    case parameterCount(expected: Int, given: Int)
    /// A record does not have exactly the columns that an `SQLStatement` of the table writes.
    case recordMismatch(table: String, missing: [String], unexpected: [String])
    /// A statement that changes rows in a body that promised only to read.
    case writeInReadOnlyTransaction
    /// Everything else, with the engine's own code: SQLite's extended result code, or an SQLSTATE.
    case other(code: String, message: String)
}

extension SQLError {
    /// Whether the file has to be changed before it can be used: trying again does not help.
    package var isPermanent: Bool {
        switch self {
        case .cannotOpen, .notADatabase, .readOnly, .damaged, .moved, .commitsLost, .anotherDatabase, .schemaNewer,
            .migrationChanged:
            true
        case .uniqueViolation, .foreignKeyViolation, .notNullViolation, .checkViolation, .overloaded, .busy, .timedOut,
            .full,
            .transactionAborted, .closed, .replaced, .unavailable, .columnTypeMismatch, .parameterCount,
            .recordMismatch, .writeInReadOnlyTransaction, .other:
            false
        }
    }
}

extension SQLError {
    /// Whether a statement named a table that is not there: a database that its service has never used.
    package var isMissingTable: Bool {
        switch self {
        case .other(code: "1", let message): message.hasPrefix("no such table")  // SQLITE_ERROR
        case .other(code: "42P01", _): true  // undefined_table
        case .other, .uniqueViolation, .foreignKeyViolation, .notNullViolation, .checkViolation, .overloaded, .busy,
            .timedOut,
            .unavailable, .full, .transactionAborted, .closed, .replaced, .cannotOpen, .notADatabase, .readOnly,
            .damaged,
            .moved, .commitsLost, .anotherDatabase, .schemaNewer, .migrationChanged, .columnTypeMismatch,
            .parameterCount,
            .recordMismatch, .writeInReadOnlyTransaction:
            false
        }
    }
}

extension SQLError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .uniqueViolation(let columns): "a row with the same \(columns) exists"
        case .foreignKeyViolation: "a row refers to one that does not exist"
        case .notNullViolation(let column): "\(column) must have a value"
        case .checkViolation(let rule): "the rule \(rule) is broken"
        case .overloaded: "too much work is waiting for the database"
        case .busy: "another process holds the database"
        case .timedOut: "a statement took longer than a request may"
        case .unavailable(let reason): "the database cannot be reached: \(reason)"
        case .full: "there is no room left for the database"
        case .transactionAborted: "the transaction was rolled back after an earlier failure"
        case .closed: "the database is closed"
        case .replaced: "a backup was restored into the database while this process ran"
        case .cannotOpen(let path, let message): "the database \(path) cannot be opened: \(message)"
        case .notADatabase(let path): "the file \(path) is not a SQLite database: restore it from a backup"
        case .readOnly(let path):
            "the database \(path) cannot be written to: check the owner and mode of file and folder"
        case .damaged(let path): "the database \(path) is damaged: restore it from a backup"
        case .moved(let path): "the file \(path) was removed or replaced while the database was in use"
        case .commitsLost(let path, let watermark, let count):
            "the database \(path) lacks the last \(count) commits that \(watermark) counted: restore it from a backup"
        case .anotherDatabase(let path, let watermark):
            "the database \(path) is another one than \(watermark) belongs to: restore it from a backup"
        case .schemaNewer(let found, let known):
            "the database has schema version \(found), this program knows only \(known): start the newer program"
        case .migrationChanged(let version, let name):
            "migration \(version) (\(name)) differs from the one this database was made with"
        case .columnTypeMismatch(let name, let expected, let found):
            "column \(name) should hold \(expected) but holds \(found)"
        case .parameterCount(let expected, let given): "a statement with \(expected) parameters was given \(given)"
        case .recordMismatch(let table, let missing, let unexpected):
            "a statement on \(table) lacks values for \(missing) and has no place for \(unexpected)"
        case .writeInReadOnlyTransaction: "a statement that writes was given to a read"
        case .other(let code, let message): "the database answered \(message) (code \(code))"
        }
    }
}
