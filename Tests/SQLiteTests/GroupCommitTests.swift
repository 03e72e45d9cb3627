import Foundation
import SQL
import SQLite
import TestSupport
import Testing

@Suite struct GroupCommitTests {
    private let directory: TemporaryDirectory
    private let database: SQLiteDatabase

    init() async throws {
        directory = try TemporaryDirectory()
        let file = SQLiteDatabase.Location.file(directory.appending("test.db"))
        let fresh = try SQLiteDatabase(file)
        try await fresh.migrate([SQLMigration(1, "notes", Notes.schema)])
        // After reopening, everything is in the file and the journal is empty.
        await fresh.close()
        database = try SQLiteDatabase(file)
    }

    /// Runs the bodies in one batch: the thread is blocked until all of them are queued.
    /// - Returns: the result of each caller.
    private func together(
        _ bodies: [@Sendable (borrowing SQLTransaction) throws -> Void]
    ) async throws -> [SQLError?] {
        let gate = DispatchSemaphore(value: 0)
        let (running, runs) = AsyncStream<Void>.makeStream()
        let database = database
        let blocker = Task {
            try await database.write { _ in
                runs.yield()
                gate.wait()
            }
        }
        for await _ in running { break }
        return try await withThrowingTaskGroup(of: (Int, SQLError?).self) { group in
            for (index, body) in bodies.enumerated() {
                group.addTask {
                    do {
                        try await database.write(body)
                        return (index, nil)
                    } catch let error as SQLError {
                        return (index, error)
                    }
                }
            }
            // Later jobs only form a second batch, which changes no expectation.
            gate.signal()
            try await blocker.value
            var results = [SQLError?](repeating: nil, count: bodies.count)
            for try await (index, result) in group { results[index] = result }
            return results
        }
    }

    private func ids() async throws -> [Int] {
        try await database.read { try $0.rows("SELECT id FROM notes ORDER BY id").map { try $0.get("id") } }
    }

    @Test func failingBodyDoesNotAffectItsBatch() async throws {
        let results = try await together([
            { try $0.execute("INSERT INTO notes (id, text) VALUES (1, 'a')") },
            { transaction in
                try transaction.execute("INSERT INTO notes (id, text) VALUES (20, 'b')")
                try transaction.execute("INSERT INTO notes (id, text) VALUES (21, 'b')")
            },
            { try $0.execute("INSERT INTO notes (id, text) VALUES (3, 'c')") },
        ])
        #expect(results == [nil, .uniqueViolation("notes.text"), nil])
        #expect(try await ids() == [1, 3])
    }

    @Test func deferredViolationFailsOnlyItsOwnBody() async throws {
        let results = try await together([
            { try $0.execute("INSERT INTO notes (id) VALUES (1)") },
            { transaction in
                try transaction.execute("PRAGMA defer_foreign_keys = ON")
                try transaction.execute("INSERT INTO notes (id, parent) VALUES (2, 99)")
            },
            { try $0.execute("INSERT INTO notes (id) VALUES (3)") },
        ])
        #expect(results == [nil, .foreignKeyViolation, nil])
        #expect(try await ids() == [1, 3])
    }

    @Test func bodyTooLargeForDiskFailsAlone() async throws {
        try await database.write { transaction in
            let pages: Int = try transaction.firstRow("PRAGMA page_count")?.get("page_count") ?? 0
            try transaction.execute("PRAGMA max_page_count = \(pages + 4)")
        }
        let results = try await together([
            { try $0.execute("INSERT INTO notes (id) VALUES (1)") },
            { try $0.execute("INSERT INTO notes (id, text) VALUES (2, hex(zeroblob(100000)))") },
            { try $0.execute("INSERT INTO notes (id) VALUES (3)") },
        ])
        #expect(results == [nil, .full, nil])
        #expect(try await ids() == [1, 3])
    }

    /// The journal's descriptor is redirected to `/dev/full`, where every write fails as on a full disk.
    @Test func fullDiskAtCommitFailsBatchAndNextCommitSucceeds() async throws {
        let journals = try descriptors(of: directory.appending("test.db-wal"))
        let spares = journals.map { dup($0) }
        let full = Foundation.open("/dev/full", O_RDWR)
        for journal in journals { #expect(dup2(full, journal) == journal) }

        let results = try await together([
            { try $0.execute("INSERT INTO notes (id) VALUES (2)") },
            { try $0.execute("INSERT INTO notes (id) VALUES (3)") },
        ])
        for (journal, spare) in zip(journals, spares) { #expect(dup2(spare, journal) == journal) }
        for descriptor in spares + [full] { Foundation.close(descriptor) }

        #expect(results == [.full, .full])
        #expect(try await ids() == [])
        try await database.write { try $0.execute("INSERT INTO notes (id) VALUES (4)") }
        #expect(try await ids() == [4])
    }

    private func descriptors(of path: String) throws -> [Int32] {
        let folder = "/proc/self/fd/"
        return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { name in
            // `try?`: other tests open and close descriptors meanwhile.
            (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + name)) == path ? Int32(name) : nil
        }
    }
}
