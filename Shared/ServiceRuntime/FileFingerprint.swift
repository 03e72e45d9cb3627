package import Glibc

/// Detects whether a path still leads to the same unchanged file.
package struct FileFingerprint: Equatable, Sendable {
    private let numbers: [Int64]

    package init(_ status: stat) {
        numbers = [
            Int64(bitPattern: UInt64(status.st_dev)), Int64(bitPattern: UInt64(status.st_ino)), Int64(status.st_size),
            Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec), Int64(status.st_ctim.tv_sec),
            Int64(status.st_ctim.tv_nsec),
        ]
    }

    /// Nil if no such file can be examined. It reads the attributes of the file only, which are in memory after the
    /// first time.
    package init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }
}
