import Foundation
import Postgres
import SQL
import Synchronization
import TestSupport
import Testing

/// How many connections a database opens, keeps and gives back.
@Suite struct PostgresPoolTests {
    private let server: RunningPostgres
    private let address: String
    private let name: String

    init() async throws {
        server = try await RunningPostgres.shared()
        address = try await server.makeDatabase()
        name = try #require(address.split(separator: "/").last.map(String.init))
    }

    private func open(
        _ connections: Int, limits: PostgresDatabase.Limits = .longRunning, as address: String? = nil,
        schema: String = "tests", pool: PostgresConnectionPool = PostgresConnectionPool()
    ) async throws -> PostgresDatabase {
        try await PostgresDatabase(
            PostgresURL(address ?? self.address), schema: schema, connections: connections, limits: limits, pool: pool)
    }

    /// The sessions in this database.
    private func sessions() async throws -> Int {
        let count = try await server.run(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(name)' AND backend_type = 'client backend'")
        return try #require(Int(count))
    }

    /// The address of a role that may have a few connections, and schemas for it.
    private func limitedAddress(_ connections: Int) async throws -> String {
        try await server.run(
            """
            CREATE ROLE "\(name)_few" LOGIN PASSWORD 'few' CONNECTION LIMIT \(connections);
            CREATE SCHEMA tests AUTHORIZATION "\(name)_few"; CREATE SCHEMA others AUTHORIZATION "\(name)_few";
            """, database: name)
        return server.address(of: name, user: "\(name)_few", password: "few")
    }

    /// Bodies that wait until they are let go.
    private final class Gate: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private let state = Mutex<(running: Int, most: Int)>((0, 0))

        var running: Int { state.withLock(\.running) }
        var most: Int { state.withLock(\.most) }

        func pass() {
            state.withLock { state in
                state.running += 1
                state.most = max(state.most, state.running)
            }
            semaphore.wait()
            state.withLock { $0.running -= 1 }
        }

        func open(for count: Int) {
            for _ in 0..<count { semaphore.signal() }
        }
    }

    /// Eight connections: five for transactions, two for queries, one for long reads.
    @Test func poolStopsAtItsBound() async throws {
        let database = try await open(8)
        try await database.migrate(numbers)
        let gate = Gate()
        try await withThrowingTaskGroup { group in
            for _ in 0..<40 { group.addTask { try await database.read { _ in gate.pass() } } }
            group.addTask { try await database.longRead { _ in gate.pass() } }
            for _ in 0..<10 { group.addTask { _ = try await database.rows(SQLQuery("SELECT id FROM numbers", [])) } }
            try await eventually("every thread had a body") { gate.running == 6 }
            #expect(try await sessions() <= 8)
            gate.open(for: 41)
            try await group.waitForAll()
        }
        #expect(gate.most == 6)
        #expect(try await sessions() <= 8)
        await database.close()
        try await eventually("every connection was closed") { try await sessions() == 0 }
    }

    @Test(arguments: [1, 2, 3, 4, 64])
    func everyBoundServesEveryKindOfWork(connections: Int) async throws {
        let database = try await open(connections)
        try await database.migrate(numbers)
        try await withThrowingTaskGroup { group in
            // Fewer than the long reads that may wait; one more is refused.
            for id in 0..<12 {
                group.addTask {
                    try await database.insert(id)
                    _ = try await database.rows(SQLQuery("SELECT id FROM numbers", []))
                    _ = try await database.longRead { try $0.rows("SELECT id FROM numbers") }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await database.ids().count == 12)
        #expect(try await sessions() <= connections)
        await database.close()
    }

    /// A caller that is cancelled while it waits still gets its result, and takes no connection with it.
    @Test func cancelledCallersLeaveConnections() async throws {
        let database = try await open(2)
        try await database.migrate(numbers)
        let gate = Gate()
        let callers = (0..<20).map { _ in Task { try await database.read { _ in gate.pass() } } }
        try await eventually("every thread had a body") { gate.running == 2 }
        for caller in callers { caller.cancel() }
        gate.open(for: 20)
        for caller in callers { _ = await caller.result }
        for id in 0..<20 { try await database.insert(id) }
        #expect(try await database.ids().count == 20)
        #expect(try await sessions() <= 2)
        await database.close()
        try await eventually("every connection was closed") { try await sessions() == 0 }
    }

    /// The periodic work of an idle process begins together, and is short.
    @Test func shortJobsThatBeginTogetherShareConnections() async throws {
        var limits = PostgresDatabase.Limits.longRunning
        limits.idleTimeout = .milliseconds(200)
        let database = try await open(8, limits: limits)
        try await database.migrate(numbers)
        try await eventually("two connections were enough") {
            try await withThrowingTaskGroup { group in
                for _ in 0..<4 { group.addTask { _ = try await database.ids() } }
                try await group.waitForAll()
            }
            return try await sessions() <= 2
        }
        await database.close()
    }

    @Test func idleConnectionsAreClosed() async throws {
        var limits = PostgresDatabase.Limits.longRunning
        limits.idleTimeout = .milliseconds(1)
        let database = try await open(8, limits: limits)
        try await database.migrate(numbers)
        let gate = Gate()
        try await withThrowingTaskGroup { group in
            for _ in 0..<5 { group.addTask { try await database.read { _ in gate.pass() } } }
            try await eventually("every thread had a body") { gate.running == 5 }
            #expect(try await sessions() >= 5)
            gate.open(for: 5)
            try await group.waitForAll()
        }
        try await eventually("one connection was left") {
            _ = try await database.ids()
            return try await sessions() <= 1
        }
        await database.close()
    }

    /// A server without a free slot is no reason to wait without end.
    @Test func missingSlotIsReportedAndUsedWhenItIsFree() async throws {
        let few = try await limitedAddress(1)
        var limits = PostgresDatabase.Limits.longRunning
        limits.freeSlotTimeout = .milliseconds(300)
        limits.freeSlotInterval = .milliseconds(50)
        let holder = try await open(1, as: few)
        let gate = Gate()
        let holding = Task {
            try await holder.read { transaction in
                _ = try transaction.rows("SELECT 1 AS one")
                gate.pass()
            }
        }
        try await eventually("the slot was taken") { gate.running == 1 }
        let error = await refusal { _ = try await open(1, limits: limits, as: few, schema: "others") }
        #expect(error == .connectionsExhausted)
        #expect(error?.description.contains("no free connection slot") == true)
        gate.open(for: 1)
        try await holding.value
        await holder.close()
        let database = try await open(1, as: few, schema: "others")
        try await database.migrate(numbers)
        await database.close()
    }

    /// A query thread gets its slot from the idle connections of the other kind.
    @Test func idleConnectionMakesRoomForAnotherKind() async throws {
        let database = try await open(4, as: limitedAddress(1))
        try await database.write { try $0.run(script: numbers[0].sql) }
        for id in 0..<5 {
            try await database.insert(id)
            #expect(try await database.rows(SQLQuery("SELECT id FROM numbers", [])).count == id + 1)
        }
        await database.close()
    }

    /// A command opens several databases, with one connection for all.
    @Test func databasesOfCommandShareOneConnection() async throws {
        let few = try await limitedAddress(1)
        let pool = PostgresConnectionPool(isSingle: true)
        let first = try await open(1, as: few, pool: pool)
        let second = try await open(1, as: few, schema: "others", pool: pool)
        for database in [first, second] { try await database.migrate(numbers) }
        for id in 0..<3 {
            for database in [first, second] { try await database.insert(id) }
        }
        #expect(try await first.ids() == [0, 1, 2])
        #expect(try await second.ids() == [0, 1, 2])
        await first.close()
        await second.close()
        try await eventually("the connection was closed") { try await sessions() == 0 }
    }
}
