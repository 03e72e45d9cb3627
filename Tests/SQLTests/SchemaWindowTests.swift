import Dispatch
import SQL
import Testing

/// Releases beside each other on one database: an earlier one knows the beginning of the migrations of a later one.
@Suite struct SchemaWindowTests {
    private static let first = SQLMigration(
        1, "notes", "CREATE TABLE notes (id TEXT PRIMARY KEY, old TEXT NOT NULL DEFAULT '')")
    private static let expansion = SQLMigration(
        2, "more",
        "ALTER TABLE notes ADD COLUMN more INTEGER NOT NULL DEFAULT 0; CREATE INDEX notes_more ON notes (more)")
    private static let contraction = SQLMigration.contraction(
        3, "no old", compatibleSince: 2, "ALTER TABLE notes DROP COLUMN old")
    private static let last = SQLMigration(4, "last", "CREATE TABLE last (id TEXT PRIMARY KEY)")

    private func version(_ database: any SQLDatabase) async throws -> Int {
        try await database.read { try $0.schemaVersion() }
    }

    /// A process shows that it runs. For almost a minute, because statements take long on a busy machine.
    private func renew(_ processes: [SchemaProcess], in database: any SQLDatabase) async throws {
        try await database.write { transaction in
            for process in processes { try transaction.renew(process) }
            try transaction.execute("UPDATE schema_processes SET seen_at = seen_at + 29000")
        }
    }

    /// The statements of the earlier release are prepared before the migration and run after it.
    @Test(arguments: Engine.allCases)
    func earlierReleaseServesExpandedSchema(engine: Engine) async throws {
        let database = try await EngineLocation(engine).open(connections: 1)
        try await database.migrate([Self.first])
        let insert: @Sendable (String) async throws -> Void = { id in
            try await database.write { try $0.execute("INSERT INTO notes (id, old) VALUES ($1, 'x')", .text(id)) }
        }
        // Whose prepared plan must not change its result type on PostgreSQL.
        let everything: @Sendable () async throws -> Int = {
            try await database.read { try $0.rows("SELECT * FROM notes").count }
        }
        let changed: @Sendable () async throws -> Int = {
            try await database.write { try $0.rows("UPDATE notes SET old = 'y' RETURNING *").count }
        }
        try await insert("a")
        #expect(try await everything() == 1)
        #expect(try await changed() == 1)
        #expect(try await database.migrate([Self.first, Self.expansion]) == 1)
        try await insert("b")
        #expect(try await everything() == 2)
        #expect(try await changed() == 2)
        // Its next start, and again that of the later one.
        #expect(try await database.migrate([Self.first]) == 2)
        #expect(try await database.migrate([Self.first, Self.expansion]) == 2)
        #expect(try await version(database) == 2)
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func contractionWaitsForOperatorAndForEarlierProcesses(engine: Engine) async throws {
        let database = try await EngineLocation(engine).open()
        try await database.migrate([Self.first])
        let earlier = SchemaProcess(version: 1)
        let later = SchemaProcess(version: 3)
        for process in [earlier, later] { try await database.write { try $0.register(process) } }
        let release = [Self.first, Self.expansion, Self.contraction]
        #expect(try await database.migrate(release) == 1)
        #expect(try await version(database) == 2)
        // The next release, and an operator, find that the first one still runs.
        for migrations in [release.map(\.withoutWaiting), release + [Self.last]] {
            try await renew([earlier, later], in: database)
            await #expect(throws: SQLError.migrationWaits(.forPrograms(version: 3, name: "no old", processes: 1))) {
                try await database.migrate(migrations)
            }
        }
        #expect(try await version(database) == 2)
        try await database.write { try $0.remove(earlier) }
        #expect(try await database.migrate(release.map(\.withoutWaiting)) == 2)
        #expect(try await version(database) == 3)
        await #expect(throws: SQLError.schemaNewer(found: 3, needs: 2, known: 1)) {
            try await database.migrate([Self.first])
        }
        await #expect(throws: SQLError.schemaNewer(found: 3, needs: 2, known: 1)) {
            try await database.write { try $0.register(earlier) }
        }
        #expect(try await database.migrate([Self.first, Self.expansion]) == 3)
        #expect(try await database.migrate(release + [Self.last]) == 3)
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func newDatabaseHasAllMigrations(engine: Engine) async throws {
        let database = try await EngineLocation(engine).open()
        #expect(try await database.migrate([Self.first, Self.expansion, Self.contraction]) == 0)
        #expect(try await version(database) == 3)
        await database.close()
    }

    /// Rows of processes that were killed do not count, nor those of a clock that was wrong, and they do not pile up.
    @Test(arguments: Engine.allCases)
    func silentProcessesAreForgotten(engine: Engine) async throws {
        let database = try await EngineLocation(engine).open()
        try await database.migrate([Self.first])
        try await database.write { transaction in
            for version in 1...3 { try transaction.register(SchemaProcess(version: version)) }
            try transaction.execute("UPDATE schema_processes SET seen_at = seen_at - 31000 WHERE version = 1")
            try transaction.execute("UPDATE schema_processes SET seen_at = seen_at + 900000 WHERE version = 2")
            // One that runs for almost a minute from now, and one of a release that did not record itself.
            try transaction.execute("UPDATE schema_processes SET seen_at = seen_at + 29000 WHERE version = 3")
            try transaction.execute(
                "INSERT INTO store_probe (id, probed_at) SELECT 1, MAX(seen_at) FROM schema_processes WHERE version = 3"
            )
        }
        #expect(try await database.read { try SchemaState(of: $0).processes } == [0: 1, 3: 1])
        try await database.write { try $0.register(SchemaProcess(version: 4)) }
        let rows = try await database.read { try $0.rows("SELECT version FROM schema_processes ORDER BY version") }
        #expect(try rows.map { try $0.get("version") as Int } == [1, 3, 4])
        await database.close()
    }

    /// A database of a release that recorded nothing is not served by an older one.
    @Test(arguments: Engine.allCases)
    func databaseWithoutRecordNeedsItsOwnRelease(engine: Engine) async throws {
        let database = try await EngineLocation(engine).open()
        try await database.migrate([Self.first, Self.expansion])
        try await database.write { try $0.execute("DELETE FROM schema_window") }
        await #expect(throws: SQLError.schemaNewer(found: 2, needs: 2, known: 1)) {
            try await database.migrate([Self.first])
        }
        await database.close()
    }

    /// A transaction that holds a table delays the migration, and readers of the table are not refused meanwhile.
    @Test func heldTableDelaysMigrationOnly() async throws {
        let place = try await EngineLocation(.postgres)
        let (database, other) = (try await place.open(), try await place.open())
        try await database.migrate([Self.first])
        let (release, releasing) = AsyncStream.makeStream(of: Never.self)
        let (held, holding) = AsyncStream.makeStream(of: Never.self)
        let holder = Task {
            try await other.read { transaction in
                _ = try transaction.rows("SELECT id FROM notes")
                holding.finish()
                // The thread of the connection: the transaction stays open until the reads below are done.
                let done = DispatchSemaphore(value: 0)
                Task {
                    for await _ in release {}
                    done.signal()
                }
                done.wait()
            }
        }
        for await _ in held {}
        let migration = Task { try await database.migrate([Self.first, Self.expansion]) }
        for _ in 0..<20 { #expect(try await other.read { try $0.rows("SELECT id FROM notes").isEmpty }) }
        #expect(try await version(other) == 1)
        releasing.finish()
        try await holder.value
        #expect(try await migration.value == 1)
        #expect(try await version(other) == 2)
        for database in [database, other] { await database.close() }
    }
}
