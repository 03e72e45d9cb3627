import Glibc
package import SQL

/// Puts another file in the place of a database that processes may use.
///
/// From its creation on no process opens the database. The caller lets those end that have it open, and then calls
/// `finish`. Blocks: call it on a thread that may wait.
package struct SQLiteReplacement: Sendable {
    private let path: String
    private let lock: DatabaseLock

    /// - Parameter path: of the database; it may be missing.
    /// - Throws: `SQLError.busy` if another replacement does not end; `cannotOpen`, `full`.
    package init(of path: String) throws(SQLError) {
        self.path = path
        lock = try DatabaseLock.replacing(path)
    }

    /// The path for the new file: on the same file system.
    package static func draft(of path: String) -> String { path + "-restore" }

    /// Waits until no process uses the database, and gives the new file its name. After an interruption at any time, the
    /// name leads to the old or to the new file, complete.
    /// - Parameter draft: a complete file, on the disk, whose structure was checked.
    /// - Throws: `SQLError.busy` if a process does not close the database; then nothing was changed.
    package func finish(with draft: String) throws(SQLError) {
        try lock.waitUntilUnused()
        defer { lock.release() }
        if access(path, F_OK) == 0 { try endJournal() }
        // The former watermark counts the commits of the former file. Without one, either file is accepted.
        CommitWatermark.remove(CommitWatermark.path(of: path))
        guard rename(draft, path) == 0 else {
            throw .cannotOpen(path: path, message: String(cString: strerror(errno)))
        }
        StructureMark.leave(at: path)
        let slash = path.lastIndex(of: "/")
        let folder = open(slash.map { String(path[...$0]) } ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }

    /// Opens the database again: the replacement is given up.
    package func cancel() {
        lock.release()
    }

    /// Writes the journal into the old file and removes it: beside the new file it would damage it.
    private func endJournal() throws(SQLError) {
        let connection = try SQLiteConnection(.file(path), createsFile: false)
        defer { connection.close() }
        // It fails while another program, which holds none of our locks, has the file open.
        let journal = try connection.run("PRAGMA journal_mode = DELETE", limit: 1)
        guard journal.first?.values == [.text("delete")], access(path + "-wal", F_OK) != 0 else { throw .busy }
    }
}
