import Contracts
import Foundation
import HTTPClient
import TestSupport
import Testing

extension MeshTests {
    /// Which settings the processes accept and receive.
    @Suite struct SettingsTests {
        @Test(
            arguments: ServiceName.allCases.map { ($0.rawValue, []) } + [
                ("latchkey", ["up", "--dev"]), ("latchkey", ["check", "--dev"]),
                ("latchkey", ["keys", "list", "--dev"]),
            ] as [(String, [String])])
        func everyCommandRefusesUnknownSetting(name: String, arguments: [String]) async throws {
            let program = try RunningProgram(
                name, arguments, environment: ["LATCHKEY_SMS_PROVDER": "s3cret"], in: TemporaryDirectory())
            #expect(try await program.ending() == .code(78))
            #expect(
                program.errors == "\(name): LATCHKEY_SMS_PROVDER is unknown. Did you mean LATCHKEY_SMS_PROVIDER?\n")
        }

        @Test func secretFileIsReadOnlyByItsProcess() async throws {
            let directory = try TemporaryDirectory()
            let database = directory.appending("elsewhere.sqlite")
            let secret = directory.appending("database-url")
            try "sqlite:\(database)\n".write(toFile: secret, atomically: false, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret)
            let variables = ["LATCHKEY_IDENTITY_DATABASE_URL_FILE": secret]
            try await withMesh(["--only", "gateway,identity"], environment: variables) { mesh in
                #expect(try await mesh.client.signUp(TestUser()).status == 200)
                #expect(FileManager.default.fileExists(atPath: database))
                for (instance, pid) in mesh.pids {
                    let bytes = try #require(FileManager.default.contents(atPath: "/proc/\(pid)/environ"))
                    let environment = String(decoding: bytes, as: UTF8.self)
                    #expect(!environment.contains(database))
                    #expect(environment.contains("LATCHKEY_IDENTITY_DATABASE_URL_FILE=") == (instance == "identity.1"))
                }
            }
        }

        @Test func standaloneProcessReadsSecretFiles() async throws {
            let directory = try TemporaryDirectory()
            let secret = directory.appending("smtp-url")
            try "nonsense://ada:hunter2@mail.example.com\n".write(toFile: secret, atomically: false, encoding: .utf8)
            let variables = [
                "LATCHKEY_SMTP_URL_FILE": secret, "LATCHKEY_DATA": directory.path,
                "LATCHKEY_BROKERS": "ipc:///tmp/none.sock",
                "LATCHKEY_SMTP_FROM": "noreply@example.com",
            ]
            for (mode, problem) in [
                (0o600, "LATCHKEY_SMTP_URL "),
                (0o644, "LATCHKEY_SMTP_URL_FILE names \(secret), which all users can read"),
            ] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: secret)
                let program = try RunningProgram("notifier", [], environment: variables, in: directory)
                #expect(try await program.ending() == .code(78))
                #expect(program.errors.hasPrefix("notifier: \(problem)"), "\(program.errors)")
                #expect(!program.errors.contains("is not set") && !program.errors.contains("hunter2"))
            }
        }

        @Test func checkNamesReadersAndStartsNothing() async throws {
            let directory = try TemporaryDirectory()
            let program = try RunningProgram(
                "latchkey", ["check", "--dev", "--data", directory.appending("data")],
                environment: ["LATCHKEY_TWILIO_AUTH_TOKEN": "s3cret"], in: directory)
            #expect(try await program.ending() == .code(0))
            #expect(program.output.contains("LATCHKEY_TWILIO_AUTH_TOKEN: notifier\n"))
            #expect(!program.output.contains("s3cret") && program.errors.isEmpty)
            #expect(!FileManager.default.fileExists(atPath: directory.appending("data")))
        }
    }
}
