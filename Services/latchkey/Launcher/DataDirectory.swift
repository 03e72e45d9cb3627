import Contracts
import Glibc
import MasterKey
import ServiceRuntime
import Settings

/// The directory for all durable data, locked by one launcher.
///
/// ```
/// DATA/            0700
///   master.key     0400, unless LATCHKEY_MASTER_KEY_FILE names another place or LATCHKEY_MASTER_KEY holds the key
///   latchkey.lock  held while a launcher runs
///   run/           0700, the sockets of the bus
///   *.sqlite       one database per service, unless it is kept on PostgreSQL
///   *-watermark    the number of acknowledged commits of a SQLite database, to notice when some are lost
///   *.database     marker files: the database of a service was created, see `Storage`
/// ```
///
/// Where each service runs as a user of its own, its data are in a directory of that user: `DATA/identity/identity.sqlite`.
/// The launcher runs on no such directory; commands of root find the data in it.
struct DataDirectory: ~Copyable {
    /// The absolute path.
    let path: String
    private let lock: Int32

    /// Creates the directory if it is missing; its parent must exist.
    init(_ path: String) throws(LauncherError) {
        try Self.checkRoom(for: path)
        let absolute = try Self.privateDirectory(path)
        guard !Self.isDivided(absolute) else {
            throw .unusableDirectory(
                absolute, problem: "holds a directory for each service, which a unit of its own runs",
                remedy: "Start these units, or name another directory with --data")
        }
        lock = try Self.lock(absolute)
        self.path = absolute
    }

    deinit { close(lock) }

    /// Whether there is neither a master key nor a database here.
    func beginsAnew(masterKeyFile path: String) -> Bool { access(path, F_OK) != 0 && databases().isEmpty }

    /// Creates the master key at the very first start.
    /// - Parameter sharedDatabases: those on servers that another machine uses: a key of its own would make this machine
    ///   seal what the others cannot open.
    /// - Returns: whether a key was created.
    func prepareMasterKey(
        at path: String, sharedDatabases: [String] = [], _ makeKey: () -> MasterKey
    ) throws -> Bool {
        if access(path, F_OK) == 0 {
            _ = try MasterKeyFile.read(path)
            return false
        }
        let databases = databases() + sharedDatabases
        guard databases.isEmpty else {
            throw LauncherError.lostMasterKey(path, databases: databases)
        }
        try MasterKeyFile.write(MasterKeyRing(makeKey()), to: path)
        return true
    }

    /// The directory of the bus sockets: `run` in here, or a private temporary directory if that path is too long for
    /// the kernel.
    func prepareSockets() throws(LauncherError) -> SocketDirectory {
        let run = path + "/run"
        guard SocketDirectory.fits(run) else { return try SocketDirectory.temporary() }
        if mkdir(run, 0o700) != 0 && errno != EEXIST {
            throw .unusableDirectory(
                run, problem: "cannot be made: \(lastError())", remedy: "Let its owner write to \(path)")
        }
        try Self.checkPrivacy(of: run)
        return SocketDirectory(path: run, isTemporary: false)
    }

    /// The free space without which a new installation does not begin: a part of its databases would exist afterwards.
    private static let initialBytes: UInt64 = 4 << 20

    /// An installation with databases starts on a full disk too, and waits for room.
    private static func checkRoom(for path: String) throws(LauncherError) {
        guard databases(in: path).isEmpty else { return }
        let parent = path.lastIndex(of: "/").map { path[..<$0] + "/" } ?? "."
        var status = statvfs()
        // The creation of the directory says why neither can be examined.
        guard statvfs(path, &status) == 0 || statvfs(String(parent), &status) == 0, status.f_blocks > 0 else { return }
        let (free, isMore) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        guard !isMore, free < initialBytes else { return }
        throw .unusableDirectory(
            path, problem: "is on a file system with \(free >> 10) KiB of free space, too little for the databases",
            remedy: "Free \(initialBytes >> 20) MiB there, or name another directory with --data")
    }

    /// - Returns: the absolute path of an existing directory that is private to this user.
    private static func privateDirectory(_ path: String) throws(LauncherError) -> String {
        if mkdir(path, 0o700) != 0 && errno != EEXIST {
            let code = errno
            throw .unusableDirectory(
                path, problem: "cannot be made: \(String(cString: strerror(code)))", remedy: creationRemedy(code))
        }
        return try existing(path)
    }

    private static func creationRemedy(_ code: Int32) -> String {
        let other = "ame another data directory with --data"
        return switch code {
        case EACCES, EPERM: "Give the directory above to the user \(geteuid()) with chown, or n\(other)"
        case EROFS: "Mount a volume there that can be written, or n\(other)"
        default: "N\(other)"
        }
    }

    /// - Returns: the absolute path of an existing data directory.
    static func existing(_ path: String) throws(LauncherError) -> String {
        guard let resolved = realpath(path, nil) else {
            throw .unusableDirectory(
                path, problem: "cannot be found: \(lastError())", remedy: "Name another one with --data")
        }
        defer { free(resolved) }
        let absolute = String(cString: resolved)
        try checkPrivacy(of: absolute)
        return absolute
    }

    /// - Returns: a descriptor that holds the lock until it is closed.
    private static func lock(_ path: String) throws(LauncherError) -> Int32 {
        let descriptor = open(path + "/latchkey.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .unusableDirectory(
                path, problem: "cannot be written: \(lastError())",
                remedy: "Give its owner the right to, or name another directory with --data")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            // It can end by itself.
            throw .file(
                path, problem: "is in use by another latchkey",
                remedy: "Stop that one, or name another directory with --data")
        }
        // The lock of a record beside it says who has it. `launcher(of:)` needs it, and nothing else.
        var record = wholeFile
        _ = fcntl(descriptor, F_SETLK, &record)
        return descriptor
    }

    /// The process of the launcher that runs on this directory; nil without one, or if this process cannot see it.
    static func launcher(of path: String) -> pid_t? {
        let descriptor = open(path + "/latchkey.lock", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var record = wholeFile
        guard fcntl(descriptor, F_GETLK, &record) == 0, record.l_type != F_UNLCK, record.l_pid > 0 else { return nil }
        return record.l_pid
    }

    private static var wholeFile: Glibc.flock {
        Glibc.flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 0, l_pid: 0)
    }

    /// Whether a launcher runs on this directory.
    static func isInUse(_ path: String) -> Bool {
        let descriptor = open(path + "/latchkey.lock", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0
    }

    private static func checkPrivacy(of path: String) throws(LauncherError) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw .unusableDirectory(path, problem: "is not a directory", remedy: "Name another one with --data")
        }
        guard status.st_uid == geteuid() else {
            throw .unusableDirectory(
                path, problem: "belongs to another user", remedy: "Run as its owner, or name another one with --data")
        }
        let divided = services.map { place(of: $0, in: path) }.filter { $0 != path }
        guard divided.isEmpty else {
            for place in divided { try checkDivision(place) }
            guard status.st_mode & 0o022 == 0 else {
                throw .unusableDirectory(
                    path, problem: "can be written by other users of this machine", remedy: "Run: chmod 755 \(path)")
            }
            return
        }
        guard status.st_mode & 0o077 == 0 else {
            throw .unusableDirectory(
                path, problem: "can be reached by other users of this machine", remedy: "Run: chmod 700 \(path)")
        }
    }

    // MARK: A directory for each service

    private static var services: [ServiceName] { ServiceName.allCases.filter(\.ownsData) }

    /// The directory of the files of a service: `NAME` in the data directory if there is one, else that itself.
    static func place(of service: ServiceName, in directory: String) -> String {
        let own = "\(directory)/\(service.rawValue)"
        var status = stat()
        return stat(own, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR ? own : directory
    }

    private static func isDivided(_ path: String) -> Bool {
        services.contains { place(of: $0, in: path) != path }
    }

    /// The directory of a service belongs to its user, and nobody else may enter it.
    private static func checkDivision(_ path: String) throws(LauncherError) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & 0o077 == 0 else {
            throw .unusableDirectory(
                path, problem: "can be reached by other users of this machine", remedy: "Run: chmod 700 \(path)")
        }
    }

    /// The databases that were sealed under a master key, for messages: files in this directory, and databases with a
    /// marker file.
    private func databases() -> [String] { Self.databases(in: path) }

    private static func databases(in path: String) -> [String] {
        let entries = entries(of: path)
        let files = entries.filter { $0.hasSuffix(".sqlite") }
        let elsewhere = entries.filter { $0.hasSuffix(".database") }.map { $0.dropLast(".database".count) }
            .filter { !files.contains("\($0).sqlite") }
        return files.sorted() + elsewhere.sorted().map { "the database of \($0)" }
    }

    private static func entries(of path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names
    }
}

/// The private directory of the bus sockets.
struct SocketDirectory: ~Copyable {
    let path: String
    let isTemporary: Bool

    /// `sun_path` of unix(7) has 108 bytes, and the last one is zero.
    private static let maximumPathBytes = 107
    private static let longestName = "/broker.64.sock"

    deinit {
        MeshDescription.remove(from: path)
        guard isTemporary else { return }
        for number in 1...64 { unlink(socket(number)) }
        rmdir(path)
    }

    static func fits(_ path: String) -> Bool { path.utf8.count + longestName.utf8.count <= maximumPathBytes }

    /// A directory under `XDG_RUNTIME_DIR` or `/tmp`, for its owner only. Its name cannot be predicted (mkdtemp(3)).
    static func temporary() throws(LauncherError) -> SocketDirectory {
        let base = Environment.process["XDG_RUNTIME_DIR"].flatMap { fits($0 + "/latchkey-XXXXXX") ? $0 : nil } ?? "/tmp"
        guard let made = mkdtemp(strdup(base + "/latchkey-XXXXXX")) else {
            throw .unusableDirectory(base, problem: "cannot be written: \(lastError())", remedy: "Set XDG_RUNTIME_DIR")
        }
        defer { free(made) }
        return SocketDirectory(path: String(cString: made), isTemporary: true)
    }

    func endpoint(broker number: Int) -> String { "ipc://" + socket(number) }

    private func socket(_ number: Int) -> String { "\(path)/broker.\(number).sock" }
}

/// The system's description of the error of the call that just failed.
func lastError() -> String { String(cString: strerror(errno)) }
