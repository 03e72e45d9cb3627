import Foundation
import SQL
import SQLite
import TestSupport
import Testing

/// The files of a database are removed or replaced while a process uses them.
@Suite struct SQLiteFilesTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let database: SQLiteDatabase

    init() async throws {
        directory = try TemporaryDirectory()
        path = directory.appending("test.db")
        database = try SQLiteDatabase(.file(path))
        try await database.migrate([SQLMigration(1, "notes", Notes.schema)])
    }

    private func write(_ id: Int64) async throws {
        try await database.write { transaction in
            try transaction.execute("INSERT INTO notes (id, text) VALUES ($1, CAST($1 AS TEXT))", .integer(id))
        }
    }

    @Test(arguments: ["", "-wal", "-shm"])
    func removedFileAcceptsNoWrite(suffix: String) async throws {
        try await write(1)
        try FileManager.default.removeItem(atPath: path + suffix)
        await #expect(throws: SQLError.moved(path: path + suffix)) { try await write(2) }
        await #expect(throws: SQLError.moved(path: path)) { try await write(3) }
        await #expect(throws: SQLError.moved(path: path)) { try await database.read { _ in } }
    }

    @Test func replacedFileAcceptsNoWrite() async throws {
        let copy = directory.appending("copy.db")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        #expect(rename(copy, path) == 0)
        await #expect(throws: SQLError.moved(path: path)) { try await write(1) }
    }

    /// The first read of a thread opens a connection: not to another file, and it makes none.
    @Test(arguments: [false, true]) func readOfRemovedFileIsRefused(isLong: Bool) async throws {
        try FileManager.default.removeItem(atPath: path)
        await #expect(throws: SQLError.moved(path: path)) {
            if isLong { try await database.longRead { _ in } } else { try await database.read { _ in } }
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    /// The writing connection, and the one for threads of event loops. Each other one would take memory in every process.
    @Test func connectionsAreOpenedWhenTheyAreNeeded() async throws {
        func connections() throws -> Int {
            let descriptors = "/proc/self/fd"
            return try FileManager.default.contentsOfDirectory(atPath: descriptors).count {
                // `try?`: another test has closed it meanwhile.
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\($0)")) == path
            }
        }
        try await write(1)
        #expect(try connections() == 2)
        try await database.read { _ in }
        #expect(try connections() == 3)
        try await database.longRead { _ in }
        #expect(try connections() == 4)
        await database.close()
        #expect(try connections() == 0)
    }

    @Test func movedFileStaysRefusedAfterItReturns() async throws {
        #expect(rename(path, path + ".away") == 0)
        await #expect(throws: SQLError.moved(path: path)) { try await write(1) }
        #expect(rename(path + ".away", path) == 0)
        await #expect(throws: SQLError.moved(path: path)) { try await write(2) }
        await database.close()
        let again = try SQLiteDatabase(.file(path), isChecked: true)
        try await again.read { _ in }
        await again.close()
    }

    @Test func damagedPageIsDetectedAtStart() async throws {
        try await database.write { transaction in
            for id in 0..<2000 as Range<Int64> {
                try transaction.execute(
                    "INSERT INTO notes (id, text) VALUES ($1, CAST($1 AS TEXT))", .integer(id))
            }
        }
        await database.close()
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.seek(toOffset: 4 * 4096)
        try file.write(contentsOf: Data(repeating: 0xa5, count: 64))
        try file.close()
        #expect(throws: SQLError.damaged(path: path)) { try SQLiteDatabase(.file(path), isChecked: true) }
    }
}
