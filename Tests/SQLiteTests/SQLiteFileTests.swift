import Foundation
import SQL
import SQLite
import TestSupport
import Testing

/// Errors that a launcher reports in one sentence.
@Suite struct SQLiteFileTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.appending("test.db")
    }

    private func make() async throws {
        let database = try SQLiteDatabase(.file(path))
        try await database.migrate([SQLMigration(1, "notes", Notes.schema)])
        await database.close()
    }

    /// The error of opening the file.
    private func refusal() -> SQLError? {
        do throws(SQLError) {
            _ = try SQLiteDatabase(.file(path))
            return nil
        } catch {
            return error
        }
    }

    /// Runs `body` on a thread without the privileges of root, for whom no file is read-only.
    private func withoutRights<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread {
                // On Linux each thread has its own file system user. The C library's wrapper has no Swift name.
                typealias SetUser = @convention(c) (UInt32) -> Int32
                let nobody: UInt32 = 65534
                if geteuid() == 0, let function = dlsym(nil, "setfsuid") {
                    _ = unsafeBitCast(function, to: SetUser.self)(nobody)
                }
                continuation.resume(returning: body())
            }.start()
        }
    }

    @Test func fileAndJournalArePrivateToOwner() async throws {
        let database = try SQLiteDatabase(.file(path))
        try await database.migrate([SQLMigration(1, "notes", Notes.schema)])
        for name in [path, path + "-wal", path + "-shm"] {
            let mode = try FileManager.default.attributesOfItem(atPath: name)[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(name)")
        }
    }

    @Test func otherFileIsRefusedAndUnchanged() throws {
        let text = Data(String(repeating: "this is a letter, not a database. ", count: 100).utf8)
        try text.write(to: URL(filePath: path))
        #expect(refusal() == .notADatabase(path: path))
        #expect(try Data(contentsOf: URL(filePath: path)) == text)
    }

    @Test func damagedDatabaseIsRefused() async throws {
        try await make()
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.seek(toOffset: 100)  // The first page of the schema, after the header.
        try file.write(contentsOf: Data(repeating: 0xa5, count: 3000))
        try file.close()
        let path = path
        await #expect(throws: SQLError.damaged(path: path)) {
            let database = try SQLiteDatabase(.file(path))
            try await database.migrate([SQLMigration(1, "notes", Notes.schema)])
        }
    }

    @Test func missingFolderIsNamed() {
        let database = directory.appending("nowhere") + "/test.db"
        #expect(throws: SQLError.cannotOpen(path: database, message: "No such file or directory")) {
            try SQLiteDatabase(.file(database))
        }
    }

    @Test func folderInsteadOfFileIsRefused() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        guard case .cannotOpen(let named, _) = refusal() else {
            Issue.record("opened, or refused otherwise")
            return
        }
        #expect(named == path)
    }

    @Test func readOnlyFileIsRefused() async throws {
        try await make()
        chmod(directory.path, 0o777)
        chmod(path, 0o444)
        #expect(await withoutRights { refusal() } == .readOnly(path: path))
    }

    @Test func unreadableFileIsRefused() async throws {
        try await make()
        chmod(directory.path, 0o777)
        chmod(path, 0o000)
        let result = await withoutRights { refusal() }
        guard case .cannotOpen(path, _) = result else {
            Issue.record("\(String(describing: result))")
            return
        }
    }

    @Test func readOnlyFolderIsRefused() async throws {
        chmod(directory.path, 0o555)
        #expect(await withoutRights { refusal() } == .cannotOpen(path: path, message: "Permission denied"))
        try await make()
        chmod(path, 0o666)
        let result = await withoutRights { refusal() }
        switch result {
        case .readOnly(path), .cannotOpen(path, _): break
        default: Issue.record("\(String(describing: result))")
        }
    }

    @Test(arguments: ["with space.db", "ümlaut.db", "file:odd?mode=ro#x.db", "%41.db"])
    func specialCharactersInNameAreLiteral(name: String) async throws {
        let database = try SQLiteDatabase(.file(directory.appending(name)))
        try await database.migrate([SQLMigration(1, "notes", Notes.schema)])
        #expect(FileManager.default.fileExists(atPath: directory.appending(name)))
        await database.close()
    }

    @Test func everyErrorIsOneSentence() {
        let errors: [SQLError] = [
            .notADatabase(path: path), .readOnly(path: path), .cannotOpen(path: path, message: "m"), .full, .busy,
            .schemaNewer(found: 3, needs: 3, known: 2), .migrationChanged(version: 1, name: "n"), .damaged(path: path),
        ]
        for error in errors { #expect(!error.description.isEmpty && !error.description.contains("\n")) }
    }
}
