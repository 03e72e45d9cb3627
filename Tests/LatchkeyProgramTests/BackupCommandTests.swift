import CommandLineArguments
import MasterKey
import ServiceRuntime
import Testing

@testable import LatchkeyProgram

@Suite struct BackupCommandTests {
    private static let variables = Environment(["LATCHKEY_DATA": "/variable"])

    @Test func directoryIsAcceptedAtAnyPosition() throws {
        let command = try RestoreCommand(words: ["--data", "/d", "/b//", "--replace"])
        #expect(command.directory == "/b")
        #expect(command.settings.dataDirectory == "/d")
        #expect(command.replaces)
        #expect(try BackupCommand(words: ["b", "--data=/d"]).settings.dataDirectory == "/d")
        #expect(try BackupCommand(words: ["/"], over: Self.variables).directory == "/")
    }

    @Test(arguments: [
        [], ["a", "b"], ["a", "--data"], ["a", "--data", "--replace"], ["a", "--replace"], ["--d", "a"], [""],
    ])
    func invalidArgumentsAreRefused(words: [String]) {
        #expect(throws: UsageError.self) { try BackupCommand(words: words, over: Self.variables) }
    }

    @Test func dataOptionOverridesItsVariable() throws {
        let option = try BackupCommand(words: ["b", "--data", "/option"], over: Self.variables)
        #expect(option.settings.dataDirectory == "/option")
        #expect(try BackupCommand(words: ["b"], over: Self.variables).settings.dataDirectory == "/variable")
    }

    @Test func devModeHasItsOwnDataDirectory() throws {
        #expect(try BackupCommand(words: ["b", "--dev"]).settings.dataDirectory == ".latchkey")
    }

    @Test func masterKeyIsWhereServicesReadIt() throws {
        #expect(try DatabaseSettings(Environment(["LATCHKEY_DATA": "/d"])).masterKey.name == "/d/master.key")
        let elsewhere = Environment(["LATCHKEY_DATA": "/d", "LATCHKEY_MASTER_KEY_FILE": "/k"])
        #expect(try DatabaseSettings(elsewhere).masterKey.name == "/k")
    }

    @Test func missingDataDirectoryIsRefused() throws {
        #expect(throws: SettingsError.self) { try DatabaseSettings(Environment([:])) }
        #expect(try DatabaseSettings(Environment(["LATCHKEY_DEV": "1"])).dataDirectory == ".latchkey")
    }
}
