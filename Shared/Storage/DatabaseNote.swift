internal import Contracts
internal import Glibc

/// The note in the data directory that a service's database was made, beside which no empty one is ever taken for it: a
/// file that was removed, a disk that is not mounted, or an address with a slip in it must not look like a first start.
///
/// It stands apart from the database, `DATA/identity.database` for identity, and is written once, when the tables are
/// there. To remove it is to say: begin anew.
struct DatabaseNote: Sendable {
    let path: String

    init(of settings: StorageSettings) {
        path = "\(settings.dataDirectory)/\(settings.service.rawValue).database"
    }

    var exists: Bool { access(path, F_OK) == 0 }

    /// Writes the note unless it is there.
    /// - Throws: `StorageFailure.unwritableNote`.
    func write(_ place: StorageSettings.Place) throws(StorageFailure) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            if errno == EEXIST { return }
            throw .unwritableNote(path, reason: String(cString: strerror(errno)))
        }
        defer { close(file) }
        // For people: the note is the file itself. What is missing after a crash is a sentence.
        let text = Array(
            "The data are in \(place). While this file is here, no empty database takes their place.\n".utf8)
        _ = text.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
        guard fsync(file) == 0 else { throw .unwritableNote(path, reason: String(cString: strerror(errno))) }
    }
}
