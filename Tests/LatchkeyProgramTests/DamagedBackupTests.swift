import Contracts
import Foundation
import JSON
import MasterKey
import SQL
import SQLite
import ServiceRuntime
import Settings
import Storage
import TestSupport
import Testing

@testable import LatchkeyProgram

/// Modified backups: each is refused, and the target stays unchanged.
@Suite struct DamagedBackupTests {
    private let directory: TemporaryDirectory
    private let key = MasterKey.random()
    private let target: StorageSettings

    init() async throws {
        directory = try TemporaryDirectory()
        var reader = SettingsReader(Environment([:]), of: .latchkey)
        target = StorageSettings(.identity, from: &reader, dataDirectory: directory.path)
        reader = SettingsReader(
            Environment(["LATCHKEY_IDENTITY_DATABASE_URL": "sqlite:" + directory.appending("source.sqlite")]),
            of: .latchkey)
        let source = StorageSettings(.identity, from: &reader, dataDirectory: directory.path)
        for (store, name) in [(source, "from the backup"), (target, "as it was")] {
            let database = try await store.open()
            try await database.migrate([
                SQLMigration(1, "things", "CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
            ])
            try await database.write { try $0.execute("INSERT INTO things (name) VALUES ($1)", .text(name)) }
            await database.close()
        }
        _ = try await Backup([source], keys: [key]).make(at: path, dataDirectory: directory.path)
    }

    private var path: String { directory.appending("backup") }

    private func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: path + "/" + name)) }

    private func write(_ bytes: Data, _ name: String) throws { try bytes.write(to: URL(filePath: path + "/" + name)) }

    /// The error of a restore; nil if it succeeded.
    private func refusal(keys: [MasterKey]? = nil) async throws -> BackupError? {
        do {
            _ = try await Restore(
                stores: [target], keys: keys ?? [key], keySource: "master.key", dataDirectory: directory.path
            )
            .run(from: path, replaces: true)
            return nil
        } catch let failure as BackupError {
            let database = try await target.open()
            let name = try await database.read { transaction -> String? in
                try transaction.firstRow("SELECT name FROM things")?.get("name")
            }
            await database.close()
            #expect(name == "as it was")
            #expect(failure.messages.count == 1)
            return failure
        }
    }

    @Test func intactBackupIsRestored() async throws {
        #expect(try await refusal() == nil)
    }

    /// One bit at any position.
    @Test(arguments: ["manifest.json", "manifest.seal", "identity.sqlite"])
    func flippedBitIsDetected(name: String) async throws {
        let whole = try bytes(name)
        for position in stride(from: 0, to: whole.count, by: max(1, whole.count / 40)) {
            var changed = whole
            changed[position] ^= 0x10
            try write(changed, name)
            #expect(try await refusal() != nil, "byte \(position)")
        }
    }

    @Test(arguments: ["manifest.json", "manifest.seal", "identity.sqlite"])
    func truncatedFileIsDetected(name: String) async throws {
        let whole = try bytes(name)
        // The last byte of the MAC file is its line end.
        for length in [0, 1, whole.count / 2, whole.count - 2] {
            try write(whole.prefix(length), name)
            #expect(try await refusal() != nil, "\(length) bytes")
        }
    }

    @Test(arguments: ["manifest.json", "manifest.seal", "identity.sqlite"])
    func missingFileIsDetected(name: String) async throws {
        try FileManager.default.removeItem(atPath: path + "/" + name)
        switch try await refusal() {
        case .notABackup(path, reason: "it has no \(name)"): #expect(name.hasPrefix("manifest"))
        case .damaged(path + "/" + name, reason: "cannot be read"): #expect(name == "identity.sqlite")
        case let other: Issue.record("\(String(describing: other))")
        }
    }

    /// A restore runs the SQL statements of the file, so a valid MAC requires the master key.
    @Test func backupUnderAnotherMasterKeyIsRefused() async throws {
        let own = try bytes("manifest.json")
        try SQLiteArchive.make(directory.appending("evil.sqlite")) { archive in
            try archive.apply([SQLMigration(1, "evil", "CREATE TABLE things (id INTEGER PRIMARY KEY)")])
        }
        try write(Data(contentsOf: URL(filePath: directory.appending("evil.sqlite"))), "identity.sqlite")
        let digest = try #require(FileSystem.digest(of: path + "/identity.sqlite"))
        var manifest = try WireJSON.decode(BackupManifest.self, from: own)
        manifest.services[0].sha256 = digest.sha256
        manifest.services[0].bytes = digest.bytes
        let text = try WireJSON.encodeSorted(manifest)
        try write(text, "manifest.json")
        #expect(try await refusal() == .invalidMAC(path))

        let another = MasterKey.random()
        try write(Data(ManifestMAC(of: Array(text), with: another).text.utf8), "manifest.seal")
        #expect(try await refusal() == .missingMasterKeys([another.id], place: "master.key"))
    }

    @Test func missingMasterKeyIsNamed() async throws {
        #expect(
            try await refusal(keys: [MasterKey.random()]) == .missingMasterKeys([key.id], place: "master.key"))
    }

    /// After a rotation the former key is still in the ring.
    @Test func formerMasterKeyIsAccepted() async throws {
        #expect(try await refusal(keys: [MasterKey.random(), key]) == nil)
    }

    @Test func everyMasterKeyOfBackupIsRequired() async throws {
        try reseal { $0.services[0].masterKeys = ["00c0ffee", key.id] }
        #expect(try await refusal() == .missingMasterKeys(["00c0ffee"], place: "master.key"))
    }

    @Test func laterFormatIsNamed() async throws {
        try reseal {
            $0.format = 2
            $0.program = "9.0.0"
        }
        #expect(try await refusal() == .unsupportedFormat(path, program: "9.0.0"))
    }

    /// Covers invalid manifests with a valid MAC, as a defective program could write them: no file outside the backup
    /// is changed.
    @Test func invalidManifestIsRefused() async throws {
        let sensible = try bytes("manifest.json")
        let changes: [(inout BackupManifest) -> Void] = [
            { $0.services = [] }, { $0.services[0].file = "../source.sqlite" }, { $0.services += $0.services },
            { $0.services[0].schemaVersion = 0 }, { $0.services[0].service = .gateway },
        ]
        for (number, change) in changes.enumerated() {
            try write(sensible, "manifest.json")
            try reseal(change)
            #expect(try await refusal() == .notABackup(path, reason: "its manifest cannot be read"), "\(number)")
        }
        try write(sensible, "manifest.json")
        try reseal { $0.services[0].schemaVersion = 7 }
        guard case .database(.identity, .damaged)? = try await refusal() else {
            Issue.record("a schema version that is not that of the file")
            return
        }
        try write(sensible, "manifest.json")
        try reseal { $0.services[0].rows["things"] = 5 }
        guard case .database(.identity, .damaged)? = try await refusal() else {
            Issue.record("another count of rows than in the file")
            return
        }
    }

    private func reseal(_ change: (inout BackupManifest) -> Void) throws {
        var manifest = try WireJSON.decode(BackupManifest.self, from: try bytes("manifest.json"))
        change(&manifest)
        let text = try WireJSON.encodeSorted(manifest)
        try write(text, "manifest.json")
        try write(Data(ManifestMAC(of: Array(text), with: key).text.utf8), "manifest.seal")
    }

    @Test func directoryWithoutManifestIsNamed() async throws {
        let failure = await #expect(throws: BackupError.self) {
            try await Restore(stores: [target], keys: [key], keySource: "k", dataDirectory: directory.path)
                .run(from: directory.appending("nowhere"), replaces: true)
        }
        #expect(failure == .notABackup(directory.appending("nowhere"), reason: "it has no manifest.json"))
    }
}
