import Glibc
import SQLite

/// Held during a restore. Concurrent restores would overwrite each other.
final class RestoreLock: Sendable {
    private let descriptor: Int32

    /// Creates the data directory if it is missing, as on a new machine.
    /// - Throws: `BackupError.unwritable`, `anotherRestore`.
    init(_ dataDirectory: String) throws(BackupError) {
        if mkdir(dataDirectory, 0o700) != 0 && errno != EEXIST { throw FileSystem.failure(dataDirectory) }
        descriptor = open(dataDirectory + "/restore.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileSystem.failure(dataDirectory) }
        FolderOwner.give(descriptor, at: dataDirectory + "/restore.lock")
        // `deinit` closes the file, also after this error.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .anotherRestore(dataDirectory) }
    }

    deinit { close(descriptor) }
}
