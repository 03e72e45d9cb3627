import Contracts
import Foundation
import SQL
import SQLite
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import MasterKey

/// A key file, and a database that was created under it.
private struct Stage {
    let file: KeyFile
    private let place: StoreLocation

    init(_ engine: StoreEngine) async throws {
        file = try KeyFile(MasterKeyRing(.named("1a2b3c4d")))
        place = try await StoreLocation(engine, name: "notifier")
    }

    /// A separate process: its own keys and connections.
    func openStore() async throws -> SealedTestStore {
        try await SealedTestStore(try await openDatabase(), try ReloadingMasterKeyRing(.file(file.path)))
    }

    func openDatabase() async throws -> any SQLDatabase { try await place.open() }

    func rotate() throws -> MasterKeyRing {
        let rotated = try MasterKeyFile.read(file.path).rotated(to: .random())
        try file.replace(with: rotated)
        return rotated
    }

    /// The declared columns as the operator's command sees them.
    func declared() async throws -> SealedRecords? {
        let keys = SealingKeys(try ReloadingMasterKeyRing(.file(file.path)), of: .notifier)
        return try await SealedRecords.declared(in: try await openDatabase(), keys: keys)
    }
}

struct SealedRecordsTests {
    @Test(arguments: StoreEngine.shared) func everyRecordIsResealedAndStillOpens(engine: StoreEngine) async throws {
        let stage = try await Stage(engine)
        let store = try await stage.openStore()
        // More than two batches, and the last one is full.
        for number in 0..<300 { try await store.write("note \(number)", "ada", number) }
        #expect(try await store.records.countRecords().found == ["1a2b3c4d": 300])

        let new = try stage.rotate().current
        try store.keys.masterKeys.refresh()
        var seen: [Int] = []
        let scan = try await store.records.reseal { seen.append($0.seen) }
        #expect(scan.resealed == 300)
        #expect(!scan.isAllUnder(new.id))
        #expect(seen.filter { $0 > 0 } == [100, 200, 300, 300])  // The last page is empty.

        let next = try await store.records.reseal()
        #expect(next == .init(found: [new.id: 300]))
        #expect(next.isAllUnder(new.id))
        try stage.file.replace(with: MasterKeyRing(new))
        let later = try await stage.openStore()
        for number in [0, 99, 100, 299] { #expect(try await later.read("ada", number) == "note \(number)") }
    }

    /// Two processes read and write while the records are resealed; only one of them knows the new key from the start.
    @Test(arguments: StoreEngine.shared) func parallelReadsAndWritesSucceedDuringRotation(
        engine: StoreEngine
    ) async throws {
        let stage = try await Stage(engine)
        let stores = [try await stage.openStore(), try await stage.openStore()]
        for number in 0..<64 { try await stores[0].write("first of \(number)", "task", number) }
        let new = try stage.rotate().current

        try await withThrowingTaskGroup { group in
            for task in 0..<16 {
                group.addTask {
                    let store = stores[task % 2]
                    for round in 0..<20 {
                        let number = task * 4 + round % 4
                        let before = try await store.read("task", number)
                        #expect(before == "first of \(number)" || before.hasPrefix("\(number) in round"))
                        try await store.write("\(number) in round \(round)", "task", number)
                        #expect(try await store.read("task", number) == "\(number) in round \(round)")
                    }
                }
            }
            group.addTask {
                try stores[0].keys.masterKeys.refresh()
                while try await !stores[0].records.reseal().isAllUnder(new.id) { await Task.yield() }
            }
            try await group.waitForAll()
        }
        try stores[1].keys.masterKeys.refresh()
        while try await !stores[1].records.reseal().isAllUnder(new.id) {}
        try stage.file.replace(with: MasterKeyRing(new))
        let later = try await stage.openStore()
        for number in 0..<64 {
            #expect(try await later.read("task", number).hasPrefix("\(number) in round"))
        }
    }

    /// Another process replaces or deletes a row between the read and the write of the reseal: the other change wins.
    @Test(arguments: StoreEngine.shared) func changedRowIsNotOverwritten(engine: StoreEngine) async throws {
        let stage = try await Stage(engine)
        let store = try await stage.openStore()
        try await store.write("before", "ada", 1)
        try await store.write("gone", "ada", 2)
        let rows = try await store.database.read { try SealedTestStore.column.page(after: nil, limit: 10, in: $0) }
        try await store.write("after", "ada", 1)
        try await store.database.write { try $0.execute("DELETE FROM notes WHERE number = 2") }
        let replaced = try await store.database.write { transaction in
            try rows.map { try SealedTestStore.column.replace($0, with: [0], in: transaction) }
        }
        #expect(replaced == [false, false])
        #expect(try await store.read("ada", 1) == "after")
    }

    @Test(arguments: StoreEngine.shared) func damagedRecordIsCountedAndDoesNotBlockOthers(engine: StoreEngine)
        async throws
    {
        let stage = try await Stage(engine)
        let store = try await stage.openStore()
        for number in 0..<3 { try await store.write("note", "ada", number) }
        try await store.database.write { transaction in
            try transaction.execute("UPDATE notes SET sealed_text = $1 WHERE number = 1", .blob([1, 2, 3]))
            try transaction.execute("INSERT INTO notes (owner, number) VALUES ('nothing sealed', 1)")
        }
        let new = try stage.rotate().current
        try store.keys.masterKeys.refresh()
        #expect(
            try await store.records.reseal()
                == .init(found: ["1a2b3c4d": 2], legacyCount: 1, resealed: 2, unreadable: 1))
        let scan = try await store.records.reseal()
        #expect(scan == .init(found: [new.id: 2], legacyCount: 1, unreadable: 1))
        #expect(scan.isAllUnder(new.id))
    }

    @Test(arguments: StoreEngine.shared) func endOfRotationIsReportedByOneProcess(engine: StoreEngine) async throws {
        let stage = try await Stage(engine)
        let stores = [try await stage.openStore(), try await stage.openStore()]
        let told = Mutex(0)
        func markResealed(_ id: String) async throws {
            for store in stores { try await store.records.markResealed(on: id) { _ in told.withLock { $0 += 1 } } }
        }
        // An empty database has no former key.
        #expect(try await stores[1].records.isResealed(under: "1a2b3c4d"))
        try await markResealed("1a2b3c4d")
        #expect(told.withLock(\.self) == 0)
        try await markResealed("9f8e7d6c")
        #expect(told.withLock(\.self) == 1)
        #expect(try await !stores[1].records.isResealed(under: "1a2b3c4d"))
        #expect(try await stores[1].records.isResealed(under: "9f8e7d6c"))
    }

    /// A rotation on another machine ended without this process.
    @Test(arguments: StoreEngine.shared) func missingKeyIsReportedUntilItIsThere(engine: StoreEngine) async throws {
        let stage = try await Stage(engine)
        let store = try await stage.openStore()
        try await store.write("note", "ada", 1)
        #expect(try await store.records.missingKeys() == [])
        let other = MasterKey.random()
        let elsewhere = try await SealedTestStore(
            try await stage.openDatabase(),
            try ReloadingMasterKeyRing(.variable(MasterKeyRing(other, former: [.named("1a2b3c4d")]))))
        try await elsewhere.write("note", "bob", 2)
        try await elsewhere.records.markResealed(on: other.id) { _ in }
        #expect(try await store.records.missingKeys() == [other.id])
        let metrics = Metrics()
        let lines = Mutex<[String]>([])
        let maintenance = SealingMaintenance(
            store.records, holder: .init(instance: "test"), metrics: metrics,
            log: Log(instance: "test", write: { line in lines.withLock { $0.append(line) } }))
        let running = Task { try await maintenance.run() }
        try await eventually("the outage was reported") {
            metrics.snapshot().contains {
                $0.name == ProcessReport.Metric.outageName && $0.labels["component"] == "sealed records"
            }
        }
        #expect(lines.withLock { $0.contains { $0.contains("master-key.missing keys=\(other.id)") } })
        try MasterKeyFile.replace(stage.file.path, with: MasterKeyFile.read(stage.file.path).announcing(other))
        try await eventually("the outage ended") {
            !metrics.snapshot().contains { $0.name == ProcessReport.Metric.outageName }
        }
        await maintenance.beginShutdown()
        try await running.value
    }

    /// A service detects the changed file, reseals its records and logs it, without a command.
    @Test(arguments: StoreEngine.shared) func serviceFollowsItsKeyFile(engine: StoreEngine) async throws {
        let stage = try await Stage(engine)
        let store = try await stage.openStore()
        for number in 0..<3 { try await store.write("note", "ada", number) }
        let lines = Mutex<[String]>([])
        let rotated = Mutex(0)
        let maintenance = SealingMaintenance(
            store.records, holder: .init(instance: "test"), metrics: Metrics(),
            log: Log(instance: "test", write: { line in lines.withLock { $0.append(line) } }),
            rotated: { _ in rotated.withLock { $0 += 1 } })
        let running = Task { try await maintenance.run() }
        let new = try stage.rotate().current
        try await eventually("the rotation ended") { try await store.records.isResealed(under: new.id) }
        #expect(rotated.withLock(\.self) == 1)
        #expect(try await store.records.countRecords().found == [new.id: 3])
        try stage.file.write("no key")
        try await eventually("the fault was told") { lines.withLock { $0.contains { $0.contains("reload-failed") } } }
        await maintenance.beginShutdown()
        try await running.value

        let told = lines.withLock(\.self)
        for text in [
            "info test master-key.reloaded current=\(new.id) former=1a2b3c4d",
            "info test sealed-records.resealed count=3 key=\(new.id)",
            "error test master-key.reload-failed error=\"\(stage.file.path) holds no master key.",
        ] {
            #expect(told.contains { $0.contains(text) }, "\(text) of \(told)")
        }
    }

    @Test(arguments: StoreEngine.shared) func serviceSecretIsCreatedOnceAndSurvivesRotation(engine: StoreEngine)
        async throws
    {
        let stage = try await Stage(engine)
        let stores = [try await stage.openStore(), try await stage.openStore()]
        func secrets(_ store: SealedTestStore) async throws -> [ServiceSecret] {
            try await store.database.write { [keys = store.keys] in
                let secrets = try ServiceSecrets.load("digests", in: $0, keys) { .random() }
                return [secrets.newest] + secrets.former
            }
        }
        let first = try await secrets(stores[0])
        #expect(first.count == 1)
        #expect(first[0].bytes.count == 32)
        #expect(try await secrets(stores[1]).map(\.bytes) == first.map(\.bytes))
        let new = try stage.rotate().current
        try stores[0].keys.masterKeys.refresh()
        #expect(try await stores[0].records.reseal().resealed == 1)
        try stage.file.replace(with: MasterKeyRing(new))
        #expect(try await secrets(try await stage.openStore()).map(\.bytes) == first.map(\.bytes))
    }

    // MARK: View of the operator's command

    @Test(arguments: StoreEngine.shared) func unusedDatabaseDeclaresNoSealedColumns(engine: StoreEngine)
        async throws
    {
        let stage = try await Stage(engine)
        #expect(try await stage.declared() == nil)
    }

    @Test(arguments: StoreEngine.shared) func declaredColumnsAreResealedWithoutService(engine: StoreEngine)
        async throws
    {
        let stage = try await Stage(engine)
        let store = try await stage.openStore()
        try await store.write("note", "ada", 1)
        let new = try stage.rotate().current
        let records = try #require(try await stage.declared())
        #expect(Set(records.columns.map(\.name)) == ["sealed_secret", "sealed_text"])
        #expect(try await records.reseal().resealed == 1)
        #expect(try await records.countRecords().found == [new.id: 1])
        #expect(try await store.read("ada", 1) == "note")
    }

    /// Otherwise the old key would be removed while a record still needs it.
    @Test(arguments: StoreEngine.shared) func undeclaredSealedColumnIsNamed(engine: StoreEngine) async throws {
        let stage = try await Stage(engine)
        let database = try await stage.openDatabase()
        try await database.migrate([SQLMigration(1, "old", "CREATE TABLE keys (id TEXT, sealed_key BLOB)")])
        await #expect(throws: SealedRecordsError.undeclared(["keys.sealed_key"])) { try await stage.declared() }
        await database.close()

        let other = try await Stage(engine)
        let store = try await other.openStore()
        try await store.database.write { try $0.execute("DELETE FROM sealed_columns WHERE table_name = 'notes'") }
        await #expect(throws: SealedRecordsError.undeclared(["notes.sealed_text"])) { try await other.declared() }
    }

    @Test(
        arguments: [
            ("notes; DROP TABLE notes", "sealed_text", "owner"), ("notes", "text", "owner"),
            ("notes", "sealed_text", ""),
            ("notes", "sealed_text", "owner number)"), ("", "sealed_text", "owner"),
        ], StoreEngine.shared)
    func malformedDeclarationIsRefused(
        declaration: (table: String, column: String, key: String), engine: StoreEngine
    ) async throws {
        let stage = try await Stage(engine)
        let store = try await stage.openStore()
        try await store.database.write { transaction in
            try transaction.execute("DELETE FROM sealed_columns WHERE table_name = 'notes'")
            try transaction.execute(
                "INSERT INTO sealed_columns (table_name, column_name, key_columns, label) VALUES ($1, $2, $3, '')",
                .text(declaration.table), .text(declaration.column), .text(declaration.key))
        }
        await #expect(throws: SealedRecordsError.damaged) { try await stage.declared() }
        await #expect(throws: SealedRecordsError.damaged) { try await store.records.declare() }
    }
}
