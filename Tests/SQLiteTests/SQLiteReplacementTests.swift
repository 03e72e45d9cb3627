import Foundation
import SQL
import SQLite
import TestSupport
import Testing

/// A restore puts another file in the place of a database, while processes use it.
@Suite struct SQLiteReplacementTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let draft: String
    private static let migrations = [SQLMigration(1, "notes", "CREATE TABLE notes (text TEXT PRIMARY KEY)")]

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.appending("test.sqlite")
        draft = SQLiteReplacement.draft(of: path)
        try SQLiteArchive.make(draft) { archive in
            try archive.apply(Self.migrations)
            try archive.execute("INSERT INTO notes (text) VALUES ('new')")
        }
    }

    private func open() async throws -> SQLiteDatabase {
        let database = try SQLiteDatabase(.file(path))
        try await database.migrate(Self.migrations)
        return database
    }

    private func notes(_ database: SQLiteDatabase) async throws -> [String] {
        try await database.read { try $0.rows("SELECT text FROM notes ORDER BY text").map { try $0.get("text") } }
    }

    private func fill(_ database: SQLiteDatabase) async throws {
        try await database.write { try $0.execute("INSERT INTO notes (text) VALUES ('old')") }
    }

    @Test func unusedDatabaseIsReplaced() async throws {
        let former = try await open()
        try await fill(former)
        await former.close()
        try SQLiteReplacement(of: path).finish(with: draft)
        let database = try await open()
        #expect(try await notes(database) == ["new"])
        // Its commits are counted anew.
        try await fill(database)
        await database.close()
        let again = try await open()
        #expect(try await notes(again) == ["new", "old"])
        await again.close()
    }

    @Test func missingDatabaseIsCreated() async throws {
        try SQLiteReplacement(of: path).finish(with: draft)
        let database = try await open()
        #expect(try await notes(database) == ["new"])
        await database.close()
    }

    /// Every process has closed the old file before the new one gets its name, so no journal belongs to both.
    @Test func replacementWaitsForOpenDatabases() async throws {
        let users = try await [open(), open(), open()]
        try await fill(users[0])
        let replacement = try SQLiteReplacement(of: path)
        let end = Task { [draft] in try await onThread { try replacement.finish(with: draft) } }
        for user in users {
            #expect(try await notes(user) == ["old"])
            #expect(FileManager.default.fileExists(atPath: draft))
            await user.close()
        }
        try await end.value
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        let database = try await open()
        #expect(try await notes(database) == ["new"])
        await database.close()
    }

    /// A process that starts meanwhile waits, and opens the new file.
    @Test func openingWaitsForReplacement() async throws {
        let former = try await open()
        try await fill(former)
        await former.close()
        let replacement = try SQLiteReplacement(of: path)
        let opening = Task { [path] in try await onThread { try SQLiteDatabase(.file(path)) } }
        try replacement.finish(with: draft)
        let database = try await opening.value
        #expect(try await notes(database) == ["new"])
        await database.close()
    }

    @Test func cancelledReplacementChangesNothing() async throws {
        let former = try await open()
        try await fill(former)
        try SQLiteReplacement(of: path).cancel()
        let other = try await open()
        #expect(try await notes(other) == ["old"])
        await other.close()
        await former.close()
    }

    /// A million accounts are a gigabyte, which the first process need not read again while callers wait.
    @Test(arguments: [true, false]) func newFileIsNotCheckedAgain(isUnchanged: Bool) throws {
        try SQLiteArchive.change(draft) { archive in
            for number in 0..<2000 {
                try archive.execute("INSERT INTO notes (text) VALUES ($1)", .text("note \(number) with some length"))
            }
        }
        try SQLiteReplacement(of: path).finish(with: draft)
        var status = stat()
        #expect(stat(path, &status) == 0)
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.seek(toOffset: UInt64(status.st_size) - 4096)
        try file.write(contentsOf: Data(repeating: 0xff, count: 64))
        try file.close()
        if isUnchanged {
            var times = [status.st_atim, status.st_mtim]
            #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
            _ = try SQLiteDatabase(.file(path), isChecked: true)
        }
        #expect(throws: SQLError.damaged(path: path)) { _ = try SQLiteDatabase(.file(path), isChecked: true) }
    }

    @Test func missingDraftLeavesDatabase() async throws {
        let former = try await open()
        try await fill(former)
        await former.close()
        SQLiteArchive.remove(draft)
        #expect(throws: SQLError.self) { try SQLiteReplacement(of: path).finish(with: draft) }
        let database = try await open()
        #expect(try await notes(database) == ["old"])
        await database.close()
    }

    @Test func copyContainsOneSnapshotOfDatabaseInUse() async throws {
        let database = try await open()
        try await fill(database)
        let copy = directory.appending("copy.sqlite")
        try SQLiteArchive.copy(path, to: copy)
        try await database.write { try $0.execute("DELETE FROM notes") }
        try SQLiteArchive.check(copy)
        let texts = try SQLiteArchive.read(copy) { archive -> [String] in
            try archive.rows("SELECT text FROM notes").map { try $0.get("text") }
        }
        #expect(texts == ["old"])
        let mode = try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(throws: SQLError.self) { try SQLiteArchive.copy(path, to: copy) }
        await database.close()
    }
}
