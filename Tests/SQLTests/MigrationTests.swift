import SQL
import Testing

@Suite struct MigrationTests {
    private let first = SQLMigration(1, "accounts", "CREATE TABLE accounts (id TEXT PRIMARY KEY)")
    private let second = SQLMigration(
        2, "e-mail",
        """
        ALTER TABLE accounts ADD COLUMN email TEXT;
        CREATE UNIQUE INDEX accounts_email ON accounts (email);
        """)

    private func versions(_ database: any SQLDatabase) async throws -> [Int] {
        try await database.read { try $0.appliedMigrations().map(\.version) }
    }

    @Test(arguments: Engine.allCases)
    func missingMigrationsAreAppliedInOrderOnce(engine: Engine) async throws {
        let database = try await EngineLocation(engine).open()
        try await database.migrate([first])
        #expect(try await versions(database) == [1])
        try await database.write { try $0.execute("INSERT INTO accounts (id) VALUES ('a1')") }
        for _ in 0..<2 { try await database.migrate([first, second]) }
        #expect(try await versions(database) == [1, 2])
        #expect(try await database.read { try $0.rows("SELECT id, email FROM accounts").count } == 1)
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func editedMigrationIsRefused(engine: Engine) async throws {
        let database = try await EngineLocation(engine).open()
        try await database.migrate([first])
        let edited = SQLMigration(1, "accounts", first.sql + " ")
        await #expect(throws: SQLError.migrationChanged(version: 1, name: "accounts")) {
            try await database.migrate([edited, second])
        }
        #expect(try await versions(database) == [1])
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func failedMigrationKeepsSchema(engine: Engine) async throws {
        let database = try await EngineLocation(engine).open()
        try await database.migrate([first])
        let broken = SQLMigration(3, "broken", "CREATE TABLE more (id TEXT); INSERT INTO nowhere VALUES (1)")
        await #expect(throws: SQLError.self) { try await database.migrate([first, second, broken]) }
        // On a server each migration is a transaction of its own.
        #expect(try await versions(database) == (engine == .postgres ? [1, 2] : [1]))
        await #expect(throws: SQLError.self) { try await database.read { try $0.rows("SELECT id FROM more") } }
        try await database.migrate([first, second])
        #expect(try await versions(database) == [1, 2])
        await database.close()
    }

    @Test(arguments: Engine.shared)
    func parallelStartsMigrateOnce(engine: Engine) async throws {
        let (first, second) = (first, second)
        let place = try await EngineLocation(engine)
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    // Separate connections, as in another process.
                    let database = try await place.open(connections: 1)
                    try await database.migrate([first, second])
                    await database.close()
                }
            }
            try await group.waitForAll()
        }
        let database = try await place.open()
        #expect(try await versions(database) == [1, 2])
        await database.close()
    }

    /// All of them find the first version and migrate to the second.
    @Test(arguments: Engine.shared)
    func parallelStartsApplyMissingMigrationOnce(engine: Engine) async throws {
        let (first, second) = (first, second)
        let place = try await EngineLocation(engine)
        let database = try await place.open()
        try await database.migrate([first])
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    let database = try await place.open(connections: 1)
                    try await database.migrate([first, second])
                    await database.close()
                }
            }
            try await group.waitForAll()
        }
        #expect(try await versions(database) == [1, 2])
        await database.close()
    }
}
