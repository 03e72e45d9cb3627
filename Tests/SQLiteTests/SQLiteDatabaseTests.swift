import Foundation
import SQL
import SQLite
import TestSupport
import Testing

/// The behavior of SQLite beyond the common contract, which `SQLTests` tests.
@Suite struct SQLiteDatabaseTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func open(_ location: SQLiteDatabase.Location) async throws -> SQLiteDatabase {
        let database = try SQLiteDatabase(location)
        try await database.migrate([SQLMigration(1, "notes", Notes.schema)])
        return database
    }

    @Test func lastCloseFoldsJournalIntoFile() async throws {
        let database = try await open(.file(directory.appending("test.db")))
        try await database.write { try $0.execute("INSERT INTO notes (id) VALUES (1)") }
        #expect(FileManager.default.fileExists(atPath: directory.appending("test.db-wal")))
        await database.close()
        #expect(!FileManager.default.fileExists(atPath: directory.appending("test.db-wal")))
    }

    @Test func textCanContainNUL() async throws {
        let database = try await open(.memory)
        let text: String? = try await database.write {
            try $0.firstRow("INSERT INTO notes (text) VALUES ($1) RETURNING text", "é\u{0}日本")?.get("text")
        }
        #expect(text == "é\u{0}日本")
        await database.close()
    }

    @Test(arguments: ["SELECT ?", "SELECT :name", "SELECT $2", "SELECT $x", "SELECT 1; SELECT 2", "", "-- nothing"])
    func malformedStatementIsMisuse(sql: String) async throws {
        let database = try await open(.memory)
        do {
            try await database.write { try $0.execute(sql, 1) }
            Issue.record("not refused")
        } catch SQLError.other(let code, _) {
            #expect(code == "21")
        }
        await database.close()
    }

    @Test func misspelledQuotedColumnIsNotText() async throws {
        let database = try await open(.memory)
        do {
            _ = try await database.read { try $0.rows("SELECT \"colour\" FROM notes") }
            Issue.record("not refused")
        } catch SQLError.other(_, let message) {
            #expect(message.contains("colour"))
        }
        await database.close()
    }
}

enum Notes {
    static let schema =
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT UNIQUE, parent INTEGER REFERENCES notes) STRICT"
}

/// A statement that takes longer than a caller waits is interrupted, and the work of other callers is not affected.
@Suite struct StatementTimeTests {
    /// Counts for minutes.
    private static let endless = """
        WITH RECURSIVE counter (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM counter)
        SELECT COUNT(*) AS count FROM counter WHERE number < 0
        """

    @Test func slowReadIsInterrupted() async throws {
        let directory = try TemporaryDirectory()
        let database = try SQLiteDatabase(
            .file(directory.appending("a.sqlite")), readers: 1, statementTime: .milliseconds(20))
        await #expect(throws: SQLError.timedOut) {
            try await database.read { _ = try $0.rows(Self.endless) }
        }
        #expect(try await database.read { try $0.firstRow("SELECT 1 AS one")?.get("one") } == 1)
        await database.close()
    }

    @Test func slowWriteIsInterruptedWithoutAffectingItsBatch() async throws {
        let directory = try TemporaryDirectory()
        let database = try SQLiteDatabase(.file(directory.appending("a.sqlite")), statementTime: .milliseconds(20))
        try await database.write { try $0.execute("CREATE TABLE notes (number INTEGER PRIMARY KEY)") }
        try await withThrowingTaskGroup { group in
            for number in 0..<8 as Range<Int64> {
                group.addTask {
                    try await database.write {
                        try $0.execute("INSERT INTO notes (number) VALUES ($1)", .integer(number))
                    }
                }
            }
            group.addTask {
                await #expect(throws: SQLError.timedOut) {
                    try await database.write {
                        try $0.execute("INSERT INTO notes (number) \(Self.endless)")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await database.read { try $0.firstRow("SELECT COUNT(*) AS count FROM notes")?.get("count") } == 8)
        await database.close()
    }

    @Test func migrationHasNoTimeLimit() async throws {
        let database = try SQLiteDatabase(.memory, statementTime: .nanoseconds(1))
        let rows = """
            CREATE TABLE numbers (number INTEGER PRIMARY KEY);
            INSERT INTO numbers WITH RECURSIVE counter (number) AS
                (SELECT 1 UNION ALL SELECT number + 1 FROM counter WHERE number < 20000) SELECT number FROM counter;
            """
        try await database.migrate([SQLMigration(1, "numbers", rows)])
        await database.close()
    }
}
