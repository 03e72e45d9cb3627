import Blocking
import Glibc
import Synchronization
import UserFiles
import Vocabulary

/// A file of users that is read from its beginning, in bounded pieces. A sealed one is opened.
final class TransferSource: Sendable {
    private static let pieceBytes = 128 << 10

    private let descriptor: Int32
    private let path: String
    private let pool = BlockingPool(label: "users file", threads: 1, maximumWaiting: 1)
    /// Nil for a pipe.
    let byteCount: Int?
    private let sealed = Mutex<SealedFileReader?>(nil)

    /// - Parameter path: `-` for standard input.
    init(_ path: String) throws(UserTransferError) {
        self.path = path
        descriptor = path == "-" ? STDIN_FILENO : Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(path, reason: String(cString: strerror(errno))) }
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT != S_IFDIR else {
            if descriptor != STDIN_FILENO { close(descriptor) }
            throw .unreadable(path, reason: "it is a directory")
        }
        byteCount = information.st_mode & S_IFMT == S_IFREG ? Int(information.st_size) : nil
    }

    deinit {
        pool.shutDown()
        if descriptor != STDIN_FILENO { close(descriptor) }
    }

    /// Opens the file with a passphrase as it is read.
    func open(with passphrase: Secret<String>) {
        sealed.withLock { $0 = SealedFileReader(passphrase: passphrase) }
    }

    /// - Returns: the next bytes; none at the end.
    func next() async throws -> [UInt8] {
        while true {
            let bytes = try await read()
            let text = try await pool.run { [self] in try opened(bytes) }
            if !text.isEmpty || bytes.isEmpty { return text }
        }
    }

    private func opened(_ bytes: [UInt8]) throws -> [UInt8] {
        do {
            return try sealed.withLock { reader in
                guard reader != nil else { return bytes }
                return try (bytes.isEmpty ? reader?.finish() : reader?.open(bytes)) ?? []
            }
        } catch let error as SealedFileError {
            throw UserTransferError.sealed(path, error)
        }
    }

    private func read() async throws -> [UInt8] {
        try await pool.run { [descriptor, path] in
            var failure: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: Self.pieceBytes) { buffer, count in
                var result: Int
                repeat {
                    result = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                } while result < 0 && errno == EINTR
                failure = result < 0 ? errno : 0
                count = max(0, result)
            }
            guard failure == 0 else {
                throw UserTransferError.unreadable(path, reason: String(cString: strerror(failure)))
            }
            return bytes
        }
    }

    /// The first bytes of a file, without reading on from there.
    func beginning(_ count: Int) throws(UserTransferError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let result = pread(descriptor, &bytes, count, 0)
        guard result >= 0 else { throw .unreadable(path, reason: String(cString: strerror(errno))) }
        return Array(bytes.prefix(result))
    }
}

/// A file of users that is written with mode 0600, and has its name only when it is complete.
final class TransferDestination: Sendable {
    private let descriptor: Int32
    private let path: String
    private let temporaryPath: String?
    private let replaces: Bool
    private let sealed: Mutex<SealedFileWriter?>
    private let pool = BlockingPool(label: "users file", threads: 1, maximumWaiting: 1)

    /// - Parameters:
    ///   - path: `-` for standard output.
    ///   - replaces: whether the file may exist.
    ///   - seal: seals what is written.
    /// - Throws: `exists` if the file exists and must not.
    init(
        _ path: String, replaces: Bool = false, sealedBy seal: SealedFileWriter? = nil
    ) throws(UserTransferError) {
        self.path = path
        self.replaces = replaces
        sealed = Mutex(seal)
        guard path != "-" else {
            (descriptor, temporaryPath) = (STDOUT_FILENO, nil)
            return
        }
        guard replaces || access(path, F_OK) != 0 else { throw .exists(path) }
        let temporaryPath = path + ".partial"
        unlink(temporaryPath)
        descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        self.temporaryPath = temporaryPath
        guard descriptor >= 0 else { throw .unwritable(temporaryPath, reason: String(cString: strerror(errno))) }
    }

    deinit {
        pool.shutDown()
        if let temporaryPath {
            unlink(temporaryPath)
            close(descriptor)
        }
    }

    func write(_ text: String) async throws {
        try await write(try sealed.withLock { try $0?.seal(text.utf8) } ?? Array(text.utf8))
    }

    private func write(_ bytes: [UInt8]) async throws {
        try await pool.run { [descriptor, path] in
            var bytes = bytes[...]
            while !bytes.isEmpty {
                let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                guard written >= 0 || errno == EINTR else {
                    throw UserTransferError.unwritable(path, reason: String(cString: strerror(errno)))
                }
                bytes = bytes.dropFirst(max(0, written))
            }
        }
    }

    /// Gives the complete file its name.
    func finish() async throws {
        if let end = try sealed.withLock({ try $0?.finish() }) { try await write(end) }
        guard let temporaryPath else { return }
        try await pool.run { [descriptor, path, replaces] in
            // `link` does not replace a file that was created meanwhile.
            let name = replaces ? rename : link
            guard fsync(descriptor) == 0, name(temporaryPath, path) == 0 else {
                throw UserTransferError.unwritable(path, reason: String(cString: strerror(errno)))
            }
        }
    }
}
