import Dispatch
import SQL
import TestSupport
import Testing

@testable import Postgres

/// The planner needs statistics before the server's own daemon collects them.
@Suite struct PostgresStatisticsTests {
    /// With one connection, so that a job begins when the work after the commit before it has ended.
    private func open(_ url: PostgresURL) async throws -> PostgresDatabase {
        try await PostgresDatabase(url, schema: "tests", connections: 1, limits: .longRunning)
    }

    /// The number of rows of the table `numbers` that the planner assumes; not positive without statistics.
    private func knownRows(_ database: PostgresDatabase) async throws -> Double {
        try await database.read { transaction in
            let row = try transaction.firstRow("SELECT reltuples FROM pg_catalog.pg_class WHERE relname = 'numbers'")
            return try #require(row).get("reltuples")
        }
    }

    @Test func growingTableIsExamined() async throws {
        let database = try await open(try await freshURL())
        try await database.migrate(numbers)
        let before = try await knownRows(database)
        #expect(before <= 0)
        for id in 1...64 { try await database.insert(id) }
        let after = try await knownRows(database)
        #expect(after > 0)
        await database.close()
    }

    /// The daemon of the server examines no table with fewer than fifty rows.
    @Test func filledTableIsExaminedAtStart() async throws {
        let url = try await freshURL()
        let earlier = try await open(url)
        try await earlier.migrate(numbers)
        for id in 1...10 { try await earlier.insert(id) }
        let before = try await knownRows(earlier)
        #expect(before <= 0)
        await earlier.close()
        let database = try await open(url)
        try await database.migrate(numbers)
        try await eventually("the table was examined") { try await knownRows(database) == 10 }
        await database.close()
    }

    @Test func scheduleCountsCommitsOfAllThreads() async {
        let schedule = StatisticsSchedule(dueAfter: [64, 512])
        let due = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { (0..<100).count { _ in schedule.isDueAfterCommit() } } }
            return await group.reduce(0, +)
        }
        #expect(due == 2)
    }

    /// A lock that the examination needs, and writes do not need.
    @Test func failureDoesNotFailWrites() async throws {
        let url = try await freshURL()
        let database = try await PostgresDatabase(url, schema: "tests", connections: 1, limits: shortLimits())
        try await database.migrate(numbers)
        let other = try await open(url)
        let (locked, signal) = AsyncStream<Void>.makeStream()
        let isWritten = DispatchSemaphore(value: 0)
        async let lock: Void = other.write { transaction in
            try transaction.execute("LOCK TABLE numbers IN SHARE UPDATE EXCLUSIVE MODE")
            signal.finish()
            isWritten.wait()
        }
        for await _ in locked {}
        for id in 1...65 { try await database.insert(id) }
        let rows = try await knownRows(database)
        #expect(rows <= 0)
        isWritten.signal()
        try await lock
        #expect(try await database.ids().count == 65)
        await other.close()
        await database.close()
    }
}
