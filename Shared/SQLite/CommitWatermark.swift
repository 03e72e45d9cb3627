import Glibc
import SQL

/// The number of the last acknowledged commit, in a file beside the database: `identity.sqlite-watermark`.
///
/// SQLite ends recovery at the first damaged frame of its journal and opens the database without the rest. Only a
/// number outside the database can show that commits are missing. The number is written after each commit, before any
/// caller gets its result, so it survives a killed process. It reaches the disk a little later (`synchronize`). After a
/// power failure it may be lower than the number in the database, which is not an error.
final class CommitWatermark {
    /// The content of the file: the id of the database and the number of its commits.
    struct Mark: Equatable {
        /// A random id, generated when the counter of the database was created.
        var database: Int64
        var commits: Int64
    }

    static func path(of database: String) -> String { database + "-watermark" }

    private let descriptor: CInt
    private let database: Int64

    /// Opens the file, and creates it if it is missing. It gets the mode 0600 and the owner of the database file,
    /// because an operator's command may run as another user than the service.
    /// - Parameter mark: written at once, unless `isWritten`: another process may have written a higher number
    ///   meanwhile.
    /// - Throws: `SQLError.cannotOpen`, `full`.
    init(path: String, besides databasePath: String, mark: Mark, isWritten: Bool) throws(SQLError) {
        database = mark.database
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.error(errno, path) }
        var owner = stat()
        if stat(databasePath, &owner) == 0 {
            // Only root can and must do this; for other users the owner is already correct.
            _ = fchown(descriptor, owner.st_uid, owner.st_gid)
        }
        // `deinit` closes the file, also after this error.
        guard isWritten || write(mark.commits) else { throw Self.error(errno, path) }
    }

    deinit { close(descriptor) }

    private static func error(_ number: CInt, _ path: String) -> SQLError {
        number == ENOSPC || number == EDQUOT
            ? .full : .cannotOpen(path: path, message: String(cString: strerror(number)))
    }

    /// Records that commit `number` is durable. If the write fails, the lower number stays. The next start then detects
    /// less, but rejects no valid database.
    func advance(to number: Int64) {
        _ = write(number)
    }

    /// Waits until the number is on the disk.
    func synchronize() {
        // A failing disk is detected at the next commit of the database.
        _ = fdatasync(descriptor)
    }

    private func write(_ number: Int64) -> Bool {
        let bytes = Mark(database: database, commits: number).bytes
        return bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) == $0.count }
    }

    /// - Returns: nil if there is no such file, or if nothing was written to it: of one that is not on the disk yet, a power
    ///   failure leaves the name, or zeros.
    /// - Throws: `SQLError.cannotOpen` if it is not a watermark.
    static func read(_ path: String) throws(SQLError) -> Mark? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw error(errno, path)
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Mark.byteCount + 1)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        guard count >= 0 else { throw error(errno, path) }
        if bytes.prefix(min(count, Mark.byteCount)).allSatisfy({ $0 == 0 }) { return nil }
        // A note may follow.
        let isEnd = count == Mark.byteCount || bytes.last == Note.head.first
        guard count >= Mark.byteCount, isEnd, let mark = Mark(bytes: bytes[..<Mark.byteCount]) else {
            throw .cannotOpen(path: path, message: "it is not the watermark of a database")
        }
        return mark
    }

    // MARK: The note

    /// Behind the mark: `latchkey note 1`, a space, and the bytes up to the end of the file.
    private enum Note {
        static let head = Array("latchkey note 1 ".utf8)
        static let maximumBytes = 1024
    }

    /// Writes the note of a watermark. A watermark that is missing gets none.
    /// - Throws: `SQLError.cannotOpen`, `full`.
    static func keep(_ note: [UInt8], in path: String) throws(SQLError) {
        precondition(note.count <= Note.maximumBytes, "a note is short")
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return }
            throw error(errno, path)
        }
        defer { close(descriptor) }
        let line = Note.head + note
        let written = line.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(Mark.byteCount)) }
        guard written == line.count, ftruncate(descriptor, off_t(Mark.byteCount + line.count)) == 0 else {
            throw error(errno, path)
        }
    }

    /// - Returns: nil without a watermark or a note. What is no note reads as an empty one.
    /// - Throws: `SQLError.cannotOpen`
    static func note(in path: String) throws(SQLError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw error(errno, path)
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Note.head.count + Note.maximumBytes + 1)
        let count = bytes.withUnsafeMutableBytes {
            pread(descriptor, $0.baseAddress, $0.count, off_t(Mark.byteCount))
        }
        guard count > 0 else { return nil }
        let line = bytes[..<count]
        return line.starts(with: Note.head) ? Array(line.dropFirst(Note.head.count)) : []
    }

    /// For a new database: an older watermark belongs to another one.
    static func remove(_ path: String) {
        unlink(path)
    }
}

extension CommitWatermark.Mark {
    private static let head = Array("latchkey watermark 1 ".utf8)
    private static let digits = 16
    static let byteCount = head.count + digits + 1 + digits + 1

    /// One line of constant length, so that a write leaves no part of an older one: `latchkey watermark 1`, the
    /// database and the commits as 16 hexadecimal digits each.
    var bytes: [UInt8] { Self.head + Self.hex(database) + [0x20] + Self.hex(commits) + [0x0a] }

    init?(bytes: ArraySlice<UInt8>) {
        guard bytes.count == Self.byteCount, bytes.starts(with: Self.head) else { return nil }
        let numbers = bytes.dropFirst(Self.head.count)
        guard let database = Self.number(numbers.prefix(Self.digits)),
            numbers.dropFirst(Self.digits).first == 0x20,
            let commits = Self.number(numbers.dropFirst(Self.digits + 1).prefix(Self.digits)), bytes.last == 0x0a,
            commits >= 0
        else { return nil }
        self.init(database: database, commits: commits)
    }

    private static func hex(_ number: Int64) -> [UInt8] {
        let text = String(UInt64(bitPattern: number), radix: 16)
        return [UInt8](repeating: 0x30, count: digits - text.utf8.count) + text.utf8
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64? {
        UInt64(String(decoding: bytes, as: UTF8.self), radix: 16).map(Int64.init(bitPattern:))
    }
}
