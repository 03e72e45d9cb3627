package import Contracts
import Glibc

/// The marker file in the data directory that records that a service's database was created. While it exists, an empty
/// database is refused: a deleted file, an unmounted disk or a wrong address must not look like a first start.
///
/// It is separate from the database, `DATA/identity.database` for identity, and is written once the tables exist. It
/// contains the location that the service used last, so that an operator's command with other settings can refuse to
/// work. To start anew, the operator removes it.
struct DatabaseMarker: Sendable {
    let path: String

    /// The text around the location.
    private static let opening = "The data are in "
    private static let closing = ". While this file is here, no empty database takes their place.\n"
    private static let maximumBytes = 16_384

    init(of settings: StorageSettings) {
        path = "\(settings.dataDirectory)/\(settings.service.rawValue).database"
    }

    var exists: Bool { access(path, F_OK) == 0 }

    /// The location in the marker file; nil if there is no file, or a crash left it incomplete.
    var location: String? {
        guard let text = text(), text.hasPrefix(Self.opening), text.hasSuffix(Self.closing) else { return nil }
        let location = text.dropFirst(Self.opening.count).dropLast(Self.closing.count)
        return location.isEmpty ? nil : String(location)
    }

    /// Writes the marker file unless it has this content already.
    /// - Throws: `StorageError.markerWriteFailed`.
    func write(_ location: StorageSettings.Location) throws(StorageError) {
        let sentence = "\(Self.opening)\(location)\(Self.closing)"
        guard text() != sentence else { return }
        // Several processes of the service may write it at once: each writes its own temporary file.
        let draft = "\(path).\(getpid())"
        unlink(draft)
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw unwritable() }
        let bytes = Array(sentence.utf8)
        let isWritten =
            bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) } == bytes.count && fsync(file) == 0
        guard isWritten, rename(draft, path) == 0 else {
            let failure = unwritable()
            close(file)
            unlink(draft)
            throw failure
        }
        close(file)
    }

    private func unwritable() -> StorageError { .markerWriteFailed(path, reason: String(cString: strerror(errno))) }

    /// - Returns: nil if it cannot be read, or is longer than any marker file.
    private func text() -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: Self.maximumBytes + 1)
        let count = Glibc.read(file, &buffer, buffer.count)
        guard count > 0, count <= Self.maximumBytes else { return nil }
        return String(decoding: buffer.prefix(count), as: UTF8.self)
    }
}

// MARK: - For the operator's commands

/// A database that must exist according to a marker file in the data directory, and is not the one in the settings.
package struct UnvisitedDatabase: Equatable, Sendable {
    package let service: ServiceName
    /// Path of the marker file.
    let note: String
    let markerLocation: String?
    let location: StorageSettings.Location
    let setting: String

    /// For the operator: the contradiction and the remedy.
    package var sentence: String {
        let contradiction =
            if let markerLocation {
                "\(note) says that the data of \(service.rawValue) are in \(markerLocation), and \(setting) names \(location)."
            } else {
                "\(note) says that \(service.rawValue) has data, and there are none in \(location), which \(setting) names."
            }
        return contradiction
            + " Run this with the settings of the services, for example with those of the unit: --env-file "
            + "/etc/latchkey/latchkey.env. If the note is out of date, start the service once."
    }
}

extension StorageSettings {
    /// Compares these settings with the marker file in the data directory.
    /// - Parameter isFound: whether the location of these settings contains the service's tables.
    /// - Returns: nil if the location is the one that the service used last, or none is recorded.
    package func unvisitedDatabase(isFound: Bool) -> UnvisitedDatabase? {
        let note = DatabaseMarker(of: self)
        guard note.exists else { return nil }
        let markerLocation = note.location
        if isFound, markerLocation.map({ location.isThatOf(note: $0) }) ?? true { return nil }
        return UnvisitedDatabase(
            service: service, note: note.path, markerLocation: markerLocation, location: location, setting: settingName)
    }
}

extension StorageSettings.Location {
    /// Whether it is the location in a marker file. A file that no longer exists was moved with its directory.
    fileprivate func isThatOf(note text: String) -> Bool {
        if description == text { return true }
        guard case .sqlite(let path) = self, !text.hasPrefix("postgres:") else {
            return !text.hasPrefix("postgres:") && access(text, F_OK) != 0
        }
        var mine = stat()
        var found = stat()
        guard stat(text, &found) == 0 else { return true }
        return stat(path, &mine) == 0 && mine.st_dev == found.st_dev && mine.st_ino == found.st_ino
    }
}
