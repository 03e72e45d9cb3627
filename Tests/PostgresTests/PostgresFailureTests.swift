import Foundation
import Postgres
import SQL
import Synchronization
import TestSupport
import Testing

/// The results that callers get, and the fate of their writes, when the server fails during a transaction.
@Suite struct PostgresFailureTests {
    private func open(
        _ url: PostgresURL, connections: Int = 1, limits: PostgresDatabase.Limits = .longRunning
    ) async throws -> PostgresDatabase {
        let database = try await PostgresDatabase(url, schema: "tests", connections: connections, limits: limits)
        try await database.migrate(numbers)
        return database
    }

    /// Terminates every connection of a database, as an administrator does.
    private func terminate(_ transaction: borrowing SQLTransaction) throws {
        _ = try transaction.rows(
            """
            SELECT pg_terminate_backend(pid) AS done FROM pg_catalog.pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """)
    }

    @Test func deadConnectionIsReplaced() async throws {
        let url = try await freshURL()
        let (database, other) = (try await open(url), try await open(url))
        try await database.insert(1)
        try await other.write { try terminate($0) }
        try await database.insert(2)
        try await other.write { try terminate($0) }
        #expect(try await database.ids() == [1, 2])
        await database.close()
        await other.close()
    }

    @Test func queryRunsAgainAfterConnectionIsLost() async throws {
        let url = try await freshURL()
        let (database, other) = (try await open(url, connections: 4), try await open(url))
        try await database.insert(1)
        let query = SQLQuery("SELECT id FROM numbers", [])
        for _ in 0..<3 {
            #expect(try await database.rows(query).count == 1)
            try await other.write { try terminate($0) }
        }
        #expect(try await database.rows(query).count == 1)
        await database.close()
        await other.close()
    }

    /// Another process changes the columns of a prepared query.
    @Test func staleQueryIsPreparedAgain() async throws {
        let url = try await freshURL()
        let (database, other) = (try await open(url, connections: 4), try await open(url))
        try await database.insert(1)
        let query = SQLQuery("SELECT * FROM numbers", [])
        #expect(try await database.rows(query).first?.positions.count == 2)
        try await other.write { try $0.run(script: "ALTER TABLE numbers ADD COLUMN more INTEGER") }
        #expect(try await database.rows(query).first?.positions.count == 3)
        await database.close()
        await other.close()
    }

    /// An idle connection holds no snapshot: it would keep the server from removing old rows.
    @Test func idleConnectionHasNoTransaction() async throws {
        let url = try await freshURL()
        let (database, other) = (try await open(url, connections: 4), try await open(url))
        for _ in 0..<20 {
            _ = try await database.ids()
            _ = try await database.rows(SQLQuery("SELECT id FROM numbers", []))
        }
        try await eventually("the reads have ended on the server") {
            try await other.read { transaction in
                try transaction.rows(
                    """
                    SELECT 1 AS one FROM pg_catalog.pg_stat_activity WHERE datname = current_database()
                    AND pid <> pg_backend_pid() AND state <> 'idle' AND backend_type = 'client backend'
                    """
                ).isEmpty
            }
        }
        await database.close()
        await other.close()
    }

    /// Counts the runs of a body, and holds up the first one while another task does something.
    private final class HeldBody: Sendable {
        private let counter = Mutex(0)

        var runs: Int { counter.withLock(\.self) }

        /// Blocks the thread of the body.
        func run(behind other: @Sendable @escaping () async throws -> Void) {
            let run = counter.withLock { runs in
                runs += 1
                return runs
            }
            guard run == 1 else { return }
            let isDone = DispatchSemaphore(value: 0)
            Task {
                defer { isDone.signal() }
                try await other()
            }
            isDone.wait()
        }
    }

    @Test func bodyRunsAgainAfterConnectionIsLostBeforeCommit() async throws {
        let url = try await freshURL()
        let (database, other) = (try await open(url), try await open(url))
        let held = HeldBody()
        try await database.write { transaction in
            try transaction.execute("INSERT INTO numbers (id, value) VALUES (1, 0)")
            held.run { try await other.write { try terminate($0) } }
            try transaction.execute("INSERT INTO numbers (id, value) VALUES (2, 0)")
        }
        #expect(held.runs == 2)
        #expect(try await database.ids() == [1, 2])
        await database.close()
        await other.close()
    }

    /// Another transaction waits for a row that the hanging one has changed, and for no longer than the limit.
    /// - Parameter isAtCommit: whether the body hangs after its last statement.
    @Test(arguments: [false, true]) func transactionThatHangsIsAborted(isAtCommit: Bool) async throws {
        let url = try await freshURL()
        var limits = PostgresDatabase.Limits.longRunning
        limits.idleTransactionTimeout = .milliseconds(100)
        let (database, other) = (try await open(url, limits: limits), try await open(url, limits: .longRunning))
        try await other.insert(1)
        let increment = "UPDATE numbers SET value = value + 1 WHERE id = 1"
        let held = HeldBody()
        try await database.write { transaction in
            try transaction.execute(increment)
            held.run { try await other.write { try $0.execute(increment) } }
            if !isAtCommit { _ = try transaction.rows("SELECT id FROM numbers") }
        }
        let value: Int = try await other.read { transaction in
            try #require(try transaction.firstRow("SELECT value FROM numbers")).get("value")
        }
        #expect(value == 2)
        // At least: on a busy machine the second run is aborted, too.
        #expect(held.runs >= 2)
        await database.close()
        await other.close()
    }

    /// The commit itself fails on a trigger that terminates its own connection: its outcome is unknown.
    /// - Parameter isLater: whether the statement is sent with the commit.
    @Test(arguments: [false, true]) func lostConnectionDuringCommitIsNotRetried(isLater: Bool) async throws {
        let database = try await open(try await freshURL())
        try await database.write { transaction in
            try transaction.run(
                script: """
                    CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS
                        'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';
                    CREATE CONSTRAINT TRIGGER dies AFTER INSERT ON numbers
                        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION die();
                    """)
        }
        let runs = Mutex(0)
        let error = await refusal {
            try await database.write { transaction in
                runs.withLock { $0 += 1 }
                _ = try transaction.rows("SELECT id FROM numbers")
                let insertion = "INSERT INTO numbers (id, value) VALUES (1, 0)"
                if isLater {
                    try transaction.executeLater(insertion, parameters: [])
                } else {
                    try transaction.execute(insertion)
                }
            }
        }
        #expect(error?.isUnavailable == true)
        #expect(runs.withLock { $0 } == 1)
        #expect(try await database.ids() == [])
        await database.close()
    }

    @Test func stoppedServerIsUnavailableUntilRestart() async throws {
        let server = try await RunningPostgres()
        let database = try await open(PostgresURL(try await server.makeDatabase()), connections: 4)
        try await database.insert(1)
        try await server.kill()
        for _ in 0..<20 {
            let error = await refusal { _ = try await database.ids() }
            #expect(error?.isUnavailable == true)
        }
        try await server.restart()
        try await eventually("the database was used again") {
            // `try?`: the server is still unavailable for a moment.
            (try? await database.ids()) == [1]
        }
        try await database.insert(2)
        #expect(try await database.ids() == [1, 2])
        await database.close()
    }

    @Test func suspendedServerTimesOutAndIsUsedAgainAfterwards() async throws {
        let server = try await RunningPostgres()
        let database = try await open(
            PostgresURL(try await server.makeDatabase()), connections: 4, limits: shortLimits())
        try await database.insert(1)
        try server.suspend()
        // More jobs than connections, so that some find one, some must connect, and some wait in the queue.
        await withTaskGroup(of: SQLError?.self) { group in
            for id in 10..<40 { group.addTask { await refusal { try await database.insert(id) } } }
            for await error in group { #expect(error?.isUnavailable == true) }
        }
        try server.resume()
        try await eventually("the database was used again") { (try? await database.ids())?.contains(1) == true }
        await database.close()
    }

    /// Each writer stores pairs of rows under one commit and records the ids of the acknowledged ones.
    @Test func acknowledgedWritesSurviveKilledServerCompletely() async throws {
        let server = try await RunningPostgres()
        let database = try await open(
            PostgresURL(try await server.makeDatabase()), connections: 8, limits: shortLimits())
        let tally = Tally()
        try await withThrowingTaskGroup { group in
            for writer in 0..<16 {
                group.addTask { await tally.write(in: database, from: writer * 1_000_000) }
            }
            for _ in 0..<2 {
                let before = tally.acknowledged.count
                try await eventually("more was written") { tally.acknowledged.count > before + 100 }
                try await server.kill()
                try await server.restart()
            }
            let before = tally.acknowledged.count
            try await eventually("writing went on") { tally.acknowledged.count > before + 20 }
            tally.finish()
            try await group.waitForAll()
        }
        let stored = Set(try await database.ids())
        #expect(tally.acknowledged.isSubset(of: stored))
        #expect(stored.allSatisfy { stored.contains($0 ^ 1) })
        await database.close()
    }

    @Test func jobPastItsQueueTimeoutIsRefused() async throws {
        var limits = PostgresDatabase.Limits.longRunning
        limits.queueTimeout = .seconds(2)
        let url = try await freshURL()
        let database = try await waitFor("the database opened within the limit") {
            // `try?`: the limit also applies to the waits of the opening itself.
            try? await open(url, limits: limits)
        }
        let gate = DispatchSemaphore(value: 0)
        let (running, runs) = AsyncStream<Void>.makeStream()
        let blocker = Task {
            try await database.read { _ in
                runs.yield()
                gate.wait()
            }
        }
        for await _ in running { break }
        let late = Task { await refusal { _ = try await database.ids() } }
        // The test waits for the limit itself. The other job came earlier, or comes too late to be served.
        let start = ContinuousClock.now
        try await eventually("the limit passed") { ContinuousClock.now - start > .seconds(4) }
        gate.signal()
        try await blocker.value
        let result = await late.value
        #expect(result == .overloaded)
        await database.close()
    }

    @Test func jobsRunOnAvailableConnections() async throws {
        let server = try await RunningPostgres.shared()
        let address = try await server.makeDatabase()
        let name = try #require(address.split(separator: "/").last.map(String.init))
        let role = "\(name)_few"
        try await server.run(
            """
            CREATE ROLE "\(role)" LOGIN PASSWORD 'few' CONNECTION LIMIT 2; CREATE SCHEMA tests AUTHORIZATION "\(role)";
            """, database: name)
        let database = try await PostgresDatabase(
            PostgresURL(server.address(of: name, user: role, password: "few")), schema: "tests", connections: 8,
            limits: .longRunning)
        try await database.write { try $0.run(script: numbers[0].sql) }
        try await withThrowingTaskGroup { group in
            for id in 0..<100 { group.addTask { try await database.insert(id) } }
            try await group.waitForAll()
        }
        #expect(try await database.ids().count == 100)
        await database.close()
    }
}
