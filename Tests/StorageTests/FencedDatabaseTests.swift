import SQL
import SQLite
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import Storage

@Suite struct FencedDatabaseTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.appending("test.sqlite")
    }

    private func openFenced() async throws -> FencedDatabase {
        let database = FencedDatabase(try SQLiteDatabase(.file(path), readers: 1))
        try await database.migrate(Sample.migrations)
        return database
    }

    /// The last step of a restore, in another process.
    private func replace() async throws {
        let other = try SQLiteDatabase(.file(path), readers: 1)
        try await other.write { try $0.beginEpoch() }
        await other.close()
    }

    @Test func replacedDatabaseRefusesReadsAndWrites() async throws {
        let database = try await openFenced()
        try await Sample.fill(database, people: 2, seed: 1)
        #expect(try await Sample.content(database)["people"]?.count == 2)
        try await replace()
        let bodies = Mutex(0)
        await #expect(throws: SQLError.replaced) {
            try await database.write { _ in bodies.withLock { $0 += 1 } }
        }
        await #expect(throws: SQLError.replaced) {
            try await database.read { _ in bodies.withLock { $0 += 1 } }
        }
        #expect(bodies.withLock(\.self) == 0)
        await database.waitUntilReplaced()
        await database.close()
    }

    @Test func migrationDoesNotLiftFence() async throws {
        let database = try await openFenced()
        try await replace()
        try await database.migrate(Sample.migrations)
        await #expect(throws: SQLError.replaced) { try await database.read { _ in } }
        await database.close()
    }

    @Test func newProcessJoinsNewEpoch() async throws {
        let former = try await openFenced()
        try await replace()
        let database = try await openFenced()
        try await Sample.fill(database, people: 1, seed: 1)
        await #expect(throws: SQLError.replaced) { try await former.read { _ in } }
        #expect(try await Sample.content(database)["people"]?.count == 1)
        await former.close()
        await database.close()
    }

    @Test func processesOfOneEpochShareDatabase() async throws {
        let first = try await openFenced()
        let second = try await openFenced()
        try await Sample.fill(first, people: 1, seed: 1)
        #expect(try await Sample.content(second)["people"]?.count == 1)
        await first.close()
        await second.close()
    }

    /// The process has no requests: its monitor checks periodically.
    @Test func monitorEndsIdleProcess() async throws {
        let database = try await openFenced()
        let watch = DatabaseMonitor(database, log: Log(instance: "test", write: { _ in }))
        let end = Task { try await watch.run() }
        try await replace()
        await #expect(throws: DatabaseReplacedError()) { try await end.value }
        await database.close()
    }

    /// A newer program on another machine has removed what this one uses.
    @Test(arguments: [Engine.sqlite, .postgres])
    func monitorEndsProcessWhenSchemaIsNewer(engine: Engine) async throws {
        let database = FencedDatabase(try await engine.open(in: directory, named: "test"))
        #expect(try await database.migrate(Sample.migrations) == 0)
        let lines = Mutex<[String]>([])
        let watch = DatabaseMonitor(
            database, log: Log(instance: "test", write: { line in lines.withLock { $0.append(line) } }))
        let end = Task { try await watch.run() }
        let newer =
            Sample.migrations + [
                .contraction(3, "fewer", compatibleSince: 3, "CREATE TABLE more (id TEXT PRIMARY KEY)").withoutWaiting
            ]
        await #expect(throws: SQLError.migrationWaits(.forPrograms(version: 3, name: "fewer", processes: 1))) {
            try await database.write { try $0.apply(newer) }
        }
        // As if it had been silent for longer than a process may be.
        let former = try await database.write { transaction in
            try transaction.execute("DELETE FROM schema_processes")
            return try transaction.apply(newer).former
        }
        #expect(former == 2)
        let error = await #expect(throws: SchemaNewerError(found: 3, needs: 3, known: 2)) { try await end.value }
        #expect(error?.exitCode == 65)
        #expect(error?.messages.count == 1)
        #expect(lines.withLock { $0.contains { $0.contains("database.schema-newer") } })
        await database.close()
    }

    /// It is counted from its start to its end, and its probes do not count as another one.
    @Test(arguments: [Engine.sqlite, .postgres])
    func processIsRecordedWhileItRuns(engine: Engine) async throws {
        let database = FencedDatabase(try await engine.open(in: directory, named: "test"))
        let running: @Sendable () async throws -> [Int: Int] = {
            try await database.read { transaction in try SchemaState(of: transaction).processes }
        }
        for _ in 0..<2 { try await database.migrate(Sample.migrations) }
        #expect(try await running() == [2: 1])
        try await database.probe(at: Moment(milliseconds: 0))
        #expect(try await running() == [2: 1])
        await database.leave()
        #expect(try await running() == [:])
        await database.close()
    }

    @Test(arguments: [Engine.sqlite, .postgres])
    func monitorKeepsProcessOfSameSchema(engine: Engine) async throws {
        let database = FencedDatabase(try await engine.open(in: directory, named: "test"))
        try await database.migrate(Sample.migrations)
        #expect(try await database.migrate(Sample.migrations) == 2)
        try await database.checkSchema()
        await database.close()
    }

    @Test func monitorEndsWithProcess() async throws {
        let database = try await openFenced()
        let watch = DatabaseMonitor(database, log: Log(instance: "test", write: { _ in }))
        async let end: Void = watch.run()
        await watch.beginShutdown()
        try await end
        await database.close()
    }
}
