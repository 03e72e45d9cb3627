package import Crypto
internal import Glibc

/// The file that holds the master key. It is read once, at start.
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
}

/// Why there is no master key. Starting with another one would make everything sealed unreadable for good.
package enum MasterKeyFault: ProgramFailure, Equatable {
    case unreadable(String, reason: String)
    case readableByOthers(String)
    case malformed(String)

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
        }
    }
}
