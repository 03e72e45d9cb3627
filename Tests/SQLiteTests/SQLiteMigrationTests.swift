import SQL
import SQLite
import TestSupport
import Testing

@Suite struct SQLiteMigrationTests {
    private let directory: TemporaryDirectory
    private let first = SQLMigration(1, "accounts", "CREATE TABLE accounts (id TEXT PRIMARY KEY) STRICT")
    private let second = SQLMigration(
        2, "e-mail",
        """
        ALTER TABLE accounts ADD COLUMN email TEXT;
        CREATE UNIQUE INDEX accounts_email ON accounts (email);
        """)

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func open() throws -> SQLiteDatabase {
        try SQLiteDatabase(.file(directory.appending("test.db")))
    }

    private func versions(_ database: SQLiteDatabase) async throws -> [Int] {
        try await database.read {
            try $0.rows("SELECT version FROM schema_migrations ORDER BY version").map { try $0.get("version") }
        }
    }

    @Test func whatIsMissingIsAppliedInOrderAndOnce() async throws {
        let database = try open()
        try await database.migrate([first])
        #expect(try await versions(database) == [1])
        try await database.write { try $0.execute("INSERT INTO accounts (id) VALUES ('a1')") }
        for _ in 0..<2 { try await database.migrate([first, second]) }
        #expect(try await versions(database) == [1, 2])
        #expect(try await database.read { try $0.rows("SELECT id, email FROM accounts").count } == 1)
    }

    @Test func aDatabaseOfALaterProgramIsRefused() async throws {
        let database = try open()
        try await database.migrate([first, second])
        await #expect(throws: SQLError.schemaNewer(found: 2, known: 1)) { try await database.migrate([first]) }
    }

    @Test func anEditedMigrationIsRefused() async throws {
        let database = try open()
        try await database.migrate([first])
        let edited = SQLMigration(1, "accounts", first.sql + " ")
        await #expect(throws: SQLError.migrationChanged(version: 1, name: "accounts")) {
            try await database.migrate([edited, second])
        }
        #expect(try await versions(database) == [1])
    }

    @Test func oneThatFailsLeavesTheSchemaAsItWas() async throws {
        let database = try open()
        try await database.migrate([first])
        let broken = SQLMigration(3, "broken", "CREATE TABLE more (id TEXT); INSERT INTO nowhere VALUES (1)")
        await #expect(throws: SQLError.self) { try await database.migrate([first, second, broken]) }
        #expect(try await versions(database) == [1])
        let tables = try await database.read {
            try $0.tables().map(\.name)
        }
        #expect(tables == ["accounts", "schema_migrations", "store_epoch"])
    }

    @Test func ofManyStartersOneMigrates() async throws {
        let (first, second) = (first, second)
        let path = directory.appending("test.db")
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    // A connection of its own, as another process has.
                    let database = try SQLiteDatabase(.file(path), readers: 1)
                    try await database.migrate([first, second])
                    await database.close()
                }
            }
            try await group.waitForAll()
        }
        #expect(try await versions(open()) == [1, 2])
    }
}
