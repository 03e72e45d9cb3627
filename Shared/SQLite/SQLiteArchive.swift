import Glibc
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
        let connection = try SQLiteConnection(archive: path, for: .new)
        do {
            return try commit(on: connection, body)
        } catch {
            remove(path)
            throw error
        }
    }

    /// Changes a file in one transaction. When this returns, the file is on the disk.
    /// - Throws: the error of `body`; `SQLError.full`, `notADatabase`, `damaged`, `cannotOpen`.
    package static func change<Result>(
        _ path: String, _ body: (borrowing SQLTransaction) throws -> Result
    ) throws -> Result {
        try commit(on: SQLiteConnection(archive: path, for: .change), body)
    }

    /// Copies a database, which the caller has open, into a new file with mode 0600: one snapshot, without its indexes' gaps.
    /// The engine's own state is not copied.
    /// - Throws: `SQLError.full`, `cannotOpen`, `damaged`.
    package static func copy(_ database: String, to path: String) throws {
        _ = try SQLiteConnection.create(path, mustBeNew: true)
        do {
            let connection = try SQLiteConnection(.file(database), createsFile: false)
            defer { connection.close() }
            // Everything in one process, without a round trip for each row.
            _ = try connection.run("VACUUM INTO $1", [.text(path)], limit: 0, readOnly: false)
            try change(path) { archive in
                try archive.run(script: "DROP TABLE IF EXISTS \(CommitCounter.table)")
            }
        } catch {
            remove(path)
            throw error
        }
    }

    /// `FICLONE` (ioctl_ficlone(2)): `_IOW(0x94, 9, int)`, a macro that Swift does not import.
    private static let shareBlocks: UInt = 0x4004_9409

    /// Copies the file of a backup, with mode 0600. Where the file system shares blocks between files (XFS, Btrfs), the copy
    /// takes no room until it is changed.
    /// - Throws: `SQLError.full`, `cannotOpen`.
    package static func duplicate(_ path: String, to copy: String) throws(SQLError) {
        _ = try SQLiteConnection.create(copy, mustBeNew: true)
        let (source, target) = (open(path, O_RDONLY | O_CLOEXEC), open(copy, O_WRONLY | O_CLOEXEC))
        defer { for descriptor in [source, target] where descriptor >= 0 { close(descriptor) } }
        guard source >= 0, target >= 0, ioctl(target, shareBlocks, source) == 0 || copyBytes(source, target) else {
            let number = errno
            remove(copy)
            throw number == ENOSPC || number == EDQUOT
                ? .full : .cannotOpen(path: copy, message: String(cString: strerror(number)))
        }
    }

    /// - Returns: false with the reason in `errno`.
    private static func copyBytes(_ source: Int32, _ target: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = Glibc.read(source, &buffer, buffer.count)
            if count == 0 { return true }
            guard count > 0 || errno == EINTR, write(buffer.prefix(max(0, count)), to: target) else { return false }
        }
    }

    /// - Returns: false with the reason in `errno`.
    private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 || errno == EINTR else { return false }
            rest = rest.dropFirst(max(0, count))
        }
        return true
    }

    /// Removes a file and what an interrupted change has left beside it.
    package static func remove(_ path: String) { SQLiteConnection.remove(path) }

    private static func commit<Result>(
        on connection: SQLiteConnection, _ body: (borrowing SQLTransaction) throws -> Result
    ) throws -> Result {
        defer { connection.close() }
        try connection.run("BEGIN EXCLUSIVE")
        let result = try body(SQLTransaction(on: connection, isReadOnly: false))
        guard connection.isInTransaction else { throw SQLError.transactionAborted }
        try connection.run("COMMIT")
        return result
    }

    /// Reads a file without changing anything: it may be on a read-only medium.
    /// - Throws: the error of `body`; `SQLError.notADatabase`, `damaged`, `cannotOpen`.
    package static func read<Result>(
        _ path: String, _ body: (borrowing SQLTransaction) throws -> Result
    ) throws -> Result {
        let connection = try SQLiteConnection(archive: path, for: .read)
        defer { connection.close() }
        try connection.run("BEGIN")
        return try body(SQLTransaction(on: connection, isReadOnly: true))
    }

    /// Checks every page of a file and every reference between its rows.
    /// - Throws: `SQLError.damaged`, `notADatabase`, `cannotOpen`.
    package static func check(_ path: String) throws(SQLError) {
        let connection = try SQLiteConnection(archive: path, for: .read)
        defer { connection.close() }
        guard try connection.run("PRAGMA integrity_check(1)").map(\.values) == [[.text("ok")]],
            try connection.run("PRAGMA foreign_key_check", limit: 1).isEmpty
        else { throw .damaged(path: path) }
    }
}
