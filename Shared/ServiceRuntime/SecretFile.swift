import Glibc
package import Vocabulary

/// A file with a secret of the operator.
package enum SecretFile {
    /// Which users other than the owner may read the file.
    package enum Readers: Sendable {
        /// No other user: for private keys. A credential of the unit may have the mode of the next case.
        case ownerOnly
        /// The group of the file: systemd gives a service its credentials with an access control list, and the mode
        /// shows its mask as that of the group.
        case ownerAndGroup

        /// - Parameters:
        ///   - path: of the file.
        ///   - credentials: the directory in which systemd puts what a unit loads (`LoadCredential=`).
        /// - Returns: the bits that the mode of the file must not have.
        package func forbiddenMode(
            at path: String, credentials: String? = Environment.process["CREDENTIALS_DIRECTORY"]
        ) -> UInt32 {
            switch self {
            case .ownerOnly: credentials.map { path.hasPrefix($0 + "/") } == true ? 0o007 : 0o077
            case .ownerAndGroup: 0o007
            }
        }
    }

    private static let maximumBytes = 64 << 10

    /// Reads a whole file. It blocks: call it at the start of a process.
    /// - Parameter setting: the variable that names it, for the messages.
    /// - Throws: `SecretFileError` if there is no such file, or other users can read it (security rule SE3).
    package static func read(
        _ path: String, setting: String, readers: Readers = .ownerOnly
    ) throws(SecretFileError) -> Secret<String> {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .unreadable(path, setting: setting, reason: lastError()) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .unreadable(path, setting: setting, reason: "it is not a file")
        }
        guard status.st_mode & readers.forbiddenMode(at: path) == 0 else { throw .readableByOthers(path) }
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
        guard let text = String(validating: buffer.prefix(count), as: UTF8.self) else {
            throw .unreadable(path, setting: setting, reason: "it is not UTF-8")
        }
        return Secret(text)
    }

    private static func lastError() -> String { String(cString: strerror(errno)) }
}

/// Why a secret file cannot be used.
package enum SecretFileError: ExitError, Equatable {
    case unreadable(String, setting: String, reason: String)
    case readableByOthers(String)
    /// An empty secret is never valid.
    case empty(String, setting: String)

    package var exitCode: Int32 { ExitCode.settings }

    package var messages: [String] {
        switch self {
        case .unreadable(let path, let setting, let reason):
            ["\(path) cannot be read: \(reason). Let \(setting) name the right file."]
        case .readableByOthers(let path): ["\(path) can be read by others. Run `chmod 400 \(path)`."]
        case .empty(let path, let setting):
            ["\(path) is empty. Write the secret into it, or let \(setting) name the right file."]
        }
    }
}
