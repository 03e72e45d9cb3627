import Glibc
import ServiceRuntime
import Vocabulary

/// A file that holds a secret of the operator.
enum SecretFile {
    private static let maximumBytes = 64 << 10

    /// Reads a whole file. It blocks: for the start of a process.
    /// - Parameter setting: the variable that names it, for the sentences.
    /// - Throws: `SecretFileFault` when there is no such file, or when others may read it (security reference SE3).
    static func read(_ path: String, setting: String) throws(SecretFileFault) -> Secret<String> {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .unreadable(path, setting: setting, reason: lastError()) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .unreadable(path, setting: setting, reason: "it is not a file")
        }
        guard status.st_mode & 0o077 == 0 else { throw .readableByOthers(path) }
        var buffer = [UInt8](repeating: 0, count: maximumBytes + 1)
        var count = 0
        while count < buffer.count {
            let read = buffer.withUnsafeMutableBytes {
                Glibc.read(file, UnsafeMutableRawBufferPointer(rebasing: $0[count...]).baseAddress, $0.count - count)
            }
            guard read >= 0 else { throw .unreadable(path, setting: setting, reason: lastError()) }
            if read == 0 { break }
            count += read
        }
        guard count <= maximumBytes else { throw .unreadable(path, setting: setting, reason: "it is too large") }
        return Secret(String(decoding: buffer.prefix(count), as: UTF8.self))
    }

    private static func lastError() -> String { String(cString: strerror(errno)) }
}

/// Why a secret cannot be had.
enum SecretFileFault: ProgramFailure, Equatable {
    case unreadable(String, setting: String, reason: String)
    case readableByOthers(String)

    var exitCode: Int32 { ExitCode.settings }

    var sentences: [String] {
        switch self {
        case .unreadable(let path, let setting, let reason):
            ["\(path) cannot be read: \(reason). Let \(setting) name the right file."]
        case .readableByOthers(let path): ["\(path) can be read by others. Run `chmod 400 \(path)`."]
        }
    }
}
