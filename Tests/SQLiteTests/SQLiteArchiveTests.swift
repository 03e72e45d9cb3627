import Foundation
import SQL
import SQLite
import TestSupport
import Testing

@Suite struct SQLiteArchiveTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.appending("archive.sqlite")
    }

    private func make(rows: Int) throws {
        try SQLiteArchive.make(path) { archive in
            try archive.run(script: "CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
            for number in 0..<rows {
                try archive.execute("INSERT INTO t (text) VALUES ($1)", .text("row \(number) of many"))
            }
        }
    }

    private var files: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        }
    }

    @Test func archiveIsOnePrivateFile() throws {
        try make(rows: 3)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let count: Int? = try SQLiteArchive.read(path) { try $0.firstRow("SELECT COUNT(*) AS n FROM t")?.get("n") }
        #expect(count == 3)
        try SQLiteArchive.check(path)
        #expect(try files == ["archive.sqlite"])
    }

    @Test func failedArchiveIsRemoved() throws {
        struct TestError: Error {}
        #expect(throws: TestError.self) {
            try SQLiteArchive.make(path) { archive in
                try archive.run(script: "CREATE TABLE t (id INTEGER PRIMARY KEY)")
                throw TestError()
            }
        }
        #expect(try files == [])
    }

    @Test func archiveIsRemovedWhenDiskIsFull() throws {
        #expect(throws: SQLError.full) {
            try SQLiteArchive.make(path) { archive in
                // Simulates a full disk: SQLite returns the same error for both.
                _ = try archive.rows("PRAGMA max_page_count = 8")
                try archive.run(script: "CREATE TABLE t (id INTEGER PRIMARY KEY, blob BLOB)")
                for _ in 0..<20 {
                    try archive.execute("INSERT INTO t (blob) VALUES ($1)", .blob(.init(repeating: 1, count: 4000)))
                }
            }
        }
        #expect(try files == [])
    }

    @Test func existingFileIsNotOverwritten() throws {
        try make(rows: 1)
        #expect(throws: SQLError.cannotOpen(path: path, message: "File exists")) { try make(rows: 1) }
        #expect(try files == ["archive.sqlite"])
    }

    /// Within a file system, which may share blocks, and between two of them.
    @Test(arguments: [nil, "/dev/shm"]) func duplicateIsEqualAndPrivate(_ parent: String?) throws {
        try make(rows: 3000)
        let other = try parent.map { try TemporaryDirectory(in: $0) }
        let copy = (other ?? directory).appending("copy.sqlite")
        try SQLiteArchive.duplicate(path, to: copy)
        #expect(try Data(contentsOf: URL(filePath: copy)) == Data(contentsOf: URL(filePath: path)))
        #expect(try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int == 0o600)
        // The copy is changed, and the backup is not.
        let before = try Data(contentsOf: URL(filePath: path))
        try SQLiteArchive.change(copy) { try $0.execute("UPDATE t SET text = 'changed'") }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        #expect(throws: SQLError.cannotOpen(path: copy, message: "File exists")) {
            try SQLiteArchive.duplicate(path, to: copy)
        }
    }

    @Test func duplicateOfMissingFileLeavesNothing() throws {
        let copy = directory.appending("copy.sqlite")
        #expect(throws: SQLError.cannotOpen(path: copy, message: "No such file or directory")) {
            try SQLiteArchive.duplicate(path, to: copy)
        }
        #expect(try files == [])
    }

    @Test func archiveReadCannotWrite() throws {
        try make(rows: 1)
        #expect(throws: SQLError.writeInReadOnlyTransaction) {
            try SQLiteArchive.read(path) { try $0.execute("DELETE FROM t") }
        }
    }

    @Test func missingFileIsNotCreated() throws {
        #expect(throws: SQLError.self) { try SQLiteArchive.read(path) { _ in } }
        #expect(throws: SQLError.self) { try SQLiteArchive.check(path) }
        #expect(try files == [])
    }

    /// Except for the last bytes, which may not belong to a row: a backup has the hash of the whole file.
    @Test func truncatedFileIsDamaged() throws {
        try make(rows: 2000)
        let whole = try Data(contentsOf: URL(filePath: path))
        for length in [50, 99, 4095, 4096, whole.count / 2, whole.count - 4096] {
            try whole.prefix(length).write(to: URL(filePath: path))
            #expect(throws: SQLError.self, "\(length) bytes of \(whole.count)") { try SQLiteArchive.check(path) }
        }
    }

    @Test func foreignKeyViolationIsRefused() throws {
        #expect(throws: SQLError.foreignKeyViolation) {
            try SQLiteArchive.make(path) { archive in
                try archive.run(
                    script: """
                        CREATE TABLE parents (id TEXT PRIMARY KEY);
                        CREATE TABLE children (
                            id TEXT PRIMARY KEY, parent TEXT REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED);
                        INSERT INTO children VALUES ('c', 'nobody');
                        """)
            }
        }
        #expect(try files == [])
    }
}
