import Contracts
import Foundation
import HTTPClient
import JSON
import TestSupport
import Testing

extension MeshTests {
    /// Output and effect of the command lines of the executables.
    @Suite struct OptionTests {
        private static let services = ServiceName.allCases.map(\.rawValue)

        @Test func partOfMeshRunsAlone() async throws {
            try await withMesh(["--only", "gateway,identity,mfa-totp"]) { mesh in
                let response = try await mesh.client.signUp(TestUser())
                #expect(response.status == 200)
                #expect(mesh.pids.keys.sorted() == ["gateway.1", "identity.1", "mfa-totp.1"])
            }
        }

        @Test func scaleSetsNumberOfProcesses() async throws {
            try await withMesh(["--only", "gateway,identity,notifier", "--scale", "notifier=3"]) { mesh in
                #expect(
                    mesh.pids.keys.filter { $0.hasPrefix("notifier.") }.sorted() == [
                        "notifier.1", "notifier.2", "notifier.3",
                    ])
            }
        }

        @Test func everyLineOfAJSONLogIsJSON() async throws {
            try await withMesh(["--only", "gateway,identity", "--log-format", "json"]) { mesh in
                _ = try await mesh.client.signUp(TestUser())
                try await mesh.killAndReplace("identity.1")
                try await mesh.untilReady()
                #expect(try await mesh.stop() == .code(0))
                let lines = mesh.log.split(separator: "\n") + mesh.output.split(separator: "\n")
                #expect(lines.count > 10)
                #expect(mesh.output.split(separator: "\n").count == 2)
                for line in lines {
                    let entry = try WireJSON.decode(JSONValue.self, from: Data(line.utf8))
                    for name in ["time", "level", "instance", "event"] {
                        guard case .string = entry[name] else {
                            Issue.record("no \(name) in \(line)")
                            continue
                        }
                    }
                }
            }
        }

        /// A journal has both outputs of a unit.
        @Test(
            arguments: [
                ("latchkey", ["up"], "LATCHKEY_PROJECT is not set. "),
                ("latchkey", ["up", "--nonsense"], "There is no option "),
                ("latchkey", ["up", "--dev", "--data", "/proc/no/such/place"], "/proc/no/such/place cannot be made: "),
                ("identity", [], "LATCHKEY_BROKERS is not set. "),
            ] as [(String, [String], String)])
        func errorsOfAJSONLogAreJSON(name: String, arguments: [String], sentence: String) async throws {
            let program = try RunningProgram(
                name, arguments, environment: ["LATCHKEY_LOG_FORMAT": "json", "LATCHKEY_DATA": "/tmp"],
                in: TemporaryDirectory())
            _ = try await program.ending()
            let lines = program.errors.split(separator: "\n")
            #expect(!lines.isEmpty && program.output.isEmpty)
            for line in lines {
                let entry = try WireJSON.decode(JSONValue.self, from: Data(line.utf8))
                #expect(entry["event"] == .string("process.failed") && entry["instance"] == .string(name))
            }
            #expect(program.errors.contains("\"reason\":\"\(sentence)"), "\(program.errors)")
        }

        /// Sentences of a command are for people, whatever the settings of the services say.
        @Test func errorsOfACommandAreSentences() async throws {
            let program = try RunningProgram(
                "latchkey", ["status", "--dev"], environment: ["LATCHKEY_LOG_FORMAT": "json"], in: TemporaryDirectory())
            #expect(try await program.ending() == .code(1))
            #expect(program.errors.hasPrefix("latchkey: "))
        }

        /// One file is a whole installation, and the processes share its code. Tools show each process by its name.
        @Test func everyProcessExecutesLatchkey() async throws {
            try await withMesh(["--scale", "broker=1"]) { mesh in
                let latchkey = RunningProgram.buildDirectory + "latchkey"
                #expect(mesh.pids.count == Self.services.count)
                for (instance, pid) in mesh.pids {
                    let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/exe")
                    #expect(executable == latchkey)
                    let name = try String(contentsOfFile: "/proc/\(pid)/comm", encoding: .utf8)
                        .trimmingCharacters(in: .newlines)
                    #expect(instance == name + ".1")
                    let arguments = try String(contentsOfFile: "/proc/\(pid)/cmdline", encoding: .utf8)
                    #expect(arguments == RunningProgram.buildDirectory + "\(name)\0")
                }
            }
        }

        @Test(arguments: services)
        func linkToLatchkeyIsTheProcessOfItsName(name: String) async throws {
            let directory = try TemporaryDirectory()
            let link = directory.appending(name)
            try FileManager.default.createSymbolicLink(
                atPath: link, withDestinationPath: RunningProgram.buildDirectory + "latchkey")
            let version = try RunningProgram(link, ["--version"], in: directory)
            #expect(try await version.ending() == .code(0))
            #expect(version.output.hasPrefix("\(name) "))
        }

        @Test(arguments: services + ["latchkey"])
        func everyExecutableHasHelpAndVersion(name: String) async throws {
            let directory = try TemporaryDirectory()
            let help = try RunningProgram(name, ["--help"], in: directory)
            #expect(try await help.ending() == .code(0))
            #expect(help.output.hasPrefix("\(name) "))
            #expect(help.output.contains("LATCHKEY_DATA"))
            #expect(help.errors == "")

            let version = try RunningProgram(name, ["--version"], in: directory)
            #expect(try await version.ending() == .code(0))
            #expect(version.output.wholeMatch(of: /([a-z-]+) \d+\.\d+\.\d+\n/)?.1 == name[...])
            #expect(version.errors == "")
        }

        @Test(arguments: services + ["latchkey"])
        func everyExecutableRefusesUnknownArguments(name: String) async throws {
            let program = try RunningProgram(name, ["nonsense"], in: TemporaryDirectory())
            #expect(try await program.ending() == .code(64))
            #expect(program.errors.contains("\"nonsense\""))
        }

        /// In production mode, where no setting has a default that could be wrong.
        @Test(arguments: ServiceName.allCases)
        func everyProcessNamesEveryMissingSetting(service: ServiceName) async throws {
            let name = service.rawValue
            let program = try RunningProgram(name, [], in: TemporaryDirectory())
            #expect(try await program.ending() == .code(78))
            let expected =
                switch service {
                case .broker: ["LATCHKEY_BROKER_LISTEN"]
                case .gateway: ["LATCHKEY_BROKERS", "LATCHKEY_LISTEN", "LATCHKEY_PUBLIC_URL"]
                case .identity: ["LATCHKEY_BROKERS", "LATCHKEY_DATA", "LATCHKEY_PUBLIC_URL"]
                case .mfaSMS, .mfaTOTP, .passkey, .federation: ["LATCHKEY_BROKERS", "LATCHKEY_DATA"]
                case .notifier:
                    ["LATCHKEY_BROKERS", "LATCHKEY_DATA", "LATCHKEY_SMTP_URL", "LATCHKEY_SMTP_FROM"]
                }
            let lines = program.errors.split(separator: "\n")
            #expect(lines.count == expected.count)
            for (line, setting) in zip(lines, expected) {
                #expect(line.hasPrefix("\(name): \(setting) is not set. Set it to "))
            }
        }
    }
}
