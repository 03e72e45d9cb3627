internal import Contracts
internal import Vocabulary

/// What a backup says about itself, in `manifest.json`.
struct BackupManifest: Codable, Equatable, Sendable {
    /// One database of the backup.
    struct Entry: Codable, Equatable, Sendable {
        var service: ServiceName
        /// Beside the manifest; a plain name.
        var file: String
        /// Of the file.
        var bytes: Int
        /// Of the file, hexadecimal.
        var sha256: String
        /// The engine the rows came from. They can go to any.
        var engine: String
        /// The number of its last migration. The file has the text of each.
        var schemaVersion: Int
        /// How many rows each table has.
        var rows: [String: Int]
        /// Ids of the master keys that something in it is sealed.
        var masterKeys: [String]
    }

    /// Grows when an older program could not read what a newer one writes.
    var format: Int
    /// The version of the program that made it.
    var program: String
    /// RFC 3339, UTC: shortly before the first snapshot.
    var madeAt: String
    var services: [Entry]

    static let currentFormat = 1
    static let fileName = "manifest.json"
    /// Holds who vouches for the manifest: `<id of a master key>:<HMAC-SHA256, base64url>`.
    static let sealFileName = "manifest.seal"

    /// More than any manifest of ours: a service is a few hundred bytes.
    static let maximumBytes = 1 << 20

    /// Whether it describes a backup this program can read. Foreign until proved: names become paths.
    var isSensible: Bool {
        !services.isEmpty && Set(services.map(\.service)).count == services.count
            && services.allSatisfy { entry in
                entry.file == "\(entry.service.rawValue).sqlite" && entry.schemaVersion > 0 && entry.bytes > 0
            }
    }

    var masterKeys: [String] { Set(services.flatMap(\.masterKeys)).sorted() }
}
