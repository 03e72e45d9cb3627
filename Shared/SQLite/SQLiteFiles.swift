import Glibc
import SQL
import Synchronization

/// The files of an open database. Detects that a file is removed or replaced while the process uses it.
///
/// SQLite continues in a file that has no name anymore, and its commits are lost when the process ends. One journal
/// between two databases damages both. So after each commit the names must still lead to the opened files. If they do
/// not, nothing is read or written until the process restarts.
final class SQLiteFiles: Sendable {
    /// The file that a name led to.
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

    /// - Parameter path: of an open database that was read from, so that its journal and the journal's index exist.
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

    /// Another connection to the database. It opens no other file that has its name meanwhile, and makes none.
    /// - Throws: `SQLError.moved`, `cannotOpen`.
    func connect() throws(SQLError) -> SQLiteConnection {
        try check()
        let connection = try SQLiteConnection(.file(path), createsFile: false)
        try check()
        return connection
    }

    /// Compares the file of every name with the opened one.
    /// - Throws: `SQLError.moved`, from the first difference on.
    func check() throws(SQLError) {
        try checkFlag()
        for (path, identity) in opened where Identity(path) != identity {
            isMoved.store(true, ordering: .relaxed)
            throw .moved(path: path)
        }
    }

    /// Checks only the result of an earlier check, on any thread.
    func checkFlag() throws(SQLError) {
        guard !isMoved.load(ordering: .relaxed) else { throw .moved(path: path) }
    }
}
