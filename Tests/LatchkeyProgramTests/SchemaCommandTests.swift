import CommandLineArguments
import Contracts
import SQL
import ServiceRuntime
import Settings
import Storage
import Synchronization
import TestSupport
import Testing

@testable import LatchkeyProgram

/// What an upgrade does to the databases, on SQLite; `SchemaWindowTests` has both engines.
@Suite struct SchemaCommandTests {
    private static let first = SQLMigration(1, "notes", "CREATE TABLE notes (id TEXT PRIMARY KEY, old TEXT)")
    private static let expansion = SQLMigration(2, "more", "ALTER TABLE notes ADD COLUMN more TEXT")
    private static let contraction = SQLMigration.contraction(
        3, "no old", compatibleSince: 2, "ALTER TABLE notes DROP COLUMN old")
    private static let release = [first, expansion, contraction]

    private let directory: TemporaryDirectory
    private let stores: [StorageSettings]

    init() throws {
        directory = try TemporaryDirectory()
        var reader = SettingsReader(Environment([:]), of: .latchkey)
        stores = [StorageSettings(.identity, from: &reader, dataDirectory: directory.path)]
        try reader.finish()
    }

    private func inspection(_ migrations: [SQLMigration] = Self.release) -> SchemaInspection {
        SchemaInspection(stores, ServiceSchemas([.identity: migrations]))
    }

    private func forecast(_ migrations: [SQLMigration] = Self.release) async throws -> SchemaForecast {
        try #require(try await inspection(migrations).forecasts().first)
    }

    /// As a service does at its start.
    private func start(_ migrations: [SQLMigration], _ body: (FencedDatabase) async throws -> Void = { _ in })
        async throws
    {
        let database = FencedDatabase(try await stores[0].open())
        try await database.migrate(migrations)
        try await body(database)
        await database.leave()
        await database.close()
    }

    /// - Returns: the versions before and after; nil without a database.
    private func migrate(_ migrations: [SQLMigration] = Self.release, contracts: Bool) async throws -> [Int]? {
        var found: [Int]?
        try await inspection(migrations).migrate(contracts: contracts) { _, versions in
            found = versions.map { [$0.former, $0.current] }
        }
        return found
    }

    @Test func forecastSaysWhatTheStartDoes() async throws {
        let new = try await forecast()
        #expect((new.outcome, new.schema, new.known, new.runs) == (.created, 0, 3, [1, 2, 3]))
        #expect(new.sentence.hasSuffix("the first start creates it with schema version 3."))
        try await start([Self.first])
        let before = try await forecast()
        #expect((before.outcome, before.schema, before.runs, before.waiting) == (.expanded, 1, [2], [3]))
        #expect(
            before.sentence.contains("adds 2 (more), and running processes go on. `latchkey migrate --contract` then"))
        try await start(Self.release)
        let after = try await forecast()
        #expect((after.outcome, after.schema, after.runs, after.waiting) == (.unchanged, 2, [], [3]))
        #expect(try await forecast([Self.first]).outcome == .servedAsItIs)
        let changed = try await forecast([SQLMigration(1, "other", "CREATE TABLE other (id TEXT)")])
        #expect(changed.outcome == .refused)
        #expect(SchemaCommandError.notServed([after, changed]).exitCode == 65)
    }

    @Test func contractionWaitsForRunningProcesses() async throws {
        #expect(try await migrate(contracts: true) == nil)
        try await start([Self.first]) { _ in
            #expect(try await migrate(contracts: false) == [1, 2])
            let refusal = await #expect(throws: SchemaCommandError.self) { _ = try await migrate(contracts: true) }
            #expect(refusal?.exitCode == 1)
            #expect(refusal?.messages.first?.contains("1 running process of an earlier release uses") == true)
            let next = try await forecast(Self.release + [SQLMigration(4, "last", "CREATE TABLE last (id TEXT)")])
            #expect(next.outcome == .waits)
            #expect(SchemaCommandError.notServed([next]).exitCode == 1)
        }
        #expect(try await migrate(contracts: true) == [2, 3])
        #expect(try await migrate(contracts: true) == [3, 3])
        let refused = try await forecast([Self.first])
        #expect(refused.outcome == .refused)
        #expect(
            refused.sentence
                == "identity: the database has schema version 3, which needs a program that knows 2, and this one knows 1: "
                + "start the newer program.")
    }

    /// The commands themselves, with the migrations of the executable.
    @Test func commandsUseTheDatabasesOfTheSettings() async throws {
        try await start([Self.first])
        let environment = Environment([
            "LATCHKEY_DATA": directory.path, "LATCHKEY_PROJECT": "shop",
            "LATCHKEY_PUBLIC_URL": "https://auth.example.com",
        ])
        let schemas = ServiceSchemas([.identity: Self.release])
        let readers = AccountSecretReaders(factors: { _, _, _ in [] }, publicKeys: { _, _ in [:] })
        func run<Asked: Command>(_ type: Asked.Type, _ words: [String]) async throws {
            let arguments = try ParsedArguments(words, of: Asked.declaration, over: environment)
            try await LatchkeyCommand.run(Asked(arguments, arguments.environment), readers, .none, schemas)
        }
        for against in ["settings", "sqlite:"] { try await run(CheckCommand.self, ["--against", against]) }
        await #expect(throws: SettingsError.self) {
            try await run(CheckCommand.self, ["--against", "mysql://host/db"])
        }
        #expect(try await forecast().schema == 1)
        try await run(MigrateCommand.self, ["--json"])
        #expect(try await forecast().schema == 2)
        try await run(MigrateCommand.self, ["--contract"])
        #expect(try await forecast().schema == 3)
    }
}
