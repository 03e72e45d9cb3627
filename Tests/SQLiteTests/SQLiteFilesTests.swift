import Foundation
import SQL
import TestSupport
import Testing

@testable import SQLite

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

    /// Processes that start on a new data directory, or after a restore, whose file has no journal yet.
    @Test(arguments: [false, true]) func fileIsOpenedByManyAtOnce(isRestored: Bool) async throws {
        for round in 0..<25 {
            let path = directory.appending("\(round).db")
            if isRestored { try SQLiteArchive.make(path) { try $0.apply([SQLMigration(1, "notes", Notes.schema)]) } }
            let databases = try await withThrowingTaskGroup { group in
                for _ in 0..<8 { group.addTask { try await onThread { try SQLiteDatabase(.file(path)) } } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(databases.count == 8)
            for database in databases { await database.close() }
        }
    }

    /// Nobody else opens the file between the two calls, and everybody afterwards.
    @Test func openingExcludesOthers() async throws {
        let path = directory.appending("other.db")
        let lock = try DatabaseLock.opening(path)
        let opening = Task { try await onThread { try SQLiteDatabase(.file(path)) } }
        let other = open(path + "-lock", O_RDWR | O_CLOEXEC)
        #expect(other >= 0)
        defer { close(other) }
        /// `F_OFD_GETLK` of Linux (fcntl.h), for the first byte.
        func isHeldAlone() -> Bool {
            var range = flock()
            (range.l_type, range.l_len) = (Int16(F_RDLCK), 1)
            #expect(fcntl(other, 36, &range) == 0)
            return range.l_type == Int16(F_WRLCK)
        }
        #expect(isHeldAlone())
        #expect(!FileManager.default.fileExists(atPath: path))
        try lock.endOpening()
        let database = try await opening.value
        #expect(!isHeldAlone())
        await database.close()
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
