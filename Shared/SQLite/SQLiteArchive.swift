package import SQL

/// A SQLite file that is filled once and then only read: the form in which a database travels.
///
/// Everything happens on the calling thread, inside the call, so that a transaction of another database can be copied
/// from or to without a hand-over between threads. Call it from a thread that may wait: of an engine, of a pool.
package enum SQLiteArchive {
    /// Makes a file with mode 0600 and fills it in one transaction. It is on the disk when this returns, and gone when
    /// this throws.
    /// - Throws: what `body` threw; `SQLError.full`; `cannotOpen` when there is such a file already.
    package static func make<Answer>(
        _ path: String, _ body: (borrowing SQLTransaction) throws -> Answer
    ) throws -> Answer {
        let connection = try SQLiteConnection(archive: path, isNew: true)
        do {
            try connection.run("BEGIN EXCLUSIVE")
            let answer = try body(SQLTransaction(on: connection, isReadOnly: false))
            guard connection.isInTransaction else { throw SQLError.transactionAborted }
            try connection.run("COMMIT")
            connection.close()
            return answer
        } catch {
            connection.close()
            SQLiteConnection.remove(path)
            throw error
        }
    }

    /// Reads a file, without a trace: it may lie on a medium that cannot be written.
    /// - Throws: what `body` threw; `SQLError.notADatabase`, `damaged`, `cannotOpen`.
    package static func read<Answer>(
        _ path: String, _ body: (borrowing SQLTransaction) throws -> Answer
    ) throws -> Answer {
        let connection = try SQLiteConnection(archive: path, isNew: false)
        defer { connection.close() }
        try connection.run("BEGIN")
        return try body(SQLTransaction(on: connection, isReadOnly: true))
    }

    /// Looks at every page of a file and at every reference between its rows.
    /// - Throws: `SQLError.damaged`, `notADatabase`, `cannotOpen`.
    package static func check(_ path: String) throws(SQLError) {
        let connection = try SQLiteConnection(archive: path, isNew: false)
        defer { connection.close() }
        guard try connection.run("PRAGMA integrity_check(1)").map(\.values) == [[.text("ok")]],
            try connection.run("PRAGMA foreign_key_check", limit: 1).isEmpty
        else { throw .damaged(path: path) }
    }
}
