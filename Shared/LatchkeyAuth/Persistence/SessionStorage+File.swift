import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#endif

extension SessionStorage {
    /// The largest file that is read, in bytes.
    static let maximumBytes = 1 << 20

    /// A file with mode 0600. A file that others can read or have written is refused: its tokens may be known, or
    /// those of another account.
    static func file(_ url: URL) -> SessionStorage {
        SessionStorage(load: { try load(url.path) }, save: { try save($0, to: url.path) })
    }

    private static func load(_ path: String) throws -> Data? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw CocoaError(.fileReadNoPermission)
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 == 0,
            status.st_uid == geteuid()
        else { throw CocoaError(.fileReadNoPermission) }
        // One byte more than allowed shows that the file is too large.
        let data = try file.read(upToCount: maximumBytes + 1) ?? Data()
        guard data.count <= maximumBytes else { throw CocoaError(.fileReadTooLarge) }
        return data
    }

    private static func save(_ data: Data?, to path: String) throws {
        guard let data else {
            guard FileManager.default.fileExists(atPath: path) else { return }
            return try FileManager.default.removeItem(atPath: path)
        }
        // A new file in the same folder replaces the old one in one step, and is private from its first byte.
        let temporary = "\(path).\(UUID().uuidString)"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteNoPermission) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: data)
            try file.synchronize()
            try file.close()
            guard rename(temporary, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        } catch {
            unlink(temporary)
            throw error
        }
    }
}
