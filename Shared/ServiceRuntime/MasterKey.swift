internal import Glibc
package import Vocabulary

/// The key that every sealed secret of the mesh hangs on, as its file holds it:
/// ```
/// # The master key of Latchkey. ...
/// id 5f0c2a91
/// key 64 hexadecimal digits
/// ```
/// Who has the file and a database can read every secret; who lost it can read none. It is kept apart from the
/// databases and their backups (security reference SE1, SE4).
package struct MasterKey: Sendable {
    package static let byteCount = 32

    /// Written beside whatever is sealed, so that a later key can be told from this one: lower-case hexadecimal.
    package let keyID: String
    package let key: Secret<[UInt8]>

    /// - Parameters:
    ///   - keyID: bytes to name the key by.
    ///   - key: `byteCount` unpredictable bytes.
    package init(keyID: [UInt8], key: [UInt8]) {
        precondition(key.count == Self.byteCount && !keyID.isEmpty)
        self.keyID = Self.hexadecimal(keyID)
        self.key = Secret(key)
    }

    /// Reads a file that its owner alone can read.
    package init(file path: String) throws(MasterKeyFault) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw MasterKeyFault(path, "cannot be read: \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw MasterKeyFault(path, "is not a file")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw MasterKeyFault(path, "can be read by other users of this machine", remedy: "Run: chmod 400 \(path)")
        }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0, let parsed = Self.parse(String(decoding: bytes.prefix(count), as: UTF8.self)) else {
            throw MasterKeyFault(path, "does not hold a master key")
        }
        self = parsed
    }

    /// Writes a new file with mode 0400; complete or not at all, and never over another.
    package func write(to path: String) throws(MasterKeyFault) {
        let draft = path + ".new"
        unlink(draft)  // What a start that was cut short left behind.
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o400)
        guard descriptor >= 0 else { throw Self.cannotWrite(path) }
        defer {
            close(descriptor)
            unlink(draft)
        }
        let text = """
            # The master key of Latchkey. Keep a copy apart from the databases: nothing sealed can be read without it.
            id \(keyID)
            key \(Self.hexadecimal(key.reveal()))

            """
        let isWritten = Array(text.utf8).withUnsafeBytes {
            Glibc.write(descriptor, $0.baseAddress, $0.count) == $0.count
        }
        // `link` instead of `rename`: it refuses to replace a key.
        guard isWritten, fsync(descriptor) == 0, link(draft, path) == 0 else { throw Self.cannotWrite(path) }
    }

    private init(keyID: String, key: [UInt8]) {
        self.keyID = keyID
        self.key = Secret(key)
    }

    private static func parse(_ text: String) -> MasterKey? {
        var values: [Substring: Substring] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ")
            guard words.count == 2, values.updateValue(words[1], forKey: words[0]) == nil else { return nil }
        }
        guard values.count == 2, let id = values["id"], let digits = values["key"], (1...64).contains(id.utf8.count),
            bytes(hexadecimal: id) != nil, let key = bytes(hexadecimal: digits), key.count == byteCount
        else { return nil }
        return MasterKey(keyID: String(id), key: key)
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func bytes(hexadecimal text: Substring) -> [UInt8]? {
        let nibbles = text.map { $0.isUppercase ? nil : $0.hexDigitValue }
        guard nibbles.count.isMultiple(of: 2), !nibbles.contains(nil) else { return nil }
        let values = nibbles.compactMap { $0.map(UInt8.init) }
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    private static func cannotWrite(_ path: String) -> MasterKeyFault {
        MasterKeyFault(path, "cannot be written: \(String(cString: strerror(errno)))")
    }
}

/// What is wrong with a master key file.
package struct MasterKeyFault: ProgramFailure, Equatable {
    package let path: String
    package let problem: String
    package let remedy: String

    init(_ path: String, _ problem: String, remedy: String = "See LATCHKEY_MASTER_KEY_FILE") {
        self.path = path
        self.problem = problem
        self.remedy = remedy
    }

    package var exitCode: Int32 { ExitCode.settings }
    package var sentences: [String] { ["The master key file \(path) \(problem). \(remedy)."] }
}
