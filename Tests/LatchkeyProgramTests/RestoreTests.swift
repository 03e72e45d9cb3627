import Contracts
import Foundation
import MasterKey
import SQL
import SQLite
import ServiceRuntime
import Settings
import Storage
import TestSupport
import Testing

@testable import LatchkeyProgram

/// `latchkey restore` between all engines, beside processes that use the database.
@Suite struct RestoreTests {
    enum Engine: CaseIterable, Sendable { case sqlite, postgres }

    struct Direction: CustomTestStringConvertible, Sendable {
        var from: Engine
        var to: Engine
        var testDescription: String { "\(from) to \(to)" }

        static let all = Engine.allCases.flatMap { from in Engine.allCases.map { Direction(from: from, to: $0) } }
    }

    private static let first = SQLMigration(
        1, "things",
        """
        CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT NOT NULL, details TEXT, sealed_secret BLOB, weight REAL);
        CREATE UNIQUE INDEX things_name ON things (name);
        CREATE INDEX things_details ON things (details);
        """)
    private static let second = SQLMigration(2, "colours", "ALTER TABLE things ADD COLUMN colour TEXT")

    private let directory: TemporaryDirectory
    private let key = MasterKey.random()

    init() throws {
        directory = try TemporaryDirectory()
        for name in ["old", "new"] {
            try FileManager.default.createDirectory(
                atPath: directory.appending(name), withIntermediateDirectories: false)
        }
    }

    private func store(_ engine: Engine, in folder: String) async throws -> StorageSettings {
        let variables =
            engine == .sqlite ? [:] : ["LATCHKEY_DATABASE_URL": try await RunningPostgres.shared().makeDatabase()]
        var reader = SettingsReader(Environment(variables), of: .latchkey)
        return StorageSettings(.identity, from: &reader, dataDirectory: directory.appending(folder))
    }

    private func fill(_ store: StorageSettings, _ migrations: [SQLMigration], _ names: [String]) async throws {
        let database = try await store.open()
        try await database.migrate(migrations)
        try await database.write { transaction in
            for name in names {
                try transaction.execute(
                    "INSERT INTO things (name, details, sealed_secret, weight) VALUES ($1, $2, $3, $4)", .text(name),
                    .text("a\tb\\c\n\(name)\r"), .blob([0, 1, 92, 255]), .real(1.5))
            }
        }
        await database.close()
    }

    private func names(_ database: any SQLDatabase) async throws -> [String] {
        try await database.read { try $0.rows("SELECT name FROM things ORDER BY id").map { try $0.get("name") } }
    }

    @discardableResult
    private func backUp(_ store: StorageSettings) async throws -> BackupManifest {
        try await Backup([store], keys: [key]).make(
            at: directory.appending("backup"), dataDirectory: directory.appending("old"))
    }

    private func restore(_ store: StorageSettings, replaces: Bool = true) async throws -> [Restore.Outcome] {
        try await Restore(
            stores: [store], keys: [key], keySource: "master.key", dataDirectory: directory.appending("new")
        ).run(from: directory.appending("backup"), replaces: replaces)
    }

    @Test(arguments: Direction.all)
    func everyRowComesBack(direction: Direction) async throws {
        let people = (0..<2500).map { "person \($0)" }
        let source = try await store(direction.from, in: "old")
        try await fill(source, [Self.first], people)
        let manifest = try await backUp(source)
        #expect(manifest.services.map(\.rows) == [["things": 2500]])
        #expect(manifest.services.map(\.masterKeys) == [[key.id]])

        let target = try await store(direction.to, in: "new")
        try await fill(target, [Self.first, Self.second], ["mine"])
        let outcomes = try await restore(target)
        #expect(outcomes.map(\.rows) == [2500])
        #expect(outcomes.map(\.schema) == [2])
        let database = try await target.open()
        #expect(try await names(database) == people)
        let row = try await database.read { transaction in
            try transaction.firstRow(
                "SELECT details, sealed_secret, weight, colour FROM things WHERE name = 'person 7'")
        }
        #expect(row?.values == [.text("a\tb\\c\nperson 7\r"), .blob([0, 1, 92, 255]), .real(1.5), .null])
        // Indexes and numbers continue.
        await #expect(throws: SQLError.uniqueViolation("things.name")) {
            try await database.write { try $0.execute("INSERT INTO things (name) VALUES ('person 1')") }
        }
        try await database.write { try $0.execute("INSERT INTO things (name) VALUES ('late')") }
        #expect(try await names(database).last == "late")
        await database.close()
        // A second restore has the same result.
        _ = try await restore(target)
        let again = try await target.open()
        #expect(try await names(again) == people)
        await again.close()
    }

    /// A process serves the old content until the new one is complete, and none of its transactions counts afterwards.
    @Test(arguments: Engine.allCases)
    func runningProcessEndsAndFindsNewContent(engine: Engine) async throws {
        let source = try await store(.sqlite, in: "old")
        try await fill(source, [Self.first], ["a"])
        try await backUp(source)
        let target = try await store(engine, in: "new")
        try await fill(target, [Self.first], ["mine"])
        let running = FencedDatabase(try await target.open())
        try await running.migrate([Self.first])
        let end = Task { try await restore(target) }
        let watch = DatabaseMonitor(running, log: Log(instance: "test", write: { _ in }))
        await #expect(throws: DatabaseReplacedError()) { try await watch.run() }
        await #expect(throws: SQLError.replaced) {
            try await running.write { try $0.execute("INSERT INTO things (name) VALUES ('late')") }
        }
        await running.close()
        #expect(try await end.value.map(\.rows) == [1])
        let database = try await target.open()
        #expect(try await names(database) == ["a"])
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func unwantedReplacementLeavesData(engine: Engine) async throws {
        let source = try await store(.sqlite, in: "old")
        try await fill(source, [Self.first], ["a"])
        try await backUp(source)
        let target = try await store(engine, in: "new")
        try await fill(target, [Self.first], ["mine"])
        await #expect(throws: BackupError.holdsData([.identity])) { try await restore(target, replaces: false) }
        let database = try await target.open()
        #expect(try await names(database) == ["mine"])
        await database.close()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.appending("new")).allSatisfy { name in
                !name.hasSuffix("-restore") && !name.hasPrefix("restore-")
            })
    }

    /// A release that refused U+0000 nowhere has stored it; PostgreSQL cannot, and no decoder reads it.
    @Test(arguments: Engine.allCases)
    func nullCharactersAreReplacedAndNamed(engine: Engine) async throws {
        let source = try await store(.sqlite, in: "old")
        try await fill(source, [Self.first], ["a", "b", "c"])
        let stored = try await source.open()
        try await stored.write { transaction in
            try transaction.execute("UPDATE things SET name = $1 WHERE id = 1", .text("x\u{0}y"))
            try transaction.execute(
                "UPDATE things SET details = $1 WHERE id = 2", .text(#"{"displayName":"N\u0000ul \\u0000 \n"}"#))
            try transaction.execute("UPDATE things SET details = $1 WHERE id = 3", .text(#"not JSON: \u0000"#))
        }
        await stored.close()
        try await backUp(source)
        let target = try await store(engine, in: "new")
        let outcomes = try await restore(target)
        let sentences = outcomes.flatMap(\.replacements).map(\.sentence)
        #expect(
            sentences == [
                "things.name of the row id=1 contained U+0000, which is U+FFFD now",
                "things.details of the row id=2 contained U+0000, which is U+FFFD now",
            ])
        let database = try await target.open()
        #expect(try await names(database) == ["x\u{FFFD}y", "b", "c"])
        let details = try await database.read { transaction -> [String?] in
            try transaction.rows("SELECT details FROM things ORDER BY id").map { try $0.getIfPresent("details") }
        }
        #expect(details[1] == #"{"displayName":"N"# + "\u{FFFD}" + #"ul \\u0000 \n"}"#)
        #expect(details[2] == #"not JSON: \u0000"#)
        await database.close()
    }

    @Test(arguments: [
        ("", ""), ("plain", "plain"), ("\u{0}", "\u{FFFD}"), ("a\u{0}\u{0}b", "a\u{FFFD}\u{FFFD}b"),
        (#"{"a":"\u0000"}"#, "{\"a\":\"\u{FFFD}\"}"), (#"{"a":"\\u0000"}"#, #"{"a":"\\u0000"}"#),
        (#"{"a":"\\\u0000"}"#, "{\"a\":\"\\\\\u{FFFD}\"}"), (#"["\u0000\u0001"]"#, "[\"\u{FFFD}\\u0001\"]"),
        (#"\u0000"#, #"\u0000"#), (#"{"a":"\"#, #"{"a":"\"#),
    ])
    func nullCharacterIsFoundInTextAndDocument(text: String, result: String) {
        #expect(NullCharacters.withoutNulls(text) == result)
    }
}
