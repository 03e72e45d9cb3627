import SQL
import SQLite
import ServiceRuntime
import Storage
import Synchronization
import TestSupport
import Testing

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
        let watch = RestoreMonitor(database, log: Log(instance: "test", write: { _ in }))
        let end = Task { try await watch.run() }
        try await replace()
        await #expect(throws: DatabaseReplacedError()) { try await end.value }
        await database.close()
    }

    @Test func monitorEndsWithProcess() async throws {
        let database = try await openFenced()
        let watch = RestoreMonitor(database, log: Log(instance: "test", write: { _ in }))
        async let end: Void = watch.run()
        await watch.beginShutdown()
        try await end
        await database.close()
    }
}
