internal import Glibc

/// The file that holds the master keys. It is made on the very first start of a mesh, and changed by a rotation only.
package enum MasterKeyFile {
    /// A ring takes less than a third of it.
    private static let maximumBytes = 4096

    /// Reads `LATCHKEY_MASTER_KEY_FILE`. It blocks.
    /// - Throws: `MasterKeyError` when there is no such file, when others may read it, or when it holds no ring.
    package static func read(_ path: String) throws(MasterKeyError) -> MasterKeyRing {
        try readStamped(path).ring
    }

    /// The same, with the mark of the very file that was read.
    static func readStamped(_ path: String) throws(MasterKeyError) -> (ring: MasterKeyRing, stamp: FileFingerprint) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .unreadable(path, reason: lastError()) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .unreadable(path, reason: "it is not a file")
        }
        guard status.st_mode & 0o077 == 0 else { throw .readableByOthers(path) }
        var buffer = [UInt8](repeating: 0, count: maximumBytes + 1)
        let count = Glibc.read(file, &buffer, buffer.count)
        guard count >= 0 else { throw .unreadable(path, reason: lastError()) }
        guard count <= maximumBytes else { throw .malformed(path, .tooMany) }
        do throws(MasterKeyRingError) {
            let ring = try MasterKeyRing(text: String(decoding: buffer.prefix(count), as: UTF8.self))
            return (ring, FileFingerprint(status))
        } catch {
            throw .malformed(path, error)
        }
    }

    /// Writes a new file with mode 0400: complete or not at all, and never over another.
    /// - Throws: `MasterKeyError.writeFailed`.
    package static func write(_ ring: MasterKeyRing, to path: String) throws(MasterKeyError) {
        guard let draft = draft(ring, of: path, owner: nil) else { throw .writeFailed(path, reason: lastError()) }
        defer { unlink(draft) }
        // `link` instead of `rename`: it refuses to replace a key.
        guard link(draft, path) == 0, syncFolder(of: path) else { throw .writeFailed(path, reason: lastError()) }
    }

    /// Puts a ring in the place of another, whose owner it keeps. Whatever interrupts it, the file holds the one or the
    /// other, whole and on the disk.
    /// - Throws: `MasterKeyError.replaceFailed`, `unreadable`.
    package static func replace(_ path: String, with ring: MasterKeyRing) throws(MasterKeyError) {
        // A link goes on to lead where it does.
        guard let resolved = realpath(path, nil) else { throw .unreadable(path, reason: lastError()) }
        defer { free(resolved) }
        let target = String(cString: resolved)
        var former = stat()
        guard stat(target, &former) == 0 else { throw .unreadable(path, reason: lastError()) }
        guard let draft = draft(ring, of: target, owner: (former.st_uid, former.st_gid)),
            rename(draft, target) == 0, syncFolder(of: target)
        else { throw .replaceFailed(path, reason: lastError()) }
    }

    // MARK: Former keys

    /// Where a key is kept that has left a file.
    package static func formerPath(of id: String, beside path: String) -> String { "\(path).former-\(id)" }

    /// Writes a key that is about to leave a file into one of its own beside it, mode 0400, of the same owner. A key
    /// that is kept there already stays.
    /// - Throws: `MasterKeyError.writeFailed`; `malformed` and others when something else stands there.
    package static func keepFormer(_ key: MasterKey, beside path: String) throws(MasterKeyError) {
        let target = formerPath(of: key.id, beside: path)
        var status = stat()
        guard stat(path, &status) == 0 else { throw .unreadable(path, reason: lastError()) }
        guard let draft = draft(MasterKeyRing(key), of: target, owner: (status.st_uid, status.st_gid)) else {
            throw .writeFailed(target, reason: lastError())
        }
        defer { unlink(draft) }
        if link(draft, target) != 0 {
            guard errno == EEXIST else { throw .writeFailed(target, reason: lastError()) }
            guard try read(target).text == MasterKeyRing(key).text else {
                throw .writeFailed(target, reason: "another key is kept there")
            }
        }
        guard syncFolder(of: target) else { throw .writeFailed(target, reason: lastError()) }
    }

    /// The ids of the keys that are kept beside a file.
    package static func formerIDs(beside path: String) -> [String] {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { String(path[...$0]) } ?? "."
        let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var ids: [String] = []
        while let entry = readdir(directory) {
            let file = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            let id = file.dropFirst("\(name).former-".count)
            let isID =
                id.utf8.count == 2 * MasterKey.idCount && id.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
            if file == formerPath(of: String(id), beside: name), isID { ids.append(String(id)) }
        }
        return ids.sorted()
    }

    /// Removes a key that is kept beside a file, for good.
    /// - Throws: `MasterKeyError.writeFailed`.
    package static func deleteFormer(_ id: String, beside path: String) throws(MasterKeyError) {
        let target = formerPath(of: id, beside: path)
        guard unlink(target) == 0, syncFolder(of: target) else { throw .writeFailed(target, reason: lastError()) }
    }

    /// Writes a ring to a file beside `path`, down to the disk.
    /// - Returns: its path; nil when it could not be written, and `errno` says why.
    private static func draft(_ ring: MasterKeyRing, of path: String, owner: (user: uid_t, group: gid_t)?) -> String? {
        let draft = path + ".new"
        unlink(draft)  // What was cut short left it behind.
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o400)
        guard file >= 0 else { return nil }
        let text = Array(ring.text.utf8)
        let isWritten = text.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) == $0.count }
        let isOwned = owner.map { fchown(file, $0.user, $0.group) == 0 } ?? true
        guard isWritten, isOwned, fsync(file) == 0 else {
            let reason = errno
            close(file)
            errno = reason
            return nil
        }
        close(file)
        return draft
    }

    /// Only then a name in it outlives the loss of power.
    private static func syncFolder(of path: String) -> Bool {
        let slash = path.lastIndex(of: "/")
        let folder = open(slash.map { String(path[...$0]) } ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return false }
        defer { close(folder) }
        return fsync(folder) == 0
    }

    private static func lastError() -> String { String(cString: strerror(errno)) }
}

/// Tells whether a path still leads to the same unchanged file.
struct FileFingerprint: Equatable, Sendable {
    private let numbers: [Int64]

    init(_ status: stat) {
        numbers = [
            Int64(bitPattern: UInt64(status.st_dev)), Int64(bitPattern: UInt64(status.st_ino)), Int64(status.st_size),
            Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec), Int64(status.st_ctim.tv_sec),
            Int64(status.st_ctim.tv_nsec),
        ]
    }

    /// Nil when there is no file that could be looked at.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }
}
