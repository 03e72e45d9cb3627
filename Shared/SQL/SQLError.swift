/// The errors of a database. `description` is one plain sentence that a launcher can print.
package enum SQLError: Error, Equatable, Sendable {
    /// A second row with the same key: `accounts.email`, or `accounts.project, accounts.email` for a key of several
    /// columns, or `index 'name'` for an index over expressions.
    case uniqueViolation(String)
    /// A row references a missing one, or a referenced row was deleted.
    case foreignKeyViolation
    /// The column that may not be null, as `table.column`.
    case notNullViolation(String)
    /// The name or the expression of the `CHECK` that failed.
    case checkViolation(String)

    /// The queue is full; nothing was done.
    case overloaded
    /// Another process held the rows or the file for too long; nothing was done.
    case busy
    /// A statement took longer than a request may; nothing was done.
    case timedOut
    /// The server cannot be reached, the connection was lost, or the disk fails. If that happened during a commit, only
    /// the database knows whether it took effect.
    case unavailable(String)
    /// The server has no free slot for a first connection of this process; nothing was done.
    case connectionsExhausted
    /// The disk is full; nothing was done, and the same work may succeed once there is space.
    case full
    /// The transaction was aborted after an earlier error; nothing was done.
    case transactionAborted
    /// The database was closed; nothing was done.
    case closed
    /// A backup was restored into the database since it was opened, so cached rows are invalid. Nothing was done, and
    /// nothing will be until the process restarts.
    case replaced

    case cannotOpen(path: String, message: String)
    case notADatabase(path: String)
    case readOnly(path: String)
    /// The file is a database, but its structure is damaged.
    case damaged(path: String)
    /// A file of the database was removed or replaced while it was in use; the current commit may be lost.
    case moved(path: String)
    /// The database lacks commits that were acknowledged according to its watermark: this many are missing.
    case commitsLost(path: String, watermark: String, count: Int64)
    /// The watermark belongs to another database than the one at the path.
    case anotherDatabase(path: String, watermark: String)

    /// A later version of the program wrote the schema, and it needs a program that knows more migrations than this one.
    case schemaNewer(found: Int, needs: Int, known: Int)
    /// The schema cannot be changed now; nothing was done, and another attempt may succeed.
    case migrationWaits(MigrationObstacle)
    /// An applied migration differs from the one in the program: a released migration was edited.
    case migrationChanged(version: Int, name: String)

    /// A column is missing or contains another type than requested.
    case columnTypeMismatch(name: String, expected: String, found: String)
    /// The statement has another number of parameters than were given.
    case parameterCount(expected: Int, given: Int)
    /// A record does not have exactly the columns that an `SQLStatement` of the table writes.
    case recordMismatch(table: String, missing: [String], unexpected: [String])
    /// A statement that changes rows in a body that promised only to read.
    case writeInReadOnlyTransaction
    /// All other errors, with the engine's own code: SQLite's extended result code, or an SQLSTATE.
    case other(code: String, message: String)
}

extension SQLError {
    /// Whether the file must be changed before it can be used: another attempt does not help.
    package var isPermanent: Bool {
        switch self {
        case .cannotOpen, .notADatabase, .readOnly, .damaged, .moved, .commitsLost, .anotherDatabase, .schemaNewer,
            .migrationChanged:
            true
        case .uniqueViolation, .foreignKeyViolation, .notNullViolation, .checkViolation, .overloaded, .busy, .timedOut,
            .full, .migrationWaits,
            .transactionAborted, .closed, .replaced, .unavailable, .connectionsExhausted, .columnTypeMismatch,
            .parameterCount,
            .recordMismatch, .writeInReadOnlyTransaction, .other:
            false
        }
    }
}

extension SQLError {
    /// Whether the place or the permissions are wrong, and not the content: who corrects a setting, an owner or a mount can
    /// use the database as it is.
    package var isRefusedAccess: Bool {
        switch self {
        case .cannotOpen, .readOnly:
            true
        case .notADatabase, .damaged, .moved, .commitsLost, .anotherDatabase, .schemaNewer, .migrationChanged,
            .uniqueViolation, .foreignKeyViolation, .notNullViolation, .checkViolation, .overloaded, .busy, .timedOut,
            .full, .migrationWaits, .transactionAborted, .closed, .replaced, .unavailable, .connectionsExhausted,
            .columnTypeMismatch, .parameterCount, .recordMismatch, .writeInReadOnlyTransaction, .other:
            false
        }
    }
}

extension SQLError {
    /// Whether a statement named a missing table: its service has never used the database.
    package var isMissingTable: Bool {
        switch self {
        case .other(code: "1", let message): message.hasPrefix("no such table")  // SQLITE_ERROR
        case .other(code: "42P01", _): true  // undefined_table
        case .other, .uniqueViolation, .foreignKeyViolation, .notNullViolation, .checkViolation, .overloaded, .busy,
            .timedOut,
            .unavailable, .connectionsExhausted, .full, .transactionAborted, .closed, .replaced, .cannotOpen,
            .notADatabase, .readOnly,
            .damaged,
            .moved, .commitsLost, .anotherDatabase, .schemaNewer, .migrationWaits, .migrationChanged,
            .columnTypeMismatch,
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
        case .connectionsExhausted:
            "the database server has no free connection slot (max_connections, or the limit of the role)"
        case .full: "there is no room left for the database"
        case .transactionAborted: "the transaction was rolled back after an earlier failure"
        case .closed: "the database is closed"
        case .replaced: "a backup was restored into the database while this process ran"
        case .cannotOpen(let path, let message): "the database \(path) cannot be opened: \(message)"
        case .notADatabase(let path): "the file \(path) is not a SQLite database: restore it from a backup"
        case .readOnly(let path):
            "the database \(path) cannot be written to: check the owner and mode of a file and its folder, or whether the "
                + "server is the primary one"
        case .damaged(let path): "the database \(path) is damaged: restore it from a backup"
        case .moved(let path): "the file \(path) was removed or replaced while the database was in use"
        case .commitsLost(let path, let watermark, let count):
            "the database \(path) lacks the last \(count) commits that \(watermark) counted: restore it from a backup"
        case .anotherDatabase(let path, let watermark):
            "the database \(path) is another one than \(watermark) belongs to: restore it from a backup"
        case .schemaNewer(let found, let needs, let known):
            "the database has schema version \(found), which needs a program that knows \(needs), and this one knows "
                + "\(known): start the newer program"
        case .migrationWaits(let obstacle): obstacle.description
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

/// Why a schema cannot be changed now.
package enum MigrationObstacle: Equatable, Sendable, CustomStringConvertible {
    /// Another process migrates, or transactions hold a table that a migration changes.
    case lock
    /// Running processes of an earlier release need what a contraction removes.
    case forPrograms(version: Int, name: String, processes: Int)

    package var description: String {
        switch self {
        case .lock: "another process migrates the database, or a long transaction such as a backup holds a table of it"
        case .forPrograms(let version, let name, let processes):
            "migration \(version) (\(name)) removes what \(processes) running \(processes == 1 ? "process" : "processes") "
                + "of an earlier release \(processes == 1 ? "uses" : "use"): it waits until they have stopped"
        }
    }
}
