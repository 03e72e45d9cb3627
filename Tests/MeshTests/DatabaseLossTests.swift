import Foundation
import HTTPClient
import TestSupport
import Testing

extension MeshTests {
    /// The database becomes unavailable and returns: no restart, nothing lost, and a clear message meanwhile.
    @Suite struct DatabaseLossTests {
        @Test func serverRestartLosesNothingAndNeedsNoMeshRestart() async throws {
            let server = try await RunningPostgres()
            let settings = ["LATCHKEY_DATABASE_URL": try await server.makeDatabase()]
            try await withMesh(["--only", "gateway,identity"], environment: settings) { mesh in
                let before = mesh.pids
                let signUps = Tally<TestUser>()
                try await withBusyClients(4, { await mesh.client.signUpAndLookUp(signUps) }) {
                    for _ in 1...2 {
                        try await signUps.untilMore(8)
                        try await server.kill()
                        let refused = try await mesh.client.signUp(TestUser())
                        #expect(refused.asksToComeAgain, "\(refused.summary)")
                        try await server.restart()
                        try await signUps.untilMore(8)
                    }
                }
                #expect(signUps.surprises == [])
                for person in signUps.successes {
                    #expect(try await mesh.client.signIn(person).status == 200)
                }
                #expect(mesh.pids == before && mesh.lines(of: "process.exited") == [])
            }
        }

        /// Readiness, metrics and the log report the outage although the process itself runs.
        @Test func databaseOutageIsReported() async throws {
            let server = try await RunningPostgres()
            let settings = ["LATCHKEY_DATABASE_URL": try await server.makeDatabase()]
            try await withMesh(["--only", "gateway,identity,notifier"], environment: settings) { mesh in
                try await server.kill()
                try await eventually("it was not ready") { try await mesh.client.get("/readyz").status == 503 }
                let text = try await mesh.client.get("/readyz").summary
                #expect(text.contains(#""missing":["identity"]"#), "\(text)")
                #expect(text.contains(#""process":"identity.1","part":"store database","problem":"unavailable""#))
                try await eventually("the notifier logged it too") {
                    try await mesh.client.get("/readyz").summary.contains(
                        #""process":"notifier.1","part":"store database","problem":"unavailable""#)
                }
                let metrics = try await mesh.client.get("/metrics").summary
                #expect(metrics.contains("latchkey_storage_failed_checks_total{process=\"identity.1\""))
                try await eventually("the log has one event for each process") {
                    Set(mesh.lines(of: "store.lost").map { $0.contains("identity.1") }).count == 2
                }
                #expect(mesh.lines(of: "store.lost").count == 2)
                try await server.restart()
                try await mesh.untilReady()
                try await eventually("the log has one event for each process") {
                    mesh.lines(of: "store.recovered").count == 2
                }
                #expect(try await mesh.client.signUp(TestUser()).status == 200)
            }
        }

        /// Machines that boot together become ready in any order. Before it creates a key, the launcher itself asks the
        /// server whether another machine has sealed something there.
        @Test(arguments: [false, true]) func meshWaitsForServerThatStartsLater(hasKey: Bool) async throws {
            let server = try await RunningPostgres()
            let url = try await server.makeDatabase()
            try await server.kill()
            let directory = try TemporaryDirectory()
            var environment = [
                "LATCHKEY_DATA": RunningMesh.dataDirectory(in: directory), "LATCHKEY_DATABASE_URL": url,
            ]
            if hasKey { environment["LATCHKEY_MASTER_KEY"] = "1a2b3c4d:" + String(repeating: "1", count: 64) }
            let launcher = try RunningProgram(
                "latchkey", ["up", "--dev", "--only", "gateway,identity", "--listen", "127.0.0.1:0"],
                environment: environment, in: directory)
            if hasKey {
                try await eventually("the launcher named the process that it waits for") {
                    launcher.errors.contains("mesh.start-delayed awaited=identity")
                }
            }
            let waiting = hasKey ? "identity.1" : "latchkey"
            try await eventually("the log named the setting") {
                launcher.errors.contains("error \(waiting) database.connect-failed setting=LATCHKEY_DATABASE_URL")
            }
            #expect(!launcher.errors.contains(RunningPostgres.password))
            #expect(!launcher.output.contains("ready"))
            try await server.restart()
            try await eventually("the mesh was ready") { launcher.output.contains("ready http://") }
            #expect(!launcher.errors.contains("process.exited"))
            launcher.send(SIGTERM)
            #expect(try await launcher.ending() == .code(0))
        }

        @Test func meshWaitingForServerCanBeStopped() async throws {
            let server = try await RunningPostgres()
            let url = try await server.makeDatabase()
            try await server.kill()
            let directory = try TemporaryDirectory()
            let launcher = try RunningProgram(
                "latchkey", ["up", "--dev", "--only", "gateway,identity", "--listen", "127.0.0.1:0"],
                environment: ["LATCHKEY_DATA": RunningMesh.dataDirectory(in: directory), "LATCHKEY_DATABASE_URL": url],
                in: directory)
            try await eventually("identity waited") { launcher.errors.contains("database.connect-failed") }
            launcher.send(SIGTERM)
            #expect(try await launcher.ending() == .code(0))
            #expect(!launcher.errors.contains("process.killed"))
            #expect(try RunningMesh.processes(in: directory) == [])
        }

        /// Every file write of the process fails, as on a full or defective disk. Reads continue.
        @Test func fullDiskRefusesWritesAndAllowsReads() async throws {
            try await withMesh(["--only", "gateway,identity"]) { mesh in
                let person = TestUser()
                let tokens = try Tokens(await mesh.client.signUp(person))
                for _ in 1...2 {
                    try await mesh.limitFiles(of: "identity.1", to: "1")
                    for _ in 1...3 {
                        let refused = try await mesh.client.signUp(TestUser())
                        #expect(refused.asksToComeAgain, "\(refused.summary)")
                        #expect(try await mesh.client.lookUp(tokens.idToken).status == 200)
                    }
                    try await mesh.limitFiles(of: "identity.1", to: "unlimited")
                    #expect(try await mesh.client.signUp(TestUser()).status == 200)
                    #expect(try await mesh.client.signIn(person).status == 200)
                }
                #expect(mesh.lines(of: "process.exited") == [])
            }
        }
    }
}

extension RunningMesh {
    /// Sets the maximum size of files that a process may write, in the format of prlimit(1).
    fileprivate func limitFiles(of instance: String, to bytes: String) async throws {
        guard let pid = pids[instance] else { throw Failure("\(instance) does not run") }
        let program = try RunningProgram(
            "/usr/bin/prlimit", ["--pid", "\(pid)", "--fsize=\(bytes):unlimited"], in: directory)
        #expect(try await program.ending() == .code(0), "\(program.errors)")
    }
}
