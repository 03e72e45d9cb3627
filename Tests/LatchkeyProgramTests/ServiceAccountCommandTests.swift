import CommandLineArguments
import Foundation
import ServiceRuntime
import TestSupport
import Testing

@testable import LatchkeyProgram

/// `latchkey service-account` before it sends a request.
@Suite struct ServiceAccountCommandTests {
    private func refusal(_ arguments: [String], _ variables: [String: String] = [:]) throws -> any Error {
        try #require(throws: (any Error).self) {
            guard
                case .command(let type, _, let words) = try CommandRunner(LatchkeyCommand.root).request(
                    ["service-account"] + arguments)
            else { return }
            _ = try type.init(words: words, over: Environment(variables))
        }
    }

    @Test(arguments: [
        [], ["register"], ["add"], ["add", "a.json", "b.json"], ["list", "all"], ["remove"], ["remove", "a", "b", "c"],
        ["add", "--project"], ["list", "--data", ""], ["list", "--everything"],
    ])
    func invalidCommandLineIsRefused(arguments: [String]) throws {
        let variables = ["LATCHKEY_BROKERS": "ipc:///tmp/none.sock"]
        #expect(try refusal(arguments, variables) is UsageError)
    }

    @Test func missingFileIsNamed() throws {
        let fault = try refusal(["add", "/nowhere/key.json"]) as? LauncherError
        #expect(fault?.messages.first?.hasPrefix("/nowhere/key.json cannot be read.") == true)
    }

    @Test func directoryWithoutMeshIsNamed() throws {
        let directory = try TemporaryDirectory()
        let fault = try refusal(["list", "--project", "shop", "--data", directory.path]) as? LauncherError
        #expect(fault?.messages.first?.contains("no mesh runs there") == true)
    }

    /// A path of the data directory may be relative, as that of dev mode is; the endpoint of a socket is absolute.
    @Test func endpointIsAbsolute() throws {
        let directory = try TemporaryDirectory()
        let run = directory.appending("run")
        try FileManager.default.createDirectory(atPath: run, withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: run + "/broker.1.sock"))
        let data = directory.path + "/run/.."
        let arguments = try ParsedArguments(
            ["--data", data], of: ServiceAccountListCommand.declaration, over: Environment([:]))
        let mesh = try MeshArguments(arguments, arguments.environment)
        #expect(mesh.brokers.count == 1 && mesh.brokers.allSatisfy { $0.hasPrefix("ipc:///") && !$0.contains("..") })
    }

    /// Outside dev mode, there is no default project.
    @Test(arguments: [["LATCHKEY_BROKERS": "ipc:///tmp/none.sock"], ["LATCHKEY_DATA": "/var/lib/latchkey"]])
    func listRequiresProject(variables: [String: String]) throws {
        let fault = try refusal(["list"], variables) as? SettingsError
        #expect(fault?.messages.first?.contains("LATCHKEY_PROJECT is not set") == true)
    }

    @Test func devModeListsItsProject() throws {
        _ = try ServiceAccountListCommand(
            words: ["--dev"], over: Environment(["LATCHKEY_BROKERS": "ipc:///tmp/none.sock"]))
    }

    @Test func invalidSettingIsNamed() throws {
        let fault = try refusal(["list"], ["LATCHKEY_PROJECT": "a project"]) as? SettingsError
        #expect(fault != nil)
    }
}
