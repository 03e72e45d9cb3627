import Crypto
import FoundationEssentials
import Glibc
import JSON
import MasterKey
import SQL
import SQLite
import ServiceRuntime
import Vocabulary

/// A backup directory under a temporary name. It gets its final name only when everything is on the disk, so an
/// incomplete backup never looks complete. Blocks: use it on a thread that may wait.
struct BackupWriter: Sendable {
    private let path: String
    private let destination: String
    /// Parent directories that did not exist before, the innermost first.
    private let parents: [String]

    /// Creates the directory and missing parent directories, for their owner only.
    /// - Throws: `BackupError.destinationExists`, `unwritable`, `full`.
    init(for destination: String) throws(BackupError) {
        // An empty directory is accepted: the operator may have created it for this backup.
        guard FileSystem.names(in: destination)?.isEmpty ?? !FileSystem.exists(destination) else {
            throw .destinationExists(destination)
        }
        self.destination = destination
        path = Self.path(for: destination)
        // Removes the rest of an interrupted backup. Two concurrent backups into one directory are not supported.
        FileSystem.removeDirectory(path)
        parents = try FileSystem.makeFolders(above: path)
        guard mkdir(path, 0o700) == 0 else { throw FileSystem.failure(path) }
    }

    private static func path(for destination: String) -> String { destination + ".unfinished" }

    /// Removes an unfinished backup.
    static func discard(for destination: String) { FileSystem.removeDirectory(path(for: destination)) }

    func discard() {
        FileSystem.removeDirectory(path)
        for parent in parents { rmdir(parent) }
    }

    /// The path of a file inside the directory.
    func file(_ name: String) -> String { path + "/" + name }

    /// Writes and authenticates the manifest, and gives the directory its final name.
    func finish(_ manifest: BackupManifest, sealedWith key: MasterKey) throws {
        let text = [UInt8](try WireJSON.encodeSorted(manifest))
        let seal = ManifestMAC(of: text, with: key)
        try FileSystem.write(text, to: file(BackupManifest.fileName))
        try FileSystem.write(Array(seal.text.utf8), to: file(BackupManifest.sealFileName))
        try FileSystem.synchronize(path)
        guard rename(path, destination) == 0 else { throw FileSystem.failure(destination) }
        for folder in [destination] + parents { try FileSystem.synchronize(FileSystem.parent(of: folder)) }
    }
}

/// An existing backup. Blocks: use it on a thread that may wait.
struct BackupReader: Sendable {
    let path: String
    let manifest: BackupManifest

    /// Reads the manifest and verifies its MAC.
    /// - Throws: `BackupError.notABackup`, `unsupportedFormat`, `missingMasterKeys`, `invalidMAC`.
    init(_ path: String, keys: [MasterKey], place: String) throws(BackupError) {
        self.path = path
        let text = try Self.read(BackupManifest.fileName, in: path)
        let seal = ManifestMAC(
            text: String(decoding: try Self.read(BackupManifest.sealFileName, in: path), as: UTF8.self))
        guard let seal else { throw .invalidMAC(path) }
        guard let key = keys.first(where: { $0.id == seal.keyID }) else {
            throw .missingMasterKeys([seal.keyID], place: place)
        }
        guard seal.isValid(for: text, with: key) else { throw .invalidMAC(path) }
        // The text is authentic from here on. A later format may have other members, so the version is decoded first.
        let data = Data(text)
        guard let version = try? WireJSON.decode(Version.self, from: data) else {
            throw .notABackup(path, reason: "its manifest cannot be read")
        }
        guard version.format == BackupManifest.currentFormat else {
            throw .unsupportedFormat(path, program: LogEscaping.escaped(version.program, maximumBytes: 40))
        }
        guard let manifest = try? WireJSON.decode(BackupManifest.self, from: data), manifest.isSensible else {
            throw .notABackup(path, reason: "its manifest cannot be read")
        }
        let missing = manifest.masterKeys.filter { id in !keys.contains { $0.id == id } }
        guard missing.isEmpty else { throw .missingMasterKeys(missing, place: place) }
        self.manifest = manifest
    }

    private struct Version: Decodable {
        var format: Int
        var program: String
    }

    func file(_ entry: BackupManifest.Entry) -> String { path + "/" + entry.file }

    /// Reads every file completely, and checks that each is an intact database.
    /// - Throws: `BackupError.damaged`.
    func verify(_ progress: CopyProgress? = nil) throws(BackupError) {
        defer { progress?.finish() }
        for entry in manifest.services {
            let file = file(entry)
            progress?.begin(entry.service, total: entry.rows.values.reduce(0, +))
            progress?.enter("verifying the file")
            guard let found = FileSystem.digest(of: file) else { throw .damaged(file, reason: "cannot be read") }
            guard found.bytes == entry.bytes, found.sha256 == entry.sha256 else {
                throw .damaged(file, reason: "is not the file the manifest describes")
            }
            do {
                try SQLiteArchive.check(file)
            } catch {
                throw .damaged(file, reason: "cannot be used: \(error)")
            }
        }
    }

    private static func read(_ name: String, in path: String) throws(BackupError) -> [UInt8] {
        guard let bytes = FileSystem.read(path + "/" + name, atMost: BackupManifest.maximumBytes) else {
            throw .notABackup(path, reason: "it has no \(name)")
        }
        return bytes
    }
}

/// The MAC of a manifest, which only the holder of a master key can compute. The manifest contains the hash of every
/// file, so a changed backup is rejected: restoring runs SQL statements that it contains.
struct ManifestMAC: Equatable, Sendable {
    let keyID: String
    private let code: [UInt8]

    init(of manifest: [UInt8], with key: MasterKey) {
        keyID = key.id
        code = HMAC.sha256(key: key.key(for: "backup manifest"), message: manifest)
    }

    /// - Returns: nil unless the text has the form of `text`.
    init?(text: String) {
        let parts = text.split(whereSeparator: \.isWhitespace).first?.split(separator: ":") ?? []
        guard parts.count == 2, parts[0].utf8.count == 8, parts[0].utf8.allSatisfy("0123456789abcdef".utf8.contains),
            let code = Base64URL.decode(String(parts[1])), code.count == 32
        else { return nil }
        keyID = String(parts[0])
        self.code = code
    }

    var text: String { "\(keyID):\(Base64URL.encode(code))\n" }

    func isValid(for manifest: [UInt8], with key: MasterKey) -> Bool {
        constantTimeEquals(code, HMAC.sha256(key: key.key(for: "backup manifest"), message: manifest))
    }
}
