import Glibc
import SQL
import Synchronization

/// Two locks of a database file, in `PATH-lock` beside it, so that a restore can put another file in its place while
/// processes run.
///
/// SQLite names a journal after the path of its database. Two processes that use different files of one path would damage
/// both. So every open database holds `use`, shared. A replacement first holds `entrance`, so that no other process opens
/// the database, and then `use` alone, when all processes have closed it. Processes that open a database hold `entrance`
/// one after the other: of two that give a new file its kind of journal SQLite refuses one without a wait. The locks belong
/// to the open file (fcntl(2), `F_OFD_SETLK`): they end with the process, and a process can hold several.
final class DatabaseLock: Sendable {
    private enum Part: Int {
        case entrance = 0
        case use = 1
    }

    private enum Hold {
        case shared, exclusive, none

        var type: Int16 {
            switch self {
            case .shared: Int16(F_RDLCK)
            case .exclusive: Int16(F_WRLCK)
            case .none: Int16(F_UNLCK)
            }
        }
    }

    /// A replacement holds the locks for milliseconds, after the other processes have ended. Whoever opens a database holds
    /// `entrance` for milliseconds, and longer only behind a crash, while SQLite reads a long journal.
    static let waitingTime = Duration.seconds(30)
    private static let pauseMicroseconds: UInt32 = 5000
    /// `F_OFD_SETLK` of Linux (fcntl.h), which Swift's module of glibc does not have.
    private static let setLock: Int32 = 37

    private let path: String
    /// Nil once released.
    private let descriptor: Mutex<Int32?>

    private init(of database: String) throws(SQLError) {
        path = database
        let file = database + "-lock"
        let existing = open(file, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        let descriptor = existing >= 0 ? existing : open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            let reason = errno
            if reason == ENOSPC || reason == EDQUOT { throw .full }
            // A process that may read the database and not write beside it. Without a descriptor of the database: closing one
            // would release the locks that SQLite holds on it in this process.
            if reason == EACCES || reason == EROFS, faccessat(AT_FDCWD, database, R_OK, AT_EACCESS) == 0 {
                throw .readOnly(path: database)
            }
            throw .cannotOpen(path: database, message: String(cString: strerror(reason)))
        }
        if existing < 0 { FolderOwner.give(descriptor, at: file) }
        self.descriptor = Mutex(descriptor)
    }

    /// The lock of a database that is about to be opened, by no other process until `endOpening`. It waits for the end of a
    /// replacement.
    /// - Throws: `SQLError.busy`, `cannotOpen`, `readOnly`, `full`.
    static func opening(_ database: String) throws(SQLError) -> DatabaseLock {
        let lock = try DatabaseLock(of: database)
        try lock.hold(.entrance, .exclusive)
        try lock.hold(.use, .shared)
        return lock
    }

    /// From now on it is the lock of an open database.
    func endOpening() throws(SQLError) {
        try hold(.entrance, .none)
    }

    /// The lock of a replacement: no further process opens the database.
    /// - Throws: as `opening`.
    static func replacing(_ database: String) throws(SQLError) -> DatabaseLock {
        let lock = try DatabaseLock(of: database)
        try lock.hold(.entrance, .exclusive)
        return lock
    }

    /// Returns when no process uses the database.
    /// - Throws: `SQLError.busy`.
    func waitUntilUnused() throws(SQLError) {
        try hold(.use, .exclusive)
    }

    /// May be called twice.
    func release() {
        let open = descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        if let open { close(open) }
    }

    deinit { release() }

    private func hold(_ part: Part, _ hold: Hold) throws(SQLError) {
        let end = ContinuousClock.now + Self.waitingTime
        while !attempt(part, hold) {
            guard errno == EAGAIN || errno == EACCES || errno == EINTR else {
                throw .cannotOpen(path: path, message: String(cString: strerror(errno)))
            }
            guard ContinuousClock.now < end else { throw .busy }
            usleep(Self.pauseMicroseconds)
        }
    }

    private func attempt(_ part: Part, _ hold: Hold) -> Bool {
        descriptor.withLock { descriptor in
            guard let descriptor else { return false }
            var range = flock()
            range.l_type = hold.type
            range.l_whence = Int16(SEEK_SET)
            range.l_start = off_t(part.rawValue)
            range.l_len = 1
            return fcntl(descriptor, Self.setLock, &range) == 0
        }
    }
}
