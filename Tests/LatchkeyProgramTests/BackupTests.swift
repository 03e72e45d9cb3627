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
import Vocabulary

@testable import LatchkeyProgram

/// `latchkey backup` and `latchkey restore` on databases of two services, without a mesh.
@Suite struct BackupTests {
    private let directory: TemporaryDirectory
    private let key = MasterKey.random()

    init() throws {
        directory = try TemporaryDirectory()
        for name in ["old", "new"] {
            try FileManager.default.createDirectory(
                atPath: directory.appending(name), withIntermediateDirectories: false)
        }
    }

    private static let first = SQLMigration(
        1, "things", "CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    private static let second = SQLMigration(
        2, "colours", "ALTER TABLE things ADD COLUMN colour TEXT; UPDATE things SET colour = 'of ' || name")

    private func store(_ service: ServiceName, in folder: String) -> StorageSettings {
        var reader = SettingsReader(Environment([:]), of: .latchkey)
        return StorageSettings(service, from: &reader, dataDirectory: directory.appending(folder))
    }

    private func stores(in folder: String) -> [StorageSettings] {
        [store(.identity, in: folder), store(.notifier, in: folder)]
    }

    /// Creates the database of a service with some rows.
    private func createDatabase(
        _ names: [String], _ service: ServiceName = .identity, in folder: String,
        _ migrations: [SQLMigration] = [first]
    ) async throws {
        let database = try await store(service, in: folder).open()
        try await database.migrate(migrations)
        try await database.write { transaction in
            for name in names { try transaction.execute("INSERT INTO things (name) VALUES ($1)", .text(name)) }
        }
        await database.close()
    }

    private func kept(_ service: ServiceName = .identity, in folder: String) async throws -> [String] {
        let database = try await store(service, in: folder).open()
        let names = try await database.read { transaction -> [String] in
            try transaction.rows("SELECT name FROM things ORDER BY id").map { try $0.get("name") }
        }
        await database.close()
        return names
    }

    private var path: String { directory.appending("backup") }

    @discardableResult
    private func backUp() async throws -> BackupManifest {
        try await Backup(stores(in: "old"), keys: [key], now: { Moment(milliseconds: 0) })
            .make(at: path, dataDirectory: directory.appending("old"))
    }

    @discardableResult
    private func restore(replaces: Bool = false, keys: [MasterKey]? = nil) async throws -> [Restore.Outcome] {
        try await Restore(
            stores: stores(in: "new"), keys: keys ?? [key], keySource: "master.key",
            dataDirectory: directory.appending("new")
        ).run(from: path, replaces: replaces)
    }

    private func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.appending(folder)).sorted()
    }

    // MARK: Backup

    @Test func manifestDescribesBackup() async throws {
        try await createDatabase(["a", "b"], in: "old")
        try await createDatabase(["c"], .notifier, in: "old", [Self.first, Self.second])
        let manifest = try await backUp()
        #expect(manifest.format == 1)
        #expect(manifest.program == Program.version)
        #expect(manifest.madeAt == "1970-01-01T00:00:00.000Z")
        #expect(manifest.services.map(\.service) == [.identity, .notifier])
        #expect(manifest.services.map(\.schemaVersion) == [1, 2])
        #expect(manifest.services.map(\.rows) == [["things": 2], ["things": 1]])
        #expect(manifest.services.map(\.engine) == ["sqlite", "sqlite"])
        #expect(try names(in: "backup") == ["identity.sqlite", "manifest.json", "manifest.seal", "notifier.sqlite"])
        #expect(try names(in: ".") == ["backup", "new", "old"])
    }

    @Test func manifestNamesMasterKeysOfBackup() async throws {
        let sealing = SQLMigration(1, "secrets", "CREATE TABLE secrets (id INTEGER PRIMARY KEY, sealed_secret BLOB)")
        for (service, secret) in [(ServiceName.identity, SQLValue.blob([1, 2])), (.notifier, .null)] {
            let database = try await store(service, in: "old").open()
            try await database.migrate([sealing])
            try await database.write { try $0.execute("INSERT INTO secrets (sealed_secret) VALUES ($1)", secret) }
            await database.close()
        }
        #expect(try await backUp().services.map(\.masterKeys) == [[key.id], []])
    }

    /// SE4: whoever has the backup alone opens no sealed column of it.
    @Test func backupContainsNoMasterKey() async throws {
        try await createDatabase(["a"], in: "old")
        try MasterKeyFile.write(MasterKeyRing(key), to: directory.appending("old/master.key"))
        try await backUp()
        let secret = try #require(key.text.split(separator: ":").last)
        #expect(try names(in: "backup").contains("identity.sqlite"))
        for name in try names(in: "backup") {
            let file = try Data(contentsOf: URL(filePath: "\(path)/\(name)"))
            #expect(file.range(of: Data(secret.utf8)) == nil, "\(name)")
            #expect(file.range(of: Data(try #require([UInt8](hex: String(secret))))) == nil, "\(name)")
        }
    }

    @Test func backupIsPrivateToItsOwner() async throws {
        try await createDatabase(["a"], in: "old")
        try await backUp()
        for name in ["", "/identity.sqlite", "/manifest.json", "/manifest.seal"] {
            let mode = try FileManager.default.attributesOfItem(atPath: path + name)[.posixPermissions] as? Int
            #expect(mode == (name.isEmpty ? 0o700 : 0o600), "\(name)")
        }
    }

    @Test func serviceWithoutDataIsNotInBackup() async throws {
        try await createDatabase(["a"], in: "old")
        #expect(try await backUp().services.map(\.service) == [.identity])
        #expect(try names(in: "old").contains("notifier.sqlite") == false)
    }

    @Test func emptyDataDirectoryIsRefused() async throws {
        await #expect(throws: BackupError.nothingToBackUp(dataDirectory: directory.appending("old"))) {
            try await backUp()
        }
        #expect(try names(in: ".") == ["new", "old"])
    }

    @Test func existingBackupIsNeverOverwritten() async throws {
        try await createDatabase(["a"], in: "old")
        try await backUp()
        let files = try names(in: "backup")
        await #expect(throws: BackupError.destinationExists(path)) { try await backUp() }
        #expect(try names(in: "backup") == files)
    }

    @Test func emptyDirectoryIsAcceptedAndFileIsRefused() async throws {
        try await createDatabase(["a"], in: "old")
        try Data().write(to: URL(filePath: path))
        await #expect(throws: BackupError.destinationExists(path)) { try await backUp() }
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try await backUp()
        try await restore()
    }

    @Test func unfinishedBackupDoesNotPreventAnotherOne() async throws {
        try await createDatabase(["a"], in: "old")
        try FileManager.default.createDirectory(atPath: path + ".unfinished", withIntermediateDirectories: false)
        try Data([1]).write(to: URL(filePath: path + ".unfinished/identity.sqlite"))
        try await backUp()
        #expect(try names(in: ".") == ["backup", "new", "old"])
        try await restore()
    }

    @Test func missingParentFoldersAreCreated() async throws {
        try await createDatabase(["a"], in: "old")
        let place = directory.appending("these/are/missing")
        _ = try await Backup(stores(in: "old"), keys: [key]).make(at: place, dataDirectory: "old")
        #expect(try names(in: "these/are/missing").contains("manifest.json"))
        let mode = try FileManager.default.attributesOfItem(atPath: directory.appending("these/are"))[.posixPermissions]
        #expect(mode as? Int == 0o700)
    }

    @Test func foldersOfFailedBackupAreRemoved() async throws {
        await #expect(throws: BackupError.self) {
            try await Backup(stores(in: "old"), keys: [key])
                .make(at: directory.appending("these/are/missing"), dataDirectory: "old")
        }
        #expect(try names(in: ".") == ["new", "old"])
    }

    @Test func unwritablePathIsNamed() async throws {
        try await createDatabase(["a"], in: "old")
        let place = directory.appending("old/identity.sqlite/backup")
        let failure = await #expect(throws: BackupError.self) {
            try await Backup(stores(in: "old"), keys: [key]).make(at: place, dataDirectory: "old")
        }
        #expect(failure?.messages.first?.hasPrefix("\(place).unfinished cannot be written: ") == true)
    }

    /// A marker file states that more databases exist than the settings name.
    @Test func missingDatabaseOfMarkerFileIsRefused() async throws {
        try await createDatabase(["a"], in: "old")
        try Data(
            "The data are in postgres://db/x. While this file is here, no empty database takes their place.\n".utf8
        ).write(to: URL(filePath: directory.appending("old/notifier.database")))
        await #expect(throws: UnvisitedDatabases.self) { try await backUp() }
        #expect(try names(in: ".") == ["new", "old"])
    }

    /// Root restores, and the service runs as the owner of its folder.
    @Test(.enabled(if: geteuid() == 0)) func restoredFilesBelongToOwnerOfFolder() async throws {
        try await createDatabase(["a"], in: "old")
        try await backUp()
        let folder = directory.appending("new")
        #expect(chown(folder, 12_345, 12_346) == 0)
        try await restore()
        let files = try names(in: "new")
        #expect(Set(files).isSuperset(of: ["identity.sqlite", "restore.lock"]))
        for file in files {
            var status = stat()
            #expect(stat(folder + "/" + file, &status) == 0)
            #expect(status.st_uid == 12_345 && status.st_gid == 12_346, "\(file)")
        }
    }

    @Test func damagedDatabaseIsNamedAndLeavesNoBackup() async throws {
        try Data("no database at all, but long enough to look at".utf8)
            .write(to: URL(filePath: directory.appending("old/identity.sqlite")))
        await #expect(throws: BackupError.self) { try await backUp() }
        #expect(try names(in: ".") == ["new", "old"])
    }

    // MARK: Restore

    @Test func restoreIntoEmptyDirectoryCopiesEveryService() async throws {
        try await createDatabase(["a", "b"], in: "old")
        try await createDatabase(["c"], .notifier, in: "old")
        try await backUp()
        let outcomes = try await restore()
        #expect(outcomes.map(\.service) == [.identity, .notifier])
        #expect(outcomes.map(\.rows) == [2, 1])
        #expect(try await kept(in: "new") == ["a", "b"])
        #expect(try await kept(.notifier, in: "new") == ["c"])
        #expect(try names(in: "new").filter { $0.hasPrefix("restore-") } == [])
    }

    @Test func missingDataDirectoryIsCreated() async throws {
        try await createDatabase(["a"], in: "old")
        try await backUp()
        try FileManager.default.removeItem(atPath: directory.appending("new"))
        try await restore()
        #expect(try await kept(in: "new") == ["a"])
        let mode = try FileManager.default.attributesOfItem(atPath: directory.appending("new"))[.posixPermissions]
        #expect(mode as? Int == 0o700)
    }

    @Test func existingDataIsReplacedOnlyOnRequest() async throws {
        try await createDatabase(["a"], in: "old")
        try await createDatabase(["mine"], .notifier, in: "old")
        try await createDatabase(["b", "c"], in: "new")
        try await backUp()
        await #expect(throws: BackupError.holdsData([.identity])) { try await restore() }
        #expect(try await kept(in: "new") == ["b", "c"])
        try await restore(replaces: true)
        #expect(try await kept(in: "new") == ["a"])
        // A second restore has the same result.
        try await restore(replaces: true)
        #expect(try await kept(in: "new") == ["a"])
    }

    @Test func serviceOutsideBackupIsUnchanged() async throws {
        try await createDatabase(["a"], in: "old")
        try await createDatabase(["mail"], .notifier, in: "new")
        try await backUp()
        try await restore()
        #expect(try await kept(.notifier, in: "new") == ["mail"])
    }

    @Test func everyRestoreChangesEpoch() async throws {
        try await createDatabase(["a"], in: "old")
        try await createDatabase([], in: "new")
        try await backUp()
        var epochs: Set<Int64?> = []
        for _ in 0..<3 {
            let database = try await store(.identity, in: "new").open()
            epochs.insert(try await database.read { try $0.epoch() })
            await database.close()
            try await restore(replaces: true)
        }
        #expect(epochs.count == 3)
        #expect(!epochs.contains(nil))
    }

    // MARK: Schemas

    @Test func olderBackupIsMigratedToPresentSchema() async throws {
        try await createDatabase(["a"], in: "old")
        try await createDatabase(["b"], in: "new", [Self.first, Self.second])
        try await backUp()
        let outcomes = try await restore(replaces: true)
        #expect(outcomes.map(\.backupSchema) == [1])
        #expect(outcomes.map(\.schema) == [2])
        let database = try await store(.identity, in: "new").open()
        let colours = try await database.read { transaction -> [String] in
            try transaction.rows("SELECT colour FROM things").map { try $0.get("colour") }
        }
        #expect(colours == ["of a"])
        // The program that made the backup finds nothing to migrate.
        try await database.migrate([Self.first, Self.second])
        await database.close()
        #expect(try names(in: "new").filter { $0.hasPrefix("restore-") } == [])
    }

    @Test func newerBackupIsRefused() async throws {
        try await createDatabase(["a"], in: "old", [Self.first, Self.second])
        try await createDatabase(["b"], in: "new")
        try await backUp()
        await #expect(throws: BackupError.schemaNewer(.identity, backup: 2, known: 1)) {
            try await restore(replaces: true)
        }
        #expect(try await kept(in: "new") == ["b"])
    }

    @Test func backupWithOtherMigrationsIsRefused() async throws {
        try await createDatabase(["a"], in: "old")
        try await createDatabase(["b"], in: "new", [SQLMigration(1, "things", Self.first.sql + "\n")])
        try await backUp()
        await #expect(throws: BackupError.migrationMismatch(.identity, version: 1)) {
            try await restore(replaces: true)
        }
        #expect(try await kept(in: "new") == ["b"])
    }

    /// All checks precede the first change: no service is restored if one cannot be.
    @Test func oneIncompatibleServiceStopsRestore() async throws {
        try await createDatabase(["a"], in: "old")
        try await createDatabase(["c"], .notifier, in: "old", [Self.first, Self.second])
        try await createDatabase(["b"], in: "new")
        try await createDatabase(["d"], .notifier, in: "new")
        try await backUp()
        await #expect(throws: BackupError.self) { try await restore(replaces: true) }
        #expect(try await kept(in: "new") == ["b"])
        #expect(try await kept(.notifier, in: "new") == ["d"])
    }

    @Test func concurrentRestoreIsRefused() async throws {
        try await createDatabase(["a"], in: "old")
        try await backUp()
        let lock = try RestoreLock(directory.appending("new"))
        await #expect(throws: BackupError.anotherRestore(directory.appending("new"))) { try await restore() }
        withExtendedLifetime(lock) {}
    }
}
