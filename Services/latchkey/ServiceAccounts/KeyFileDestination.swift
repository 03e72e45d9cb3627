import Glibc
import ServiceRuntime
import Vocabulary

/// Where a new key file goes: a new file with mode 0600, or standard output.
///
/// The file is created before the key is registered, so that a registered key is never lost; `discard` removes it if the
/// registration fails.
enum KeyFileDestination: Sendable, Equatable {
    case file(String)
    case standardOutput

    /// - Parameter text: the value of `-o`; `-` is standard output.
    init(_ text: String) {
        self = text == "-" ? .standardOutput : .file(text)
    }

    /// - Throws: `LauncherError` if the file exists or cannot be created, or if standard output is a terminal.
    func check() throws(LauncherError) {
        switch self {
        case .file(let path):
            guard access(path, F_OK) != 0 else { throw Self.existing(path) }
        case .standardOutput:
            guard isatty(STDOUT_FILENO) == 0 else {
                throw .file(
                    "-", problem: "is a terminal, which would show the private key",
                    remedy: "Name a file with -o, or send the output to a pipe")
            }
        }
    }

    /// Writes the key file and waits until it is on the disk.
    func write(_ text: Secret<String>) throws(LauncherError) {
        switch self {
        case .standardOutput: print(text.reveal(), terminator: "")
        case .file(let path):
            let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard file >= 0 else { throw errno == EEXIST ? Self.existing(path) : Self.failure(path) }
            defer { close(file) }
            var rest = Array(text.reveal().utf8)[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { throw Self.failure(path, removing: true) }
                rest = rest.dropFirst(count)
            }
            guard fsync(file) == 0 else { throw Self.failure(path, removing: true) }
        }
    }

    /// Removes the file that `write` created.
    func discard() {
        switch self {
        case .file(let path): unlink(path)
        case .standardOutput: break
        }
    }

    private static func existing(_ path: String) -> LauncherError {
        .file(path, problem: "exists, and a key file is never overwritten", remedy: "Name a new file with -o")
    }

    private static func failure(_ path: String, removing: Bool = false) -> LauncherError {
        let reason = String(cString: strerror(errno))
        if removing { unlink(path) }
        return .file(
            path, problem: "cannot be written: \(reason)", remedy: "Name a file in a directory that you may write to")
    }
}
