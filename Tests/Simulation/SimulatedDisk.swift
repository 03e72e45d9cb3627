// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import EventLoop
    import SQL
    import TestSupport

    @testable import SQLite

    /// The database of one service: SQLite in memory. It keeps what was committed when processes end.
    ///
    /// `@unchecked Sendable`: the scheduler runs everything on one thread.
    final class SimulatedDisk: @unchecked Sendable {
        typealias Instant = ContinuousClock.Instant

        let name: String
        let world: World
        /// Until then transactions may fail before their commit.
        var failsUntil = SimulatedTime.beginning
        /// Until then a commit may take effect whose caller gets an error.
        var losesRepliesUntil = SimulatedTime.beginning
        /// Until then a transaction may wait for seconds.
        var isSlowUntil = SimulatedTime.beginning
        /// Looks at what was committed.
        var inspect: () throws -> Void = {}
        private let connection: SQLiteConnection

        init(_ name: String, in world: World) throws {
            self.name = name
            self.world = world
            connection = try SQLiteConnection(.memory)
        }

        /// The time until which outcomes may not be stored.
        var troubleUntil: Instant { max(failsUntil, losesRepliesUntil) }

        /// Runs a body as a transaction of its own.
        func transaction<Result>(_ body: (borrowing SQLTransaction) throws -> Result) throws -> Result {
            let changesBefore = try changes
            try connection.run("BEGIN IMMEDIATE")
            let result: Result
            do {
                result = try body(SQLTransaction(on: connection, isReadOnly: false))
                try connection.run("COMMIT")
            } catch {
                if connection.isInTransaction { try connection.run("ROLLBACK") }
                throw error
            }
            if try changes != changesBefore { try inspect() }
            return result
        }

        /// Runs a body whose effects are taken back, as an engine does that runs it again.
        func attempt<Result>(_ body: (borrowing SQLTransaction) throws -> Result) throws {
            try connection.run("BEGIN IMMEDIATE")
            defer { if connection.isInTransaction { _ = try? connection.run("ROLLBACK") } }
            _ = try body(SQLTransaction(on: connection, isReadOnly: false))
        }

        func rows(_ sql: String, _ parameters: SQLValue...) throws -> [SQLRow] {
            try connection.run(sql, parameters, limit: .max, readOnly: true)
        }

        private var changes: Int64 {
            get throws { try connection.run("SELECT total_changes() AS changes", limit: 1).first?.get("changes") ?? 0 }
        }

        func close() { connection.close() }
    }

    /// The connections of one process to the database of its service. Transactions take time, and may be overtaken.
    final class SimulatedDatabase: SQLDatabase {
        private let disk: SimulatedDisk
        private let process: SimulatedProcess

        init(_ disk: SimulatedDisk, of process: SimulatedProcess) {
            self.disk = disk
            self.process = process
        }

        func write<Result: Sendable>(
            _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
        ) async throws -> Result {
            try await waitForDisk()
            try failBeforeCommit()
            if disk.world.random.chance(percent: 3) { try disk.attempt(body) }
            let result = try disk.transaction(body)
            let isLost = disk.losesRepliesUntil > disk.world.time.steady && disk.world.random.chance(percent: 20)
            try await waitForDisk()
            if isLost { throw SQLError.unavailable("the connection was lost during the commit") }
            return result
        }

        func read<Result: Sendable>(
            _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
        ) async throws -> Result {
            try await waitForDisk()
            try failBeforeCommit()
            return try disk.transaction { try body($0.readOnly) }
        }

        func rows(_ query: SQLQuery) async throws -> [SQLRow] { try await read { try $0.rows(query) } }

        func migrate(_ migrations: [SQLMigration]) async throws -> Int {
            try await write { try $0.apply(migrations).former }
        }

        func close() async {}

        /// - Throws: `SQLError.closed` at the end of the process.
        private func waitForDisk() async throws {
            let isSlow = disk.isSlowUntil > disk.world.time.steady && disk.world.random.chance(percent: 25)
            let longest = isSlow ? 6_000_000 : disk.world.random.chance(percent: 5) ? 20_000 : 300
            let pause = Duration.microseconds(1 + disk.world.random.index(below: longest))
            // In a task of its own: a stop of the process does not cancel a transaction. `try?`: its end is noticed below.
            await EventLoop.startTask { [process] in
                _ = try? await process.wait { resume in process.world.schedule(after: pause) { resume(()) } }
            }.value
            guard !process.isEnded else { throw SQLError.closed }
        }

        private func failBeforeCommit() throws {
            guard disk.failsUntil > disk.world.time.steady, disk.world.random.chance(percent: 40) else { return }
            switch disk.world.random.index(below: 3) {
            case 0: throw SQLError.full
            case 1: throw SQLError.busy
            default: throw SQLError.unavailable("the disk fails")
            }
        }
    }

#endif
