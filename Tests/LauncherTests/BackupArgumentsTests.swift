import MasterKey
import ServiceRuntime
import Testing

@testable import Launcher

@Suite struct BackupArgumentsTests {
    @Test func directoryIsAcceptedAtAnyPosition() throws {
        let arguments = try BackupArguments("restore", ["--data", "/d", "/b//", "--replace"], allowsReplacing: true)
        #expect(arguments.directory == "/b")
        #expect(arguments.data == "/d")
        #expect(arguments.replaces)
        #expect(try BackupArguments("backup", ["b", "--data=/d"]).data == "/d")
        #expect(try BackupArguments("backup", ["/"]).directory == "/")
    }

    @Test(arguments: [
        [], ["a", "b"], ["a", "--data"], ["a", "--data", "--replace"], ["a", "--replace"], ["--d", "a"], [""],
    ])
    func invalidArgumentsAreRefused(words: [String]) {
        #expect(throws: UsageError.self) { try BackupArguments("backup", words) }
    }

    @Test func dataOptionOverridesItsVariable() throws {
        let environment = Environment(["LATCHKEY_DATA": "/variable"])
        let option = try BackupArguments("backup", ["b", "--data", "/option"])
        #expect(try BackupSettings(option.environment(over: environment)).dataDirectory == "/option")
        let none = try BackupArguments("backup", ["b"])
        #expect(try BackupSettings(none.environment(over: environment)).dataDirectory == "/variable")
    }

    @Test func devModeHasItsOwnDataDirectory() throws {
        let arguments = try BackupArguments("backup", ["b", "--dev"])
        #expect(try BackupSettings(arguments.environment(over: Environment([:]))).dataDirectory == ".latchkey")
    }

    @Test func masterKeyIsWhereServicesReadIt() throws {
        #expect(try BackupSettings(Environment(["LATCHKEY_DATA": "/d"])).masterKey.name == "/d/master.key")
        let elsewhere = Environment(["LATCHKEY_DATA": "/d", "LATCHKEY_MASTER_KEY_FILE": "/k"])
        #expect(try BackupSettings(elsewhere).masterKey.name == "/k")
    }

    @Test func missingDataDirectoryIsRefused() throws {
        #expect(throws: SettingsError.self) { try BackupSettings(Environment([:])) }
        #expect(try BackupSettings(Environment(["LATCHKEY_DEV": "1"])).dataDirectory == ".latchkey")
    }
}
