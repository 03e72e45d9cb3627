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

        /// The settings of a production mesh that starts.
        private static let production = [
            "LATCHKEY_PROJECT": "shop", "LATCHKEY_PUBLIC_URL": "https://auth.shop.test",
            "LATCHKEY_SMTP_URL": "smtp://127.0.0.1:9", "LATCHKEY_SMTP_FROM": "noreply@shop.test",
        ]

        /// `check` runs the code that judges at the start, so it finds what would end a process with 78.
        @Test(
            arguments: [
                ([:], nil),
                (["LATCHKEY_SMTP_FROM": nil], "notifier: LATCHKEY_SMTP_FROM is not set."),
                (["LATCHKEY_SMTP_URL": "mail.shop.test:587"], "notifier: LATCHKEY_SMTP_URL "),
                (["LATCHKEY_TRUSTED_PROXIES": "proxy"], "gateway: LATCHKEY_TRUSTED_PROXIES is \"proxy\","),
                (["LATCHKEY_ADMIN_LISTEN": "0.0.0.0:9098"], "gateway: LATCHKEY_ADMIN_LISTEN is 0.0.0.0:9098,"),
                (["LATCHKEY_PASSKEY_RP_ID": "https://shop.test"], "passkey: LATCHKEY_PASSKEY_RP_ID is "),
                (["LATCHKEY_SMS_PROVIDER": "pigeon"], "notifier: LATCHKEY_SMS_PROVIDER names something else than "),
                (["LATCHKEY_SMS_PROVIDER": "twilio"], "notifier: LATCHKEY_TWILIO_ACCOUNT_SID is not set."),
                (["LATCHKEY_REFRESH_GRACE": "soon"], "identity: LATCHKEY_REFRESH_GRACE is \"soon\","),
                (
                    ["LATCHKEY_TWILIO_AUTH_TOKEN_FILE": "/nowhere"],
                    "notifier: LATCHKEY_TWILIO_AUTH_TOKEN_FILE names /nowhere, which cannot be read: "
                ),
                (
                    ["LATCHKEY_APNS_KEY_FILE": "/nowhere", "LATCHKEY_APNS_KEY_ID": "K", "LATCHKEY_APNS_TEAM_ID": "T"],
                    "notifier: "
                ),
                (
                    ["LATCHKEY_BROKERS": "tcp://127.0.0.1:1"],
                    "gateway, identity, mfa-sms, mfa-totp, passkey, federation, "
                ),
            ] as [([String: String?], String?)])
        func checkFindsWhatAProcessRefuses(changes: [String: String?], refusal: String?) async throws {
            let directory = try TemporaryDirectory()
            var environment = Self.production
            for (name, value) in changes { environment[name] = value }
            let program = try RunningProgram(
                "latchkey", ["check", "--data", directory.appending("data")], environment: environment, in: directory)
            #expect(try await program.ending() == .code(refusal == nil ? 0 : 78), "\(program.errors)")
            if let refusal {
                #expect(program.errors.hasPrefix("latchkey: " + refusal), "\(program.errors)")
                #expect(program.output.isEmpty)
            } else {
                #expect(program.errors.isEmpty)
            }
            #expect(!FileManager.default.fileExists(atPath: directory.appending("data")))
        }

        @Test(arguments: ServiceName.allCases)
        func processOnlyChecksItsSettings(service: ServiceName) async throws {
            let directory = try TemporaryDirectory()
            let broker = "ipc://\(directory.path)/b.sock"
            let places = [
                "LATCHKEY_DATA": directory.appending("data"), "LATCHKEY_BROKERS": "ipc:///tmp/none.sock,\(broker)",
                "LATCHKEY_BROKER_LISTEN": broker, "LATCHKEY_LISTEN": "127.0.0.1:0",
            ]
            let name = service.rawValue
            let accepting = try RunningProgram(
                name, ["--check"], environment: Self.production.merging(places) { $1 }, in: directory)
            #expect(try await accepting.ending() == .code(0), "\(accepting.errors)")
            #expect(accepting.output.isEmpty && accepting.errors.isEmpty)
            let refusing = try RunningProgram(
                name, ["--check"], environment: places.merging(["LATCHKEY_LOG": "loud"]) { $1 }, in: directory)
            #expect(try await refusing.ending() == .code(78))
            #expect(refusing.errors.contains("\(name): LATCHKEY_LOG is \"loud\","))
            #expect(!FileManager.default.fileExists(atPath: directory.appending("data")))
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
