import CommandLineArguments
import Contracts
import Foundation
import MasterKey
import SQL
import SQLite
import ServiceRuntime
import Storage
import Synchronization
import TestSupport
import Testing

@testable import LatchkeyProgram

/// A rotation that starts at every point where an earlier one may have been killed.
struct KeyRotationTests {
    let folder: TemporaryFolder
    let lines = Lines()
    let old = MasterKey.random()
    let new = MasterKey.random()

    final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        func append(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock(\.self) }
    }

    init() throws {
        folder = try TemporaryFolder()
        try MasterKeyFile.write(MasterKeyRing(old), to: folder.path + "/master.key")
    }

    /// No process runs that could reply.
    let window = Duration.milliseconds(1)
    /// Beside a process, which replies however slow the machine is.
    let pollWindow = Duration.milliseconds(50)
    let silence = Duration.seconds(600)
    var keyFile: String { folder.path + "/master.key" }

    func makeRecords(_ count: Int, under ring: MasterKeyRing) async throws {
        let database = try SQLiteDatabase(.file(folder.path + "/notifier.sqlite"))
        let column = SealedColumn("sealed_text", of: "notes", key: ["number"])
        let keys = SealingKeys(try ReloadingMasterKeyRing(.variable(ring)), of: .notifier)
        try await database.migrate([
            SQLMigration(
                1, "notes",
                SealedRecords.tables + SealedRecords.inquiryTables + SealedRecords.announcementTable
                    + "CREATE TABLE notes (number INTEGER PRIMARY KEY, sealed_text BLOB NOT NULL)")
        ])
        try await SealedRecords(database, keys: keys, columns: [column]).declare()
        try await database.write { transaction in
            for _ in 0..<count {
                let last = try transaction.firstRow("SELECT number FROM notes ORDER BY number DESC LIMIT 1")
                let number: Int64 = try last?.get("number") ?? 0
                let record = try keys.seal([1], binding: column.binding(.integer(number + 1)))
                try transaction.execute(
                    "INSERT INTO notes (number, sealed_text) VALUES ($1, $2)", .integer(number + 1), .blob(record))
            }
        }
        await database.close()
    }

    /// The stores as the command finds them.
    func stores() throws -> [StorageSettings] {
        try DatabaseSettings(Environment(["LATCHKEY_DATA": folder.path])).stores
    }

    func rotate(_ options: KeyRotation.Options = .init()) async throws {
        let keys = try ReloadingMasterKeyRing(.file(keyFile))
        let databases = try await SealedDatabases(in: try stores(), keys: keys)
        try await KeyRotation(
            keys: keys, databases: databases.found, options: options, window: window, printLine: lines.append
        ).run()
        await databases.close()
    }

    /// Expects the final state: one key other than the old one, and all records under it.
    func expectEnd(_ count: Int, former: Int = 0) async throws {
        let ring = try MasterKeyFile.read(keyFile)
        #expect(ring.former.count == former)
        #expect(ring.current.id != old.id)
        let databases = try await SealedDatabases(in: try stores(), keys: try ReloadingMasterKeyRing(.file(keyFile)))
        #expect(
            try await KeyInventory.recordCounts(of: databases.found).map(\.records) == [
                .init(found: [ring.current.id: count])
            ])
        await databases.close()
    }

    @Test func rotationResealsRecordsAndRemovesOldKey() async throws {
        try await makeRecords(250, under: MasterKeyRing(old))
        try await rotate()
        try await expectEnd(250)
        let id = try MasterKeyFile.read(keyFile).current.id
        #expect(
            lines.all == [
                "Created the master key \(id). \(keyFile) lists it after \(old.id).",
                "Every process holds \(id) and seals under it. \(keyFile) lists it before \(old.id).",
                "notifier: 250 records, 250 of them resealed.",
                "Every record is sealed under \(id).",
                "notifier: 250 records in \(folder.path)/notifier.sqlite.",
                "Removed \(old.id) from \(keyFile). Back up the key again, and keep \(old.id) with "
                    + "the database backups made before.",
                "\(old.id) is kept in \(keyFile).former-\(old.id). `latchkey keys delete-former \(old.id)` deletes it.",
            ])
    }

    // MARK: Former keys

    private func formerKey(_ id: String) -> String { "\(keyFile).former-\(id)" }

    private func deleteFormer(_ id: String) async throws {
        let keys = try ReloadingMasterKeyRing(.file(keyFile))
        let databases = try await SealedDatabases(in: try stores(), keys: keys)
        try await FormerKey(id: id, keys: keys, databases: databases.found, window: window).delete(
            printLine: lines.append)
        await databases.close()
    }

    @Test func removedKeyIsKeptUntilDeleted() async throws {
        try await makeRecords(2, under: MasterKeyRing(old))
        try await rotate()
        #expect(try MasterKeyFile.read(formerKey(old.id)).text == MasterKeyRing(old).text)
        let mode = try FileManager.default.attributesOfItem(atPath: formerKey(old.id))[.posixPermissions] as? Int
        #expect(mode == 0o400)
        let ring = try MasterKeyFile.read(keyFile)
        let kept = MasterKeyFile.formerIDs(beside: keyFile)
        #expect(kept == [old.id])
        let row = try #require(KeyInventory.rows(of: ring, former: kept, []).last)
        #expect(row == .init(key: old.id, use: .kept, records: [:]) && row.recordsText == "0")

        await #expect(throws: KeysCommandError.keyInRing(ring.current.id, place: keyFile)) {
            try MasterKeyFile.keepFormer(ring.current, beside: keyFile)
            try await deleteFormer(ring.current.id)
        }
        await #expect(throws: KeysCommandError.noFormerKey("00000000", path: formerKey("00000000"))) {
            try await deleteFormer("00000000")
        }
        try await deleteFormer(old.id)
        #expect(!FileManager.default.fileExists(atPath: formerKey(old.id)))
    }

    @Test func formerKeyWithRecordsIsNotDeleted() async throws {
        try await makeRecords(2, under: MasterKeyRing(old))
        try await rotate()
        // A restored backup, or a process with the old key.
        try await makeRecords(1, under: MasterKeyRing(old))
        await #expect(throws: KeysCommandError.stillSealed(.notifier, 1, old.id)) { try await deleteFormer(old.id) }
        #expect(FileManager.default.fileExists(atPath: formerKey(old.id)))
    }

    // MARK: Unvisited databases

    private func writeMarkerFile(_ service: String, _ place: String) throws {
        try Data("The data are in \(place). While this file is here, no empty database takes their place.\n".utf8)
            .write(to: URL(filePath: "\(folder.path)/\(service).database"))
    }

    private func requireAll() async throws {
        let databases = try await SealedDatabases(in: try stores(), keys: try ReloadingMasterKeyRing(.file(keyFile)))
        defer { Task { await databases.close() } }
        try databases.requireAll(dataDirectory: folder.path)
    }

    /// Covers PostgreSQL, whose address is in the environment of the services but not of the operator: no file exists,
    /// or an old file from before the move.
    @Test(arguments: [false, true]) func missingDatabaseOfMarkerFileIsRefused(fileIsThere: Bool) async throws {
        if fileIsThere { try await makeRecords(1, under: MasterKeyRing(old)) }
        try writeMarkerFile("notifier", "postgres://latchkey@db.example/latchkey")
        let failure = await #expect(throws: UnvisitedDatabases.self) { try await requireAll() }
        #expect(failure?.exitCode == 78)
        #expect(
            failure?.messages.first?.hasPrefix(
                "\(folder.path)/notifier.database says that the data of notifier are in "
                    + "postgres://latchkey@db.example/latchkey, and LATCHKEY_DATA names \(folder.path)/notifier.sqlite."
            )
                == true)
    }

    @Test func missingDatabaseAmongSeveralIsRefused() async throws {
        try await makeRecords(1, under: MasterKeyRing(old))
        try writeMarkerFile("notifier", folder.path + "/notifier.sqlite")
        try await requireAll()
        try writeMarkerFile("identity", "")
        let failure = await #expect(throws: UnvisitedDatabases.self) { try await requireAll() }
        #expect(failure?.databases.map(\.service) == [.identity])
        #expect(failure?.messages.first?.contains("identity has data, and there are none in") == true)
    }

    /// The data directory was moved as a whole.
    @Test func markerFileOfMovedFolderIsAccepted() async throws {
        try await makeRecords(1, under: MasterKeyRing(old))
        try writeMarkerFile("notifier", "/former/place/notifier.sqlite")
        try await requireAll()
    }

    @Test func directoryWithoutSealedRecordsIsRefused() async throws {
        await #expect(throws: KeysCommandError.nothingSealed(folder.path)) { try await requireAll() }
    }

    @Test func waitWithSingleKeyIsRefused() async throws {
        try await makeRecords(1, under: MasterKeyRing(old))
        await #expect(throws: KeysCommandError.nothingToWaitFor(keyFile, old.id)) {
            try await rotate(.init(waitsOnly: true))
        }
    }

    // MARK: Other processes

    /// Registers a process, as the start of a service does.
    private func start(
        _ holder: RingHolder.Identity, _ place: MasterKeySource, on database: SQLiteDatabase
    ) async throws -> SealedRecords {
        let keys = SealingKeys(try ReloadingMasterKeyRing(place, heldBy: holder), of: .notifier)
        let column = SealedColumn("sealed_text", of: "notes", key: ["number"])
        let records = SealedRecords(database, keys: keys, columns: [column])
        try await records.declare()
        return records
    }

    /// Runs the maintenance of a service with its own keys.
    func withProcess(_ place: MasterKeySource, _ body: () async throws -> Void) async throws {
        let database = try SQLiteDatabase(.file(folder.path + "/notifier.sqlite"))
        let holder = RingHolder.Identity(instance: "notifier.7")
        let maintenance = SealingMaintenance(
            try await start(holder, place, on: database), holder: holder, metrics: Metrics(),
            log: Log(instance: "notifier.7", write: { _ in }))
        let running = Task { try await maintenance.run() }
        let result: Result<Void, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        await maintenance.beginShutdown()
        try await running.value
        await database.close()
        try result.get()
    }

    @Test func processWithAnotherRingStopsRotation() async throws {
        try await makeRecords(3, under: MasterKeyRing(old))
        try await withProcess(.variable(MasterKeyRing(new, former: [old]))) {
            let keys = try ReloadingMasterKeyRing(.file(keyFile))
            let databases = try await SealedDatabases(in: try stores(), keys: keys)
            let rotation = KeyRotation(
                keys: keys, databases: databases.found, options: .init(), window: pollWindow, silence: silence,
                printLine: lines.append)
            let failure = await #expect(throws: KeysCommandError.self) { try await rotation.run() }
            #expect(failure?.messages.first?.hasPrefix("notifier.7 on ") == true)
            #expect(failure?.messages.first?.contains("holds the master keys \(new.id), \(old.id), and") == true)
            await databases.close()
        }
        #expect(try MasterKeyFile.read(keyFile).ids == [old.id])
    }

    /// A registered process that does not reply may be starting or suspended, so the command waits for it. Each name is
    /// printed once, also after processes that were killed.
    @Test func silentProcessIsAwaitedAndForgotten() async throws {
        try await makeRecords(3, under: MasterKeyRing(old))
        let database = try SQLiteDatabase(.file(folder.path + "/notifier.sqlite"))
        let holders = (0..<2).map { _ in RingHolder.Identity(instance: "notifier.9") }
        for holder in holders { _ = try await start(holder, .file(keyFile), on: database) }
        let keys = try ReloadingMasterKeyRing(.file(keyFile))
        let databases = try await SealedDatabases(in: try stores(), keys: keys)
        try await KeyRotation(
            keys: keys, databases: databases.found, options: .init(), window: window, silence: .milliseconds(200),
            printLine: lines.append
        ).run()
        await databases.close()
        try await expectEnd(3)
        let first = try #require(lines.all.first)
        #expect(first.hasPrefix("Waiting for notifier.9 on ") && first.hasSuffix(", which may still run."))
        #expect(!first.contains(", notifier.9"))
        let rows = try await database.read { try $0.rows("SELECT holder FROM ring_holders") }
        #expect(rows.isEmpty)
        await database.close()
    }

    /// A process is registered from its start, before its maintenance runs, to its end or failure.
    @Test func processIsRegisteredFromStartToEnd() async throws {
        try await makeRecords(1, under: MasterKeyRing(old))
        let database = try SQLiteDatabase(.file(folder.path + "/notifier.sqlite"))
        let registered = { @Sendable in
            try await database.read { try $0.rows("SELECT instance FROM ring_holders").count }
        }
        try await #expect(registered() == 0)
        let failing = RingHolder.Identity(instance: "notifier.9")
        // A start is repeated after a lost connection.
        for _ in 0..<2 { _ = try await start(failing, .file(keyFile), on: database) }
        try await #expect(registered() == 1)
        try await withProcess(.file(keyFile)) { try await #expect(registered() == 2) }
        try await #expect(registered() == 1)
        try await failing.remove(from: database)
        try await #expect(registered() == 0)
        // One that is killed at each start.
        for start in 1...101 {
            _ = try await self.start(.init(instance: "notifier.9"), .file(keyFile), on: database)
            if start == 100 { try await #expect(registered() == 100) }
        }
        try await #expect(registered() == 1)
        await database.close()
    }

    @Test func processWithReloadedRingAllowsRotation() async throws {
        try await makeRecords(3, under: MasterKeyRing(old))
        try await withProcess(.file(keyFile)) {
            let keys = try ReloadingMasterKeyRing(.file(keyFile))
            let databases = try await SealedDatabases(in: try stores(), keys: keys)
            try await KeyRotation(
                keys: keys, databases: databases.found, options: .init(), window: pollWindow, silence: silence,
                printLine: lines.append
            ).run()
            await databases.close()
        }
        try await expectEnd(3)
    }

    @Test func unfinishedKeyFileIsRemoved() async throws {
        try await makeRecords(3, under: MasterKeyRing(old))
        try Data("half a ke".utf8).write(to: URL(filePath: keyFile + ".new"))
        try await rotate()
        try await expectEnd(3)
        #expect(!FileManager.default.fileExists(atPath: keyFile + ".new"))
    }

    /// Killed after the new key was written, while records were resealed, or before the old key was removed.
    @Test(arguments: [(3, 0), (3, 4), (0, 4)])
    func killedRotationIsCompleted(underOld: Int, underNew: Int) async throws {
        try await makeRecords(underOld, under: MasterKeyRing(old))
        let ring = MasterKeyRing(old).rotated(to: new)
        try MasterKeyFile.replace(keyFile, with: ring)
        try await makeRecords(underNew, under: ring)
        try await rotate()
        try await expectEnd(underOld + underNew)
        #expect(try MasterKeyFile.read(keyFile).current.id == new.id)
        #expect(lines.all.first == "Continuing the unfinished rotation to \(new.id).")
    }

    @Test func oldKeysCanBeKeptRepeatedly() async throws {
        try await makeRecords(3, under: MasterKeyRing(old))
        try await rotate(.init(keepsOldKeys: true))
        try await expectEnd(3, former: 1)
        try await rotate(.init(keepsOldKeys: true))
        try await expectEnd(3, former: 2)
    }

    @Test func keyAddedByOperatorIsAwaited() async throws {
        try await makeRecords(3, under: MasterKeyRing(old))
        try MasterKeyFile.replace(keyFile, with: MasterKeyRing(old).rotated(to: new))
        try await rotate(.init(waitsOnly: true))
        try await expectEnd(3)
        #expect(try MasterKeyFile.read(keyFile).current.id == new.id)
    }

    @Test func concurrentRotationIsRefused() async throws {
        let other = open(folder.path, O_RDONLY | O_DIRECTORY)
        defer { close(other) }
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
        await #expect(throws: KeysCommandError.anotherRotation(keyFile)) { try await rotate() }
        #expect(try MasterKeyFile.read(keyFile).ids == [old.id])
    }

    /// A change by the operator during the rotation is kept.
    @Test func changedKeyFileIsNotOverwritten() async throws {
        let keys = try ReloadingMasterKeyRing(.file(keyFile))
        let rotation = KeyRotation(keys: keys, databases: [], options: .init()) { [keyFile, old, new] line in
            guard line.hasPrefix("Every record") else { return }
            #expect(throws: Never.self) {
                try MasterKeyFile.replace(keyFile, with: MasterKeyRing(old).rotated(to: new))
            }
        }
        await #expect(throws: KeysCommandError.fileChanged(keyFile)) { try await rotation.run() }
        #expect(try MasterKeyFile.read(keyFile).ids == [new.id, old.id])
    }

    /// A key is removed when no record can need it. Records under a key that was lost earlier do not count.
    @Test func keyStaysWhileRecordUnderItDoesNotOpen() async throws {
        try await makeRecords(2, under: MasterKeyRing(old))
        try await makeRecords(1, under: MasterKeyRing(.random()))
        let database = try SQLiteDatabase(.file(folder.path + "/notifier.sqlite"))
        try await database.write { transaction in
            let row = try transaction.firstRow("SELECT sealed_text FROM notes WHERE number = 1")
            var record: [UInt8] = try row?.get("sealed_text") ?? []
            record[20] ^= 1
            try transaction.execute("UPDATE notes SET sealed_text = $1 WHERE number = 1", .blob(record))
        }
        await #expect(throws: KeysCommandError.undecryptableRecords(.notifier, 1, keyFile)) { try await rotate() }
        #expect(try MasterKeyFile.read(keyFile).ids.last == old.id)

        try await database.write { try $0.execute("DELETE FROM notes WHERE number = 1") }
        await database.close()
        try await rotate()
        #expect(try MasterKeyFile.read(keyFile).ids.count == 1)
    }

    /// The keys were loaded before another rotation ended.
    @Test func rotationStartsWithCurrentFile() async throws {
        let keys = try ReloadingMasterKeyRing(.file(keyFile))
        try MasterKeyFile.replace(keyFile, with: MasterKeyRing(new))
        try await KeyRotation(keys: keys, databases: [], options: .init(keepsOldKeys: true), printLine: lines.append)
            .run()
        #expect(try MasterKeyFile.read(keyFile).ids.dropFirst() == [new.id])
    }

    @Test func fullRingAcceptsNoKey() async throws {
        var ring = MasterKeyRing(old)
        while ring.all.count < MasterKeyRing.limit { ring = ring.rotated(to: .random()) }
        try MasterKeyFile.replace(keyFile, with: ring)
        await #expect(throws: KeysCommandError.tooManyKeys(keyFile)) { try await rotate(.init(keepsOldKeys: true)) }
        #expect(try MasterKeyFile.read(keyFile).ids == ring.ids)
    }

    @Test func keyInEnvironmentIsNotRotated() async throws {
        let keys = try ReloadingMasterKeyRing(.variable(MasterKeyRing(old)))
        await #expect(throws: KeysCommandError.keyInEnvironment) {
            try await KeyRotation(keys: keys, databases: [], options: .init(), printLine: lines.append).run()
        }
        #expect(KeysCommandError.keyInEnvironment.exitCode == 78)
    }

    @Test func undeclaredSealedColumnPreventsKeyRemoval() async throws {
        let database = try SQLiteDatabase(.file(folder.path + "/identity.sqlite"))
        try await database.migrate([SQLMigration(1, "old", "CREATE TABLE keys (id TEXT, sealed_key BLOB)")])
        await database.close()
        await #expect(throws: KeysCommandError.undeclared(.identity, .undeclared(["keys.sealed_key"]))) {
            try await rotate()
        }
        #expect(try MasterKeyFile.read(keyFile).ids == [old.id])
    }
}
