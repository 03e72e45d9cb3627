package import SQL

/// A SQLite file that is written once and then only read: the format of databases in backups.
///
/// All work runs on the calling thread, inside the call, so that a transaction of another database can be copied
/// without a change of thread. Call it on a thread that may wait: of an engine or a pool.
package enum SQLiteArchive {
    /// Creates a file with mode 0600 and fills it in one transaction. When this returns, the file is on the disk; when
    /// it throws, the file is removed.
    /// - Throws: the error of `body`; `SQLError.full`; `cannotOpen` if the file exists already.
    @discardableResult
    package static func make<Result>(
        _ path: String, _ body: (borrowing SQLTransaction) throws -> Result
    ) throws -> Result {
        let connection = try SQLiteConnection(archive: path, isNew: true)
        do {
            try connection.run("BEGIN EXCLUSIVE")
            let resume = try body(SQLTransaction(on: connection, isReadOnly: false))
            guard connection.isInTransaction else { throw SQLError.transactionAborted }
            try connection.run("COMMIT")
            connection.close()
            return resume
        } catch {
            connection.close()
            SQLiteConnection.remove(path)
            throw error
        }
    }

    /// Reads a file without changing anything: it may be on a read-only medium.
    /// - Throws: the error of `body`; `SQLError.notADatabase`, `damaged`, `cannotOpen`.
    package static func read<Result>(
        _ path: String, _ body: (borrowing SQLTransaction) throws -> Result
    ) throws -> Result {
        let connection = try SQLiteConnection(archive: path, isNew: false)
        defer { connection.close() }
        try connection.run("BEGIN")
        return try body(SQLTransaction(on: connection, isReadOnly: true))
    }

    /// Checks every page of a file and every reference between its rows.
    /// - Throws: `SQLError.damaged`, `notADatabase`, `cannotOpen`.
    package static func check(_ path: String) throws(SQLError) {
        let connection = try SQLiteConnection(archive: path, isNew: false)
        defer { connection.close() }
        guard try connection.run("PRAGMA integrity_check(1)").map(\.values) == [[.text("ok")]],
            try connection.run("PRAGMA foreign_key_check", limit: 1).isEmpty
        else { throw .damaged(path: path) }
    }
}
