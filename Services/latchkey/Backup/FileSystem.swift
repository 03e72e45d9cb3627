import Crypto
import Glibc
import Vocabulary

/// The file system calls of a backup. They block.
enum FileSystem {
    /// The error of the system call that just failed for this path.
    static func failure(_ path: String) -> BackupError {
        errno == ENOSPC || errno == EDQUOT ? .full(path) : .unwritable(path, reason: lastError())
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The names in a directory; nil if it is not a directory.
    static func names(in folder: String) -> [String]? {
        guard let directory = opendir(folder) else { return nil }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes a file if it exists.
    static func remove(_ path: String) { unlink(path) }

    /// Removes a directory of files. Results are ignored: remaining files do no harm.
    static func removeDirectory(_ path: String) {
        for name in names(in: path) ?? [] { unlink(path + "/" + name) }
        rmdir(path)
    }

    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        var parent = path[..<slash]
        while parent.hasSuffix("/") { parent = parent.dropLast() }
        return parent.isEmpty ? "/" : String(parent)
    }

    /// Creates the missing parent directories of a path, with mode 0700.
    /// - Returns: the created directories, the innermost first.
    static func makeFolders(above path: String) throws(BackupError) -> [String] {
        var missing: [String] = []
        var folder = parent(of: path)
        while !exists(folder), folder != "/", folder != "." {
            missing.append(folder)
            folder = parent(of: folder)
        }
        for (made, folder) in missing.reversed().enumerated() where mkdir(folder, 0o700) != 0 {
            let failure = failure(folder)
            for folder in missing.suffix(made) { rmdir(folder) }
            throw failure
        }
        return missing
    }

    /// Writes a new file with mode 0600 and synchronizes it to the disk.
    static func write(_ bytes: [UInt8], to path: String) throws(BackupError) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure(path) }
        defer { close(file) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw failure(path) }
            rest = rest.dropFirst(count)
        }
        guard fsync(file) == 0 else { throw failure(path) }
    }

    /// Returns when the names in a directory are on the disk.
    static func synchronize(_ folder: String) throws(BackupError) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(folder) }
    }

    /// - Returns: nil if it cannot be read, or is longer.
    static func read(_ path: String, atMost limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        let isRead = readChunks(of: path) { piece in
            bytes += piece
            return bytes.count <= limit
        }
        return isRead ? bytes : nil
    }

    /// - Returns: nil if it cannot be read.
    static func digest(of path: String) -> (bytes: Int, sha256: String)? {
        var stream = SHA256Stream()
        var count = 0
        let isRead = readChunks(of: path) { piece in
            stream.update(piece)
            count += piece.count
            return true
        }
        let digest = stream.finish()
        return isRead ? (count, digest.hexadecimal) : nil
    }

    /// - Parameter body: returns whether to continue.
    /// - Returns: whether the file was read to its end.
    private static func readChunks(of path: String, _ body: (ArraySlice<UInt8>) -> Bool) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(file, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return count == 0 }
            guard body(buffer[..<count]) else { return false }
        }
    }
}
