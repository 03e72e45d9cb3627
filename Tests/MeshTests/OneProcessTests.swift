import Foundation
import HTTPClient
import TestSupport
import Testing

extension MeshTests {
    /// `latchkey up --one-process`: the same services, in one process.
    @Suite struct OneProcessTests {
        @Test(arguments: MeshEngine.allCases)
        func allServicesAreOneProcess(engine: MeshEngine) async throws {
            try await withMesh(["--one-process"], on: engine) { mesh in
                #expect(try RunningMesh.processes(in: mesh.directory).count == 1)
                #expect(Set(mesh.pids.values).count == 1 && mesh.pids.count == 7)
                let tokens = try Tokens(await mesh.client.signUp(TestUser()))
                #expect(try await mesh.client.lookUp(tokens.idToken).status == 200)
                #expect(try await mesh.client.refresh(tokens.refreshToken).status == 200)

                // Commands reach it over the socket of its broker.
                let status = try RunningProgram(
                    "latchkey", ["status", "--data", mesh.dataDirectory, "--json"], in: mesh.directory)
                #expect(try await status.ending() == .code(0), "\(status.errors)")
                let processes = try #require(
                    try JSONSerialization.jsonObject(with: Data(status.output.utf8)) as? [String: Any])["processes"]
                let rows = try #require(processes as? [[String: Any]])
                #expect(Set(rows.compactMap { $0["service"] as? String }).count == 7)
                // One of the services measures the process.
                #expect(rows.count { $0["memoryBytes"] is Int } == 1)
                #expect(Set(rows.compactMap { $0["pid"] as? Int }).count == 1)
            }
        }

        /// The kill takes all services at once; the next start may have the other form.
        @Test(arguments: [["--one-process"], []])
        func acknowledgedSignUpsSurviveKill(next: [String]) async throws {
            let mesh = try await RunningMesh(["--one-process"])
            let signUps = Tally<TestUser>()
            try await withBusyClients(4, { await mesh.client.signUpAndLookUp(signUps) }) {
                try await signUps.untilMore(12)
                mesh.killLauncher()
            }
            try await eventually("the process ended") { try RunningMesh.processes(in: mesh.directory) == [] }
            let second = try await RunningMesh(next, in: mesh.directory)
            for person in signUps.successes {
                #expect(try await second.client.signIn(person).status == 200)
            }
            #expect(try await second.stop() == .code(0))
            let third = try await RunningMesh(next == [] ? ["--one-process"] : [], in: mesh.directory)
            let person = try #require(signUps.successes.first)
            #expect(try await third.client.signIn(person).status == 200)
            #expect(try await third.stop() == .code(0))
        }

        /// Nothing else can go on, so the whole mesh ends, and says which service it was.
        @Test func faultOfOneServiceEndsTheMesh() async throws {
            let directory = try TemporaryDirectory()
            let mesh = try await RunningMesh(["--one-process"], in: directory)
            #expect(try await mesh.stop() == .code(0))
            let database = mesh.dataDirectory + "/passkey.sqlite"
            #expect(FileManager.default.fileExists(atPath: database))
            for file in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: database + file) }
            // Longer than the header of a database.
            try Data(String(repeating: "no database ", count: 50).utf8).write(to: URL(filePath: database))
            let launcher = try RunningProgram(
                "latchkey",
                ["up", "--dev", "--one-process", "--data", mesh.dataDirectory, "--listen", "127.0.0.1:0"], in: directory
            )
            #expect(try await launcher.ending() == .code(65), "\(launcher.errors)")
            #expect(launcher.errors.contains("passkey.1 ended, and with it the whole mesh"), "\(launcher.errors)")
            #expect(launcher.errors.contains("passkey.sqlite"), "\(launcher.errors)")
        }

        /// As a process of its own would: by name, and without a restart that fails again.
        @Test(arguments: [
            ("gateway.1", "LATCHKEY_TRUSTED_PROXIES"), ("identity.1", "LATCHKEY_PASSWORD_THREADS"),
            ("notifier.1", "LATCHKEY_SMTP_URL"),
        ])
        func refusedSettingEndsTheMesh(instance: String, setting: String) async throws {
            let directory = try TemporaryDirectory()
            let launcher = try RunningProgram(
                "latchkey",
                [
                    "up", "--dev", "--one-process", "--data", RunningMesh.dataDirectory(in: directory), "--listen",
                    "127.0.0.1:0",
                ], environment: [setting: "nonsense"], in: directory)
            #expect(try await launcher.ending() == .code(78), "\(launcher.errors)")
            #expect(launcher.errors.contains("\(instance) cannot run as it is set up:"), "\(launcher.errors)")
            #expect(launcher.errors.contains(": \(setting) "), "\(launcher.errors)")
            #expect(!launcher.output.contains("ready"))
        }

        /// A service that waits for its database is not in the way of a stop.
        @Test func stopDuringTheStartEndsTheMesh() async throws {
            let directory = try TemporaryDirectory()
            // Nobody listens there.
            let url = "postgres://nobody@127.0.0.1:1/none"
            let launcher = try RunningProgram(
                "latchkey",
                [
                    "up", "--dev", "--one-process", "--data", RunningMesh.dataDirectory(in: directory), "--listen",
                    "127.0.0.1:0",
                ], environment: ["LATCHKEY_PASSKEY_DATABASE_URL": url], in: directory)
            try await eventually("the service waits") { launcher.errors.contains("database.connect-failed") }
            launcher.send(SIGTERM)
            #expect(try await launcher.ending() == .code(0), "\(launcher.errors)")
        }
    }
}
