import Foundation
import SQL
import SQLite
import TestSupport
import Testing

/// The errors at the start for a database that lost commits, and for one that replaced another.
@Suite struct CommitWatermarkTests {
    private let directory: TemporaryDirectory
    private let path: String
    private var watermark: String { path + "-watermark" }

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.appending("copy.db")
    }

    /// A database with this number of committed notes, and its files as a killed process leaves them: all commits are
    /// in the journal.
    private func createKilledDatabase(notes count: Int) async throws {
        let live = directory.appending("live.db")
        let database = try SQLiteDatabase(.file(live))
        try await database.migrate([SQLMigration(1, "notes", Notes.schema)])
        for number in 0..<count { try await add(number, to: database) }
        for suffix in ["", "-wal", "-watermark"] {
            try FileManager.default.copyItem(atPath: live + suffix, toPath: path + suffix)
        }
        await database.close()
    }

    private func add(_ number: Int, to database: SQLiteDatabase) async throws {
        try await database.write { transaction in
            try transaction.execute(
                "INSERT INTO notes (id, text) VALUES ($1, CAST($1 AS TEXT))", .integer(Int64(number)))
        }
    }

    private func start() async throws -> Int {
        let database = try SQLiteDatabase(.file(path), isChecked: true)
        defer { Task { await database.close() } }
        return try await database.read { try $0.firstRow("SELECT COUNT(*) AS count FROM notes")?.get("count") ?? 0 }
    }

    private func refusal() async throws -> SQLError? {
        do {
            _ = try await start()
            return nil
        } catch let error as SQLError {
            return error
        }
    }

    @Test func killedProcessLosesNothing() async throws {
        try await createKilledDatabase(notes: 20)
        #expect(try await start() == 20)
        #expect(try await start() == 20)
    }

    /// Every bit of the journal matters: SQLite ends recovery at any damaged position.
    @Test(arguments: [0.01, 0.5, 0.99])
    func flippedBitOfJournalIsDetected(place: Double) async throws {
        try await createKilledDatabase(notes: 20)
        var journal = try Data(contentsOf: URL(filePath: path + "-wal"))
        journal[Int(place * Double(journal.count))] ^= 1
        try journal.write(to: URL(filePath: path + "-wal"))
        switch try await refusal() {
        case .commitsLost(path, watermark, let count)?: #expect((1...21).contains(count))
        // The migration is in the journal too. The marker file of the service would detect an empty file.
        case let error? where error.isMissingTable && place < 0.1: break
        case let other: Issue.record("\(String(describing: other))")
        }
    }

    /// A note behind the mark stays while commits are counted, and a longer one is replaced by a shorter one.
    @Test func noteIsKeptBesideTheDatabase() async throws {
        let database = try SQLiteDatabase(.file(path))
        try await database.migrate([SQLMigration(1, "notes", Notes.schema)])
        #expect(try await database.note() == nil)
        for note in [[UInt8](0...255), [], [7], [UInt8](repeating: 10, count: 1024)] {
            try await database.keepNote(note)
            try await add(Int(note.count), to: database)
            #expect(try await database.note() == note)
        }
        await database.close()
        let again = try SQLiteDatabase(.file(path))
        #expect(try await again.note() == [UInt8](repeating: 10, count: 1024))
        await again.close()
        // What is no note is none that anybody kept.
        var bytes = try Data(contentsOf: URL(filePath: watermark))
        bytes[bytes.count - 1030] ^= 1
        try bytes.write(to: URL(filePath: watermark))
        let third = try SQLiteDatabase(.file(path))
        #expect(try await third.note() == [])
        await third.close()
    }

    @Test func databaseInMemoryKeepsNoNote() async throws {
        let database = try SQLiteDatabase(.memory)
        try await database.keepNote([1])
        #expect(try await database.note() == nil)
    }

    @Test func removedJournalIsDetected() async throws {
        let live = directory.appending("folded.db")
        let first = try SQLiteDatabase(.file(live))
        try await first.migrate([SQLMigration(1, "notes", Notes.schema)])
        await first.close()  // Merges the journal into the file.
        let database = try SQLiteDatabase(.file(live))
        for number in 0..<5 { try await add(number, to: database) }
        for suffix in ["", "-watermark"] {
            try FileManager.default.copyItem(atPath: live + suffix, toPath: path + suffix)
        }
        await database.close()
        #expect(try await refusal() == .commitsLost(path: path, watermark: watermark, count: 5))
        // A restart does not help; the operator must decide.
        #expect(try await refusal() == .commitsLost(path: path, watermark: watermark, count: 5))
        try FileManager.default.removeItem(atPath: watermark)
        #expect(try await start() == 0)
        #expect(FileManager.default.fileExists(atPath: watermark))
    }

    @Test func replacedDatabaseIsDetected() async throws {
        try await createKilledDatabase(notes: 1)
        let other = directory.appending("other.db")
        let database = try SQLiteDatabase(.file(other))
        try await database.migrate([SQLMigration(1, "notes", Notes.schema)])
        for number in 0..<9 { try await add(number, to: database) }
        await database.close()
        for suffix in ["", "-wal"] { try FileManager.default.removeItem(atPath: path + suffix) }
        try FileManager.default.copyItem(atPath: other, toPath: path)
        #expect(try await refusal() == .anotherDatabase(path: path, watermark: watermark))
    }

    /// After a power failure the watermark may be older than the database.
    @Test func olderWatermarkIsAccepted() async throws {
        try await createKilledDatabase(notes: 3)
        let early = try Data(contentsOf: URL(filePath: watermark))
        let database = try SQLiteDatabase(.file(path))
        for number in 3..<6 { try await add(number, to: database) }
        await database.close()
        try early.write(to: URL(filePath: watermark))
        #expect(try await start() == 6)
    }

    @Test(arguments: ["letter", String(repeating: "latchkey watermark 1 ", count: 3)])
    func malformedWatermarkIsNamed(text: String) async throws {
        try await createKilledDatabase(notes: 1)
        try Data(text.utf8).write(to: URL(filePath: watermark))
        #expect(
            try await refusal()
                == .cannotOpen(path: watermark, message: "it is not the watermark of a database"))
    }

    /// The power failed before the first number was on the disk.
    @Test(arguments: [0, 55], ["", "latchkey note 1 x"])
    func watermarkThatWasNeverWrittenIsWritten(zeros: Int, note: String) async throws {
        guard zeros > 0 || note.isEmpty else { return }  // A note is behind the mark.
        try await createKilledDatabase(notes: 3)
        let whole = try Data(contentsOf: URL(filePath: watermark)).prefix(55)
        try (Data(count: zeros) + Data(note.utf8)).write(to: URL(filePath: watermark))
        #expect(try await start() == 3)
        #expect(try Data(contentsOf: URL(filePath: watermark)).prefix(55) == whole)
    }

    @Test func newDatabaseHasItsOwnWatermark() async throws {
        try await createKilledDatabase(notes: 3)
        for suffix in ["", "-wal"] { try FileManager.default.removeItem(atPath: path + suffix) }
        let database = try SQLiteDatabase(.file(path))
        try await database.migrate([SQLMigration(1, "notes", Notes.schema)])
        await database.close()
        #expect(try await start() == 0)
    }

    @Test func twoProcessesShareWatermark() async throws {
        try await createKilledDatabase(notes: 0)
        let one = try SQLiteDatabase(.file(path))
        let two = try SQLiteDatabase(.file(path))
        for number in 0..<10 { try await add(number, to: number.isMultiple(of: 2) ? one : two) }
        await one.close()
        await two.close()
        #expect(try await start() == 10)
    }

    @Test func watermarkIsPrivateToItsOwner() async throws {
        try await createKilledDatabase(notes: 0)
        let mode = try FileManager.default.attributesOfItem(atPath: directory.appending("live.db-watermark"))
        #expect(mode[.posixPermissions] as? Int == 0o600)
    }
}
