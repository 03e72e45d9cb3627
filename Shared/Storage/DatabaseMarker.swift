package import Contracts
internal import Glibc

/// The note in the data directory that a service's database was made, beside which no empty one is ever taken for it: a
/// file that was removed, a disk that is not mounted, or an address with a slip in it must not look like a first start.
///
/// It stands apart from the database, `DATA/identity.database` for identity, and is written when the tables are there.
/// It names the place that the service used last, so that an operator's command that was not told of it can refuse to
/// work. To remove it is to say: begin anew.
struct DatabaseMarker: Sendable {
    let path: String

    /// Around the place.
    private static let opening = "The data are in "
    private static let closing = ". While this file is here, no empty database takes their place.\n"
    private static let maximumBytes = 16_384

    init(of settings: StorageSettings) {
        path = "\(settings.dataDirectory)/\(settings.service.rawValue).database"
    }

    var exists: Bool { access(path, F_OK) == 0 }

    /// The place that the note names; nil when there is no note, or one that a crash left without its sentence.
    var place: String? {
        guard let text = text(), text.hasPrefix(Self.opening), text.hasSuffix(Self.closing) else { return nil }
        let place = text.dropFirst(Self.opening.count).dropLast(Self.closing.count)
        return place.isEmpty ? nil : String(place)
    }

    /// Writes the note unless it says the same already.
    /// - Throws: `StorageError.markerWriteFailed`.
    func write(_ place: StorageSettings.Location) throws(StorageError) {
        let sentence = "\(Self.opening)\(place)\(Self.closing)"
        guard text() != sentence else { return }
        // Several processes of the service may write it at once: each writes a draft of its own.
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

    /// - Returns: nil when it cannot be read, or is longer than any note.
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

/// A database that must be there by a note in the data directory, and is not what the settings name.
package struct UnvisitedDatabase: Equatable, Sendable {
    package let service: ServiceName
    /// Path of the note.
    let note: String
    let notedPlace: String?
    let place: StorageSettings.Location
    let setting: String

    /// For the operator: what contradicts what, and the remedy.
    package var sentence: String {
        let contradiction =
            if let notedPlace {
                "\(note) says that the data of \(service.rawValue) are in \(notedPlace), and \(setting) names \(place)."
            } else {
                "\(note) says that \(service.rawValue) has data, and there are none in \(place), which \(setting) names."
            }
        return contradiction
            + " Run this with the settings of the services, for example with those of the unit's environment file: "
            + "`set -a; . /etc/latchkey/latchkey.env`. If the note is out of date, start the service once."
    }
}

extension StorageSettings {
    /// Compares these settings with the note in the data directory.
    /// - Parameter isFound: whether the place of these settings holds the service's tables.
    /// - Returns: nil when what is there is what the service used last, as far as anything was noted.
    package func unvisitedDatabase(isFound: Bool) -> UnvisitedDatabase? {
        let note = DatabaseMarker(of: self)
        guard note.exists else { return nil }
        let noted = note.place
        if isFound, noted.map({ location.isThatOf(note: $0) }) ?? true { return nil }
        return UnvisitedDatabase(
            service: service, note: note.path, notedPlace: noted, place: location, setting: settingName)
    }
}

extension StorageSettings.Location {
    /// Whether it is the place that a note names. A file that is no longer there was moved with its folder.
    fileprivate func isThatOf(note text: String) -> Bool {
        if description == text { return true }
        guard case .sqlite(let path) = self, !text.hasPrefix("postgres:") else {
            return !text.hasPrefix("postgres:") && access(text, F_OK) != 0
        }
        var mine = stat()
        var noted = stat()
        guard stat(text, &noted) == 0 else { return true }
        return stat(path, &mine) == 0 && mine.st_dev == noted.st_dev && mine.st_ino == noted.st_ino
    }
}
