import Contracts
import Vocabulary

/// The description of a backup, in `manifest.json`.
struct BackupManifest: Codable, Equatable, Sendable {
    /// One database of the backup.
    struct Entry: Codable, Equatable, Sendable {
        var service: ServiceName
        /// Plain name of the file beside the manifest.
        var file: String
        /// Size of the file.
        var bytes: Int
        /// Hash of the file, hexadecimal.
        var sha256: String
        /// The engine that the rows came from. They can be restored to any engine.
        var engine: String
        /// The number of its last migration. The file contains the text of each migration.
        var schemaVersion: Int
        /// The number of rows of each table.
        var rows: [String: Int]
        /// Ids of the master keys of the sealed columns in it.
        var masterKeys: [String]
    }

    /// Increased when an older program cannot read the format of a newer one.
    var format: Int
    /// The version of the program that created it.
    var program: String
    /// RFC 3339, UTC: shortly before the first snapshot.
    var madeAt: String
    var services: [Entry]

    static let currentFormat = 1
    static let fileName = "manifest.json"
    /// Contains the MAC of the manifest: `<id of a master key>:<HMAC-SHA256, base64url>`.
    static let sealFileName = "manifest.seal"

    /// Larger than any valid manifest: a service takes a few hundred bytes.
    static let maximumBytes = 1 << 20

    /// Whether it describes a backup that this program can read. Names are validated, because they become paths.
    var isSensible: Bool {
        !services.isEmpty && Set(services.map(\.service)).count == services.count
            && services.allSatisfy { entry in
                entry.file == "\(entry.service.rawValue).sqlite" && entry.schemaVersion > 0 && entry.bytes > 0
            }
    }

    var masterKeys: [String] { Set(services.flatMap(\.masterKeys)).sorted() }
}
