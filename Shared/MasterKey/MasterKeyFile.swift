import Glibc
import ServiceRuntime

/// The file of the master keys. It is created at the very first start of a mesh, and only a rotation changes it.
package enum MasterKeyFile {
    /// A ring needs less than a third of it.
    private static let maximumBytes = 4096

    /// Reads `LATCHKEY_MASTER_KEY_FILE`. It blocks.
    /// - Throws: `MasterKeyError` if the file does not exist, other users can read it, or it contains no valid ring.
    package static func read(_ path: String) throws(MasterKeyError) -> MasterKeyRing {
        try readStamped(path).ring
    }

    /// The same, with the fingerprint of the file that was read.
    static func readStamped(_ path: String) throws(MasterKeyError) -> (ring: MasterKeyRing, stamp: FileFingerprint) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .unreadable(path, reason: lastError()) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .unreadable(path, reason: "it is not a file")
        }
        guard status.st_mode & SecretFile.Readers.ownerOnly.forbiddenMode(at: path) == 0 else {
            throw .readableByOthers(path)
        }
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

    /// Writes a new file with mode 0400, completely or not at all, and never replaces a file.
    /// - Throws: `MasterKeyError.writeFailed`.
    package static func write(_ ring: MasterKeyRing, to path: String) throws(MasterKeyError) {
        guard let draft = draft(ring, of: path, owner: nil) else { throw .writeFailed(path, reason: lastError()) }
        defer { unlink(draft) }
        // `link` instead of `rename`, because it never replaces an existing key.
        guard link(draft, path) == 0, syncFolder(of: path) else { throw .writeFailed(path, reason: lastError()) }
    }

    /// Replaces a ring and keeps the owner of the file. After an interruption at any time, the file contains the old or
    /// the new ring completely, on the disk.
    /// - Throws: `MasterKeyError.replaceFailed`, `unreadable`.
    package static func replace(_ path: String, with ring: MasterKeyRing) throws(MasterKeyError) {
        // A symbolic link keeps its target.
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

    /// The path of a former key beside the file.
    package static func formerPath(of id: String, beside path: String) -> String { "\(path).former-\(id)" }

    /// Writes a key that will be removed from a file into a separate file beside it, with mode 0400 and the same owner.
    /// An existing file of that key stays.
    /// - Throws: `MasterKeyError.writeFailed`; `malformed` and others if the existing file has other content.
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

    /// The ids of the former keys beside a file.
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

    /// Deletes a former key beside a file permanently.
    /// - Throws: `MasterKeyError.writeFailed`.
    package static func deleteFormer(_ id: String, beside path: String) throws(MasterKeyError) {
        let target = formerPath(of: id, beside: path)
        guard unlink(target) == 0, syncFolder(of: target) else { throw .writeFailed(target, reason: lastError()) }
    }

    /// Writes a ring to a file beside `path`, and synchronizes it to the disk.
    /// - Returns: its path; nil if it could not be written, with the reason in `errno`.
    private static func draft(_ ring: MasterKeyRing, of path: String, owner: (user: uid_t, group: gid_t)?) -> String? {
        let draft = path + ".new"
        unlink(draft)  // An interrupted attempt may have left it.
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

    /// Without it, a new name in the directory may be lost in a power failure.
    private static func syncFolder(of path: String) -> Bool {
        let slash = path.lastIndex(of: "/")
        let folder = open(slash.map { String(path[...$0]) } ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return false }
        defer { close(folder) }
        return fsync(folder) == 0
    }

    private static func lastError() -> String { String(cString: strerror(errno)) }
}
