internal import CSQLite
import SQL

extension SQLError {
    /// Maps the result of a C call on `database`.
    /// - Parameter path: the file of the database.
    init(code: Int32, database: OpaquePointer?, path: String) {
        let message = database.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
        switch code {
        case csqlite_constraint_unique, csqlite_constraint_primary_key, csqlite_constraint_rowid:
            self = .uniqueViolation(Self.subject(of: message))
            return
        case csqlite_constraint_foreign_key:
            self = .foreignKeyViolation
            return
        case csqlite_constraint_not_null:
            self = .notNullViolation(Self.subject(of: message))
            return
        case csqlite_constraint_check:
            self = .checkViolation(Self.subject(of: message))
            return
        default: break
        }
        // The low byte is the primary code; the rest is more specific.
        switch code & 0xff {
        case SQLITE_BUSY, SQLITE_LOCKED: self = .busy
        case SQLITE_FULL: self = .full
        // Interrupted by the clock of the connection, the only source of interrupts.
        case SQLITE_INTERRUPT: self = .timedOut
        case SQLITE_IOERR: self = .unavailable(message)
        case SQLITE_READONLY: self = .readOnly(path: path)
        case SQLITE_NOTADB: self = .notADatabase(path: path)
        case SQLITE_CORRUPT: self = .damaged(path: path)
        case SQLITE_CANTOPEN: self = .cannotOpen(path: path, message: message)
        default: self = .other(code: String(code), message: message)
        }
    }

    /// The text after the colon of "UNIQUE constraint failed: accounts.email".
    private static func subject(of message: String) -> String {
        guard let colon = message.firstRange(of: ": ") else { return message }
        return String(message[colon.upperBound...])
    }
}
