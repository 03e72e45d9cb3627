internal import Glibc
internal import ServiceRuntime

/// The file that holds the master key. It is made on the very first start of a mesh, and read once by every process
/// that seals.
package enum MasterKeyFile {
    /// Reads `LATCHKEY_MASTER_KEY_FILE`.
    /// - Throws: `MasterKeyFault` when there is no such file, when others may read it, or when it holds no key.
    package static func read(_ path: String) throws(MasterKeyFault) -> MasterKey {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .unreadable(path, reason: String(cString: strerror(errno))) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .unreadable(path, reason: "it is not a file")
        }
        guard status.st_mode & 0o077 == 0 else { throw .readableByOthers(path) }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = Glibc.read(file, &buffer, buffer.count)
        guard count > 0, let key = MasterKey(text: String(decoding: buffer.prefix(count), as: UTF8.self)) else {
            throw .malformed(path)
        }
        return key
    }

    /// Writes a new file with mode 0400: complete or not at all, and never over another.
    /// - Throws: `MasterKeyFault.unwritable`.
    package static func write(_ key: MasterKey, to path: String) throws(MasterKeyFault) {
        let draft = path + ".new"
        unlink(draft)  // What a start that was cut short left behind.
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o400)
        guard file >= 0 else { throw .unwritable(path, reason: String(cString: strerror(errno))) }
        defer {
            close(file)
            unlink(draft)
        }
        let text = Array((key.text + "\n").utf8)
        let isWritten = text.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) == $0.count }
        // `link` instead of `rename`: it refuses to replace a key.
        guard isWritten, fsync(file) == 0, link(draft, path) == 0 else {
            throw .unwritable(path, reason: String(cString: strerror(errno)))
        }
    }
}

/// Why there is no master key. Starting with another one would make everything sealed unreadable for good.
package enum MasterKeyFault: ProgramFailure, Equatable {
    case unreadable(String, reason: String)
    case readableByOthers(String)
    case malformed(String)
    case unwritable(String, reason: String)

    package var exitCode: Int32 { ExitCode.settings }

    package var sentences: [String] {
        switch self {
        case .unreadable(let path, let reason):
            [
                "The master key \(path) cannot be read: \(reason). Restore it from your backup, or let "
                    + "LATCHKEY_MASTER_KEY_FILE name the right file."
            ]
        case .readableByOthers(let path):
            ["The master key \(path) can be read by others. Run `chmod 400 \(path)`."]
        case .malformed(let path):
            ["\(path) holds no master key. Restore it from your backup."]
        case .unwritable(let path, let reason):
            ["The master key \(path) cannot be written: \(reason). Let LATCHKEY_MASTER_KEY_FILE name another place."]
        }
    }
}
