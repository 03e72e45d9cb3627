import Foundation
import SQL
import SQLite
import Synchronization
import TestSupport
import Testing

@Suite struct SQLiteDatabaseTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var file: SQLiteDatabase.Location { .file(directory.appending("test.db")) }

    private func open(_ location: SQLiteDatabase.Location) async throws -> SQLiteDatabase {
        let database = try SQLiteDatabase(location)
        try await database.migrate([SQLMigration(1, "notes", Notes.schema)])
        return database
    }

    private func bothLocations() -> [SQLiteDatabase.Location] { [file, .memory] }

    @Test func anAnsweredWriteIsThereForAnotherConnection() async throws {
        let database = try await open(file)
        try await database.write { try $0.execute("INSERT INTO notes (id, text) VALUES ($1, $2)", 1, "kept") }
        // Opened while the first is still open, as after a crash: nothing was closed or checkpointed.
        let other = try SQLiteDatabase(file)
        let text: String? = try await other.read { try $0.firstRow("SELECT text FROM notes")?.get("text") }
        #expect(text == "kept")
    }

    @Test func aWriteReadsWhatItWroteAndAReadSeesTheCommit() async throws {
        for location in bothLocations() {
            let database = try await open(location)
            let changes = try await database.write { transaction in
                try transaction.execute("INSERT INTO notes (id, text) VALUES ($1, $2), ($3, NULL)", 1, "a", 2)
                #expect(try transaction.rows("SELECT id FROM notes").count == 2)
                return transaction.changes
            }
            #expect(changes == 2)
            #expect(try await database.read { try $0.rows("SELECT id FROM notes").count } == 2)
            await database.close()
        }
    }

    @Test func aBodyThatThrowsIsTakenBackAndItsErrorReachesItsCaller() async throws {
        struct Refusal: Error {}
        let database = try await open(.memory)
        await #expect(throws: Refusal.self) {
            try await database.write { transaction in
                try transaction.execute("INSERT INTO notes (id) VALUES (1)")
                throw Refusal()
            }
        }
        #expect(try await database.read { try $0.rows("SELECT id FROM notes").isEmpty })
    }

    @Test func aReadCannotWrite() async throws {
        for location in bothLocations() {
            let database = try await open(location)
            await #expect(throws: SQLError.writeInRead) {
                try await database.read { try $0.execute("INSERT INTO notes (id) VALUES (1)") }
            }
            #expect(try await database.read { try $0.rows("SELECT id FROM notes").isEmpty })
            await database.close()
        }
    }

    @Test func aReadKeepsItsSnapshotWhileOthersWrite() async throws {
        let database = try await open(file)
        let counts = try await database.read { transaction in
            let before = try transaction.rows("SELECT id FROM notes").count
            // The reading thread waits for a commit of the writing one: it must not be blocked by us.
            let written = DispatchSemaphore(value: 0)
            Task {
                try await database.write { try $0.execute("INSERT INTO notes (id) VALUES (1)") }
                written.signal()
            }
            written.wait()
            return [before, try transaction.rows("SELECT id FROM notes").count]
        }
        #expect(counts == [0, 0])
        #expect(try await database.read { try $0.rows("SELECT id FROM notes").count } == 1)
    }

    @Test func ofManyConsumersOfOneCodeOneWins() async throws {
        let database = try await open(file)
        try await database.write { try $0.execute("INSERT INTO notes (id, text) VALUES (1, 'code')") }
        let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await database.write { try $0.firstRow("DELETE FROM notes WHERE id = 1 RETURNING text") != nil }
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(winners == 1)
    }

    @Test func oneWriteMoreThanMayWaitIsRefusedAtOnce() async throws {
        let database = try SQLiteDatabase(.memory, queuedWrites: 2)
        let gate = DispatchSemaphore(value: 0)
        let (running, runs) = AsyncStream<Void>.makeStream()
        let blocker = Task {
            try await database.write { _ in
                runs.yield()
                gate.wait()
            }
        }
        for await _ in running { break }
        // The thread is busy, so these two fill the line. Each suspends its task in the line before the next starts.
        let (queued, waiting) = AsyncStream<Bool>.makeStream()
        for _ in 0..<3 {
            Task {
                do {
                    try await database.write { _ in }
                    waiting.yield(true)
                } catch SQLError.overloaded {
                    waiting.yield(false)
                }
            }
        }
        var answers = queued.makeAsyncIterator()
        #expect(await answers.next() == false)
        gate.signal()
        try await blocker.value
        #expect(await answers.next() == true)
        #expect(await answers.next() == true)
    }

    @Test func closingDoesWhatWaitsAndRefusesWhatComesAfter() async throws {
        let database = try await open(file)
        async let write: Void = database.write { try $0.execute("INSERT INTO notes (id) VALUES (1)") }
        try await write
        await database.close()
        await #expect(throws: SQLError.closed) { try await database.write { _ in } }
        await #expect(throws: SQLError.closed) { try await database.read { _ in } }
        // The last connection folds the journal into the file.
        #expect(!FileManager.default.fileExists(atPath: directory.appending("test.db-wal")))
        await database.close()
    }

    @Test func twoDatabasesShareAFile() async throws {
        let first = try await open(file)
        let second = try SQLiteDatabase(file)
        try await withThrowingTaskGroup { group in
            for id in 0..<100 {
                let database = id.isMultiple(of: 2) ? first : second
                group.addTask {
                    try await database.write { try $0.execute("INSERT INTO notes (id) VALUES ($1)", SQLValue(id)) }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await first.read { try $0.rows("SELECT id FROM notes").count } == 100)
    }
}

enum Notes {
    static let schema =
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT UNIQUE, parent INTEGER REFERENCES notes) STRICT"
}
