import Contracts
import Crypto
import Foundation
import SQL
import SQLite
import ServiceRuntime
import Settings
import Storage
import Synchronization
import TestSupport
import Testing

/// The start of a service on a SQLite file: the states of the file, and the errors.
@Suite struct PrepareTests {
    static let migrations = [SQLMigration(1, "notes", "CREATE TABLE notes (id TEXT PRIMARY KEY)")]

    private let directory: TemporaryDirectory
    private let settings: StorageSettings
    private let log = Log(instance: "test", write: { _ in })

    private var file: String { directory.appending("identity.sqlite") }
    private var note: String { directory.appending("identity.database") }

    init() throws {
        directory = try TemporaryDirectory()
        var reader = SettingsReader(Environment([:]), of: .latchkey)
        settings = StorageSettings(.identity, from: &reader, dataDirectory: directory.path)
        try reader.finish()
    }

    /// Starts and stops.
    private func start(_ migrations: [SQLMigration] = Self.migrations) async throws {
        try await settings.prepare(masterKeyFile: "/keys/master.key", log: log) { database in
            try await database.migrate(migrations)
            await database.close()
        }
    }

    private func refusal(_ migrations: [SQLMigration] = Self.migrations) async -> StorageError? {
        do {
            try await start(migrations)
            return nil
        } catch {
            return error as? StorageError
        }
    }

    private func expect(_ failure: StorageError?, says sentence: String, exitCode: Int32 = 65) {
        #expect(failure?.exitCode == exitCode)
        #expect(failure?.messages == [sentence])
    }

    @Test func firstStartCreatesDatabaseAndMarkerFile() async throws {
        try await start()
        #expect(FileManager.default.fileExists(atPath: file))
        let text = try String(contentsOfFile: note, encoding: .utf8)
        #expect(text == "The data are in \(file). While this file is here, no empty database takes their place.\n")
        try await start()
    }

    @Test func migrationOfExistingTablesIsLogged() async throws {
        let lines = Mutex<[String]>([])
        let log = Log(instance: "test", write: { line in lines.withLock { $0.append(line) } })
        let more =
            Self.migrations + [
                SQLMigration(2, "more", "CREATE TABLE more (id TEXT PRIMARY KEY)"),
                SQLMigration(3, "others", "CREATE TABLE others (id TEXT PRIMARY KEY)"),
            ]
        for migrations in [Self.migrations, Self.migrations, more, more] {
            try await settings.prepare(masterKeyFile: "/keys/master.key", log: log) { database in
                try await database.migrate(migrations)
                await database.close()
            }
        }
        let migrated = lines.withLock { $0.filter { $0.contains("database.migrated") } }
        #expect(migrated.count == 1)
        #expect(migrated.first?.contains("service=identity from=1 to=3") == true)
    }

    /// A command without the PostgreSQL setting must not take an old file for the data.
    @Test func markerFileFollowsLocation() async throws {
        try await start()
        try Data("The data are in elsewhere. While this file is here, ...".utf8).write(to: URL(filePath: note))
        try await start()
        #expect(try String(contentsOfFile: note, encoding: .utf8).hasPrefix("The data are in \(file). While"))
        #expect(settings.unvisitedDatabase(isFound: true) == nil)
        #expect(settings.unvisitedDatabase(isFound: false)?.service == .identity)
    }

    @Test func missingFileIsNotRecreated() async throws {
        try await start()
        for name in [file, file + "-wal", file + "-shm"] { try? FileManager.default.removeItem(atPath: name) }
        expect(
            await refusal(),
            says: "There is no data in the database \(file) that LATCHKEY_DATA names, but there was when \(note) was "
                + "written. Restore it from your backup or let LATCHKEY_DATA name the right place; to begin without it, "
                + "remove \(note).")
        #expect(!FileManager.default.fileExists(atPath: file))
        try FileManager.default.removeItem(atPath: note)
        try await start()
    }

    /// SQLite treats an empty file as a database without tables.
    @Test func emptiedFileIsNotRecreated() async throws {
        try await start()
        try Data().write(to: URL(filePath: file))
        guard case .lost? = await refusal() else {
            Issue.record("it started")
            return
        }
        guard case .lost? = await refusal() else {
            Issue.record("it started the second time")
            return
        }
    }

    @Test func databaseWithoutMarkerFileIsAccepted() async throws {
        try await start()
        try FileManager.default.removeItem(atPath: note)
        try await start()
        #expect(FileManager.default.fileExists(atPath: note))
    }

    @Test func failedStartLeavesNoMarkerFile() async throws {
        struct Failure: Error {}
        await #expect(throws: Failure.self) {
            try await settings.prepare(masterKeyFile: "", log: log) { _ in throw Failure() }
        }
        #expect(!FileManager.default.fileExists(atPath: note))
        try await start()
    }

    @Test func otherFileIsNamed() async throws {
        let letter = Data("This is a letter.".utf8)
        try letter.write(to: URL(filePath: file))
        expect(
            await refusal(),
            says: "The file \(file) is not a SQLite database. Restore it from your backup, or let LATCHKEY_DATA name "
                + "another place.")
        #expect(try Data(contentsOf: URL(filePath: file)) == letter)
    }

    @Test func missingFolderIsNamed() async throws {
        try FileManager.default.removeItem(atPath: directory.path)
        expect(
            await refusal(),
            says:
                "The database \(file) cannot be opened: No such file or directory. Let the user who runs this read and "
                + "write the file and its folder, or let LATCHKEY_DATA name another place.", exitCode: 78)
    }

    @Test func damagedDatabaseIsNamed() async throws {
        try await start()
        let handle = try FileHandle(forUpdating: URL(filePath: file))
        try handle.seek(toOffset: 100)  // The first page of the schema, after the header.
        try handle.write(contentsOf: Data(repeating: 0xa5, count: 3000))
        try handle.close()
        expect(
            await refusal(),
            says:
                "The database \(file) is damaged. Restore it from your backup, or let LATCHKEY_DATA name another place."
        )
    }

    @Test func newerSchemaIsNamed() async throws {
        let more = SQLMigration.contraction(2, "more", compatibleSince: 2, "CREATE TABLE more (id TEXT PRIMARY KEY)")
        try await start(Self.migrations + [more])
        expect(
            await refusal(),
            says:
                "The database \(file) has schema version 2, which needs a program that knows version 2, and this one knows "
                + "1. Start the newer program, or let LATCHKEY_DATA name another place.")
    }

    /// The release before goes on with the data of the next one, and back.
    @Test func expandedSchemaIsServed() async throws {
        let more = Self.migrations + [SQLMigration(2, "more", "ALTER TABLE notes ADD COLUMN more TEXT")]
        for migrations in [Self.migrations, more, Self.migrations, more] { try await start(migrations) }
    }

    @Test func otherMigrationsAreNamed() async throws {
        try await start([SQLMigration(1, "notes", "CREATE TABLE notes (other TEXT PRIMARY KEY)")])
        expect(
            await refusal(),
            says:
                "The database \(file) was made by another program: migration 1 (notes) is not the one known here. Start "
                + "the program that made it, or let LATCHKEY_DATA name another place.")
    }

    @Test func readOnlyDatabaseIsNamed() {
        expect(
            .unusable(.readOnly(path: file), settings.location, setting: "LATCHKEY_DATA"),
            says:
                "The database \(file) cannot be written to. Let the user who runs this write to the file and its folder, "
                + "or let LATCHKEY_DATA name another place.", exitCode: 78)
    }

    /// Who corrects a setting, an owner or a mount goes on with the same data.
    @Test(arguments: [
        (SQLError.cannotOpen(path: "/p", message: "m"), Int32(78)), (.readOnly(path: "/p"), 78),
        (.notADatabase(path: "/p"), 65), (.damaged(path: "/p"), 65), (.moved(path: "/p"), 65),
        (.commitsLost(path: "/p", watermark: "/w", count: 1), 65), (.anotherDatabase(path: "/p", watermark: "/w"), 65),
        (.schemaNewer(found: 2, needs: 2, known: 1), 65), (.migrationChanged(version: 1, name: "n"), 65),
    ])
    func exitCodeTellsPermissionsFromContent(error: SQLError, exitCode: Int32) {
        #expect(error.isPermanent)
        #expect(StorageError.unusable(error, settings.location, setting: "LATCHKEY_DATA").exitCode == exitCode)
        #expect(StorageError.markerWriteFailed("/p", reason: "m").exitCode == 78)
    }

    @Test func wrongMasterKeyIsNamed() async throws {
        let failure = await #expect(throws: StorageError.self) {
            try await settings.prepare(masterKeyFile: "/keys/master.key", log: log) { _ in
                throw CryptoError.authenticationFailed
            }
        }
        expect(
            failure,
            says: "The database \(file) was sealed under another master key than that of /keys/master.key. Put the key "
                + "file back from your backup, or let LATCHKEY_MASTER_KEY_FILE name the right one, or LATCHKEY_DATA the "
                + "right database.", exitCode: 78)
    }

    @Test func unavailableDatabaseIsRetriedAndLogged() async throws {
        let lines = Mutex<[String]>([])
        let pauses = Mutex<[Duration]>([])
        let tries = Mutex(0)
        let log = Log(instance: "test", write: { line in lines.withLock { $0.append(line) } })
        try await settings.prepare(
            masterKeyFile: "", log: log, pause: { pause in pauses.withLock { $0.append(pause) } }
        ) { database in
            let number = tries.withLock { tries in
                tries += 1
                return tries
            }
            if number <= 6 { throw SQLError.unavailable("connection refused") }
            await database.close()
        }
        #expect(pauses.withLock(\.self) == [250, 500, 1000, 2000, 4000, 4000].map(Duration.milliseconds))
        let words = lines.withLock(\.self)
        #expect(words.count == 6)
        #expect(words.allSatisfy { $0.contains("database.connect-failed") && $0.contains("setting=LATCHKEY_DATA") })
    }

    /// The address leads to a former primary server until the new one has its place.
    @Test func serverThatAcceptsNoWritesIsAwaited() async throws {
        let server = try await RunningPostgres.shared()
        let address = try await server.makeDatabase()
        let name = try #require(address.split(separator: "/").last.map(String.init))
        try await server.run("ALTER DATABASE \(name) SET default_transaction_read_only = on")
        var reader = SettingsReader(Environment(["LATCHKEY_DATABASE_URL": address]), of: .latchkey)
        let settings = StorageSettings(.identity, from: &reader, dataDirectory: directory.path)
        let pauses = Mutex(0)
        try await settings.prepare(
            masterKeyFile: "", log: log,
            pause: { _ in
                pauses.withLock { $0 += 1 }
                try await server.run("ALTER DATABASE \(name) RESET default_transaction_read_only")
            }
        ) { database in
            try await database.migrate(Self.migrations)
            await database.close()
        }
        #expect(pauses.withLock(\.self) > 0)
    }

    /// A process that waits says for what: once, and again when it goes on.
    @Test func longStartIsLoggedOnceAndAtItsEnd() async throws {
        let (lines, inbox) = AsyncStream.makeStream(of: String.self)
        let log = Log(instance: "test", write: { inbox.yield($0) })
        let (lateness, late) = AsyncStream.makeStream(of: Void.self)
        try await settings.prepare(
            masterKeyFile: "", log: log, untilLate: { for await _ in lateness { return } }
        ) { database in
            late.yield()
            let line = await lines.first { $0.contains("process.start-delayed") }
            #expect(line?.contains("awaits=\"the migrations and first reads of the database") == true)
            try await database.migrate(Self.migrations)
            await database.close()
        }
        inbox.finish()
        var rest: [String] = []
        for await line in lines { rest.append(line) }
        #expect(rest.count == 1 && rest.allSatisfy { $0.contains("process.start-ended seconds=") })
    }

    @Test func shortStartIsNotLogged() async throws {
        let lines = Mutex<[String]>([])
        let log = Log(instance: "test", write: { line in lines.withLock { $0.append(line) } })
        try await settings.prepare(masterKeyFile: "", log: log, untilLate: { throw CancellationError() }) { database in
            try await database.migrate(Self.migrations)
            await database.close()
        }
        #expect(lines.withLock(\.self) == [])
    }

    @Test func failedLongStartIsLogged() async throws {
        struct Failure: Error {}
        let (lines, inbox) = AsyncStream.makeStream(of: String.self)
        let log = Log(instance: "test", write: { inbox.yield($0) })
        await #expect(throws: Failure.self) {
            try await settings.prepare(masterKeyFile: "", log: log, untilLate: {}) { _ in
                _ = await lines.first { $0.contains("process.start-delayed") }
                throw Failure()
            }
        }
        #expect(await lines.first { _ in true }?.contains("process.start-ended") == true)
    }

    @Test func stopRequestEndsRetries() async throws {
        struct Stop: Error {}
        await #expect(throws: Stop.self) {
            try await settings.prepare(masterKeyFile: "", log: log, pause: { _ in throw Stop() }) { _ in
                throw SQLError.unavailable("connection refused")
            }
        }
    }
}
