import CommandLineArguments
import Contracts
import Foundation
import MasterKey
import SQL
import ServiceRuntime
import Settings
import Storage
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import LatchkeyProgram

@Suite struct BenchFillCommandTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: directory.path)
        try MasterKeyFile.write(MasterKeyRing(.random()), to: directory.appending("master.key"))
    }

    private func command(_ words: String...) throws -> BenchFillCommand {
        try BenchFillCommand(words: ["--data", directory.path] + words, over: Environment([:]))
    }

    /// As the first start of a service does.
    private func makeDatabases(_ services: [ServiceName]) async throws {
        for service in services {
            var reader = SettingsReader(Environment([:]), of: .latchkey)
            let database = try await StorageSettings(service, from: &reader, dataDirectory: directory.path).open()
            try await database.migrate([SQLMigration(1, "own", "CREATE TABLE own (id TEXT PRIMARY KEY)")])
            try await database.write { try $0.execute("INSERT INTO own VALUES ($1)", .text(service.rawValue)) }
            await database.close()
        }
    }

    private static func owner(_ database: any SQLDatabase) async throws -> String? {
        try await database.read { try $0.firstRow("SELECT id FROM own")?.get("id") }
    }

    @Test func commandIsRefusedOutsideOfDevMode() throws {
        let refusal = #expect(throws: SettingsError.self) { try command() }
        #expect(refusal?.messages.first?.hasPrefix("LATCHKEY_DEV is not set, and `latchkey bench fill`") == true)
        #expect(refusal?.exitCode == ExitCode.settings)
        for words in [["0"], ["100000001"], ["many"], [""]] {
            #expect(throws: UsageError.self) { try command("--dev", "--accounts", words[0]) }
        }
        let usual = try command("--dev")
        #expect((usual.count, usual.realm) == (1000, Realm(project: ProjectID("demo-latchkey"))))
        let other = try command("--dev", "--accounts", "7", "--project", "shop")
        #expect((other.count, other.realm) == (7, Realm(project: ProjectID("shop"))))
    }

    @Test func eachServiceIsFilledInItsOwnDatabase() async throws {
        let calls = Mutex<[String]>([])
        let fills = AccountFills(
            accounts: { count, realm, database, _, _, insertFactors, added in
                try await insertFactors([])
                added(count)
                let owner = try await Self.owner(database) ?? ""
                calls.withLock { $0.append("\(count) accounts of \(realm.project) in \(owner)") }
                return count
            },
            factors: { _, database, _ in
                let owner = try await Self.owner(database) ?? ""
                return { _ in calls.withLock { $0.append("factors in \(owner)") } }
            })
        let words = ["--dev", "--accounts", "5", "--json"]
        for (services, missing) in [([], ServiceName.mfaTOTP), ([.mfaTOTP], .identity)]
            as [([ServiceName], ServiceName)]
        {
            try await makeDatabases(services)
            await #expect(throws: BenchError.noDatabase(missing)) {
                try await LatchkeyCommand.run(
                    BenchFillCommand(words: ["--data", directory.path] + words, over: Environment([:])),
                    .none, .none, ServiceSchemas([:]), fills)
            }
        }
        #expect(calls.withLock { $0 } == [])
        try await makeDatabases([.identity])
        let launcher = try DataDirectory(directory.path)
        await #expect(throws: BenchError.meshRuns(launcher.path)) {
            try await LatchkeyCommand.run(
                BenchFillCommand(words: ["--data", directory.path] + words, over: Environment([:])), .none, .none,
                ServiceSchemas([:]), fills)
        }
        _ = consume launcher
        try await LatchkeyCommand.run(
            BenchFillCommand(words: ["--data", directory.path] + words, over: Environment([:])), .none, .none,
            ServiceSchemas([:]), fills)
        #expect(calls.withLock { $0 } == ["factors in mfa-totp", "5 accounts of demo-latchkey in identity"])
    }
}

extension AccountSecretReaders {
    /// For commands that read none.
    fileprivate static let none = AccountSecretReaders(factors: { _, _, _ in [] }, publicKeys: { _, _ in [:] })
}
