import Blocking
import SQL
import SQLite
import Storage
import TestSupport
import Testing

@Suite struct DatabaseCopyTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Copies a database into a file, as a backup does.
    private func archive(_ database: any SQLDatabase, _ name: String) async throws -> String {
        let path = directory.appending(name)
        try await database.read { source in
            let copy = try DatabaseCopy(source.tables())
            try SQLiteArchive.make(path) { archive in
                try archive.apply(Sample.migrations)
                try copy.deleteAllRows(archive)
                _ = try copy.run(from: source, to: archive)
            }
        }
        return path
    }

    /// Replaces the content of a database by that of a file, as a restore does.
    private func restore(_ path: String, into database: any SQLDatabase) async throws -> [String: Int] {
        try await database.write { target in
            try SQLiteArchive.read(path) { source in
                let copy = try DatabaseCopy(source.tables())
                try copy.deleteAllRows(target)
                var (rows, rowsBeforeIndexes) = (0, -1)
                let counts = try copy.run(
                    from: source, to: target, rowCopied: { _, _ in rows += 1 },
                    indexesBegin: { rowsBeforeIndexes = rows })
                // An operator is told when no more rows follow.
                #expect(rowsBeforeIndexes == counts.values.reduce(0, +))
                return counts
            }
        }
    }

    struct Direction: CustomTestStringConvertible, Sendable {
        var from: Engine
        var to: Engine
        var testDescription: String { "\(from) to \(to)" }

        static let all = Engine.allCases.flatMap { from in Engine.allCases.map { Direction(from: from, to: $0) } }
    }

    /// Pages end in the middle and at the end of tables, and some tables have no rows.
    @Test(arguments: Direction.all, [0, 1, 999, 1000, 1001, 2100])
    func everyRowIsCopiedUnchanged(direction: Direction, people: Int) async throws {
        let source = try await direction.from.open(in: directory, named: "source")
        try await source.migrate(Sample.migrations)
        try await Sample.fill(source, people: people, seed: UInt64(people))
        let content = try await Sample.content(source)
        #expect(content["people"]?.count == people)

        let target = try await direction.to.open(in: directory, named: "target")
        try await target.migrate(Sample.migrations)
        try await Sample.fill(target, people: 30, seed: 99)
        let counts = try await restore(try await archive(source, "copy.sqlite"), into: target)
        #expect(counts == content.mapValues(\.count))
        #expect(try await Sample.content(target) == content)
        await source.close()
        await target.close()
    }

    @Test(arguments: Direction.all)
    func generatedNumbersContinueAfterCopy(direction: Direction) async throws {
        let source = try await direction.from.open(in: directory, named: "source")
        try await source.migrate(Sample.migrations)
        try await Sample.fill(source, people: 10, seed: 1)
        let highest = try #require(try await Sample.content(source)["deeds"]?.last?.first)

        let target = try await direction.to.open(in: directory, named: "target")
        try await target.migrate(Sample.migrations)
        _ = try await restore(try await archive(source, "copy.sqlite"), into: target)
        let next = try await Sample.nextDeed(target)
        guard case .integer(let number) = highest else { throw SQLError.closed }
        #expect(next > number)
        #expect(try await Sample.nextDeed(target) > next)
        await source.close()
        await target.close()
    }

    @Test(arguments: Engine.allCases)
    func failedCopyKeepsTarget(engine: Engine) async throws {
        let target = try await engine.open(in: directory, named: "target")
        try await target.migrate(Sample.migrations)
        try await Sample.fill(target, people: 5, seed: 7)
        let before = try await Sample.content(target)
        let path = directory.appending("other.sqlite")
        try SQLiteArchive.make(path) { other in
            try other.apply([
                SQLMigration(1, "other", "CREATE TABLE deeds (\"order\" INTEGER PRIMARY KEY, other TEXT)")
            ])
        }
        await #expect(throws: DatabaseCopyError.differentTables("deeds")) { try await restore(path, into: target) }
        #expect(try await Sample.content(target) == before)
        await target.close()
    }

    /// During a copy other writers do not wait; the copy contains the state at its beginning.
    @Test func copyIsOneSnapshot() async throws {
        let database = try SQLiteDatabase(.file(directory.appending("live.sqlite")), readers: 1)
        try await database.migrate(Sample.migrations)
        try await Sample.fill(database, people: 3, seed: 1)
        let before = try await Sample.content(database)
        let path = directory.appending("copy.sqlite")

        let (begun, beginning) = AsyncStream.makeStream(of: Never.self)
        let mayGoOn = Monitor(false)
        async let copied: Void = database.read { source in
            let copy = try DatabaseCopy(source.tables())
            try SQLiteArchive.make(path) { archive in
                try archive.apply(Sample.migrations)
                try copy.deleteAllRows(archive)
                _ = try copy.run(from: source, to: archive) { _, _ in
                    // On the thread of the reading connection, which has no other work.
                    beginning.finish()
                    mayGoOn.wait { $0 ? () : nil }
                }
            }
        }
        for await _ in begun {}
        try await database.write { try $0.execute("DELETE FROM people") }
        mayGoOn.withLockAndSignal { $0 = true }
        try await copied

        #expect(try SQLiteArchive.read(path) { try Sample.content($0) } == before)
        #expect(try await Sample.content(database)["people"] == [])
        await database.close()
    }

    @Test func uncopyableTablesAreNamed() {
        let keyless = SQLTable(name: "log", columns: ["line"], primaryKey: [], references: [])
        #expect(throws: DatabaseCopyError.noPrimaryKey("log")) { try DatabaseCopy([keyless]) }
        let hen = SQLTable(name: "hen", columns: ["id"], primaryKey: ["id"], references: ["egg"])
        let egg = SQLTable(name: "egg", columns: ["id"], primaryKey: ["id"], references: ["hen"])
        #expect(throws: DatabaseCopyError.cyclicReferences(["egg", "hen"])) { try DatabaseCopy([hen, egg]) }
    }

    /// SQLite allows null in a key, and no row follows after null.
    @Test func rowsWithNullKeyAreReported() throws {
        try SQLiteArchive.make(directory.appending("copy.sqlite")) { target in
            try target.run(script: "CREATE TABLE t (id TEXT PRIMARY KEY)")
            try SQLiteArchive.make(directory.appending("source.sqlite")) { source in
                try source.run(script: "CREATE TABLE t (id TEXT PRIMARY KEY)")
                for _ in 0..<1500 { try source.execute("INSERT INTO t (id) VALUES (NULL)") }
                let copy = try DatabaseCopy(source.tables())
                #expect(throws: DatabaseCopyError.rowsWithoutKey("t")) { try copy.run(from: source, to: target) }
            }
        }
    }
}
