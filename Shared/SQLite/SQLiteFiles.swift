internal import Glibc
internal import SQL
internal import Synchronization

/// The files of an open database: notices when they are removed or replaced under the process.
///
/// SQLite goes on working in a file that has no name any more, and what it commits there is gone with the process. One
/// journal between two databases damages both. So after each commit the names must still lead to the files that were
/// opened; once they do not, nothing is read or written until the process has started again.
final class SQLiteFiles: Sendable {
    /// What a name led to.
    private struct Identity: Equatable {
        var device: UInt
        var inode: UInt

        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            device = status.st_dev
            inode = status.st_ino
        }
    }

    private let path: String
    private let opened: [(path: String, identity: Identity)]
    private let isMoved = Atomic(false)

    /// - Parameter path: of a database that is open and was read from, so that its journal and the journal's index exist.
    /// - Throws: `SQLError.moved`.
    init(_ path: String) throws(SQLError) {
        self.path = path
        var opened: [(path: String, identity: Identity)] = []
        for suffix in ["", "-wal", "-shm"] {
            guard let identity = Identity(path + suffix) else { throw .moved(path: path + suffix) }
            opened.append((path + suffix, identity))
        }
        self.opened = opened
    }

    /// Compares every name with what it led to.
    /// - Throws: `SQLError.moved`, from the first difference on.
    func check() throws(SQLError) {
        try checkFlag()
        for (path, identity) in opened where Identity(path) != identity {
            isMoved.store(true, ordering: .relaxed)
            throw .moved(path: path)
        }
    }

    /// Looks only at what an earlier check has found, on any thread.
    func checkFlag() throws(SQLError) {
        guard !isMoved.load(ordering: .relaxed) else { throw .moved(path: path) }
    }
}
