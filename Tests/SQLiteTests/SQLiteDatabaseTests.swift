import Foundation
import SQL
import SQLite
import TestSupport
import Testing

/// What SQLite does beside the contract of every engine, which `SQLTests` holds it to.
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

    @Test func theLastToCloseFoldsTheJournalIntoTheFile() async throws {
        let database = try await open(.file(directory.appending("test.db")))
        try await database.write { try $0.execute("INSERT INTO notes (id) VALUES (1)") }
        #expect(FileManager.default.fileExists(atPath: directory.appending("test.db-wal")))
        await database.close()
        #expect(!FileManager.default.fileExists(atPath: directory.appending("test.db-wal")))
    }

    @Test func textMayHoldANUL() async throws {
        let database = try await open(.memory)
        let text: String? = try await database.write {
            try $0.firstRow("INSERT INTO notes (text) VALUES ($1) RETURNING text", "é\u{0}日本")?.get("text")
        }
        #expect(text == "é\u{0}日本")
        await database.close()
    }

    @Test(arguments: ["SELECT ?", "SELECT :name", "SELECT $2", "SELECT $x", "SELECT 1; SELECT 2", "", "-- nothing"])
    func whatIsNotOneStatementWithNumberedParametersIsMisuse(sql: String) async throws {
        let database = try await open(.memory)
        do {
            try await database.write { try $0.execute(sql, 1) }
            Issue.record("not refused")
        } catch SQLError.other(let code, _) {
            #expect(code == "21")
        }
        await database.close()
    }

    @Test func aMisspeltColumnInQuotesIsNotTakenForText() async throws {
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
