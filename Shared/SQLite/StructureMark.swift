import Glibc

/// Says that the structure of a file was checked when it was made, in `PATH-checked` beside it. So the first process that
/// opens the file need not read all of it, which takes seconds for each gigabyte.
enum StructureMark {
    private static func path(of database: String) -> String { database + "-checked" }

    /// The file and its state; any later change of the file differs in a time.
    private static func text(of database: String) -> [UInt8]? {
        var status = stat()
        guard stat(database, &status) == 0 else { return nil }
        let numbers = [
            Int64(bitPattern: UInt64(status.st_dev)), Int64(bitPattern: UInt64(status.st_ino)), Int64(status.st_size),
            Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec),
        ]
        return Array(numbers.map(String.init).joined(separator: " ").utf8)
    }

    /// Marks a file that has just got its name.
    static func leave(at database: String) {
        let mark = path(of: database)
        unlink(mark)
        guard let text = text(of: database) else { return }
        let descriptor = open(mark, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return }
        FolderOwner.give(descriptor, at: mark)
        // Without a complete mark the file is checked.
        _ = text.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
    }

    /// Whether the file is the marked one, unchanged. The mark counts once. Before the file is opened, which changes it.
    static func take(from database: String) -> Bool {
        let mark = path(of: database)
        let descriptor = open(mark, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        defer {
            close(descriptor)
            unlink(mark)
        }
        guard let text = text(of: database) else { return false }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = read(descriptor, &buffer, buffer.count)
        return count == text.count && buffer.starts(with: text)
    }
}
