import Contracts
import Foundation
import HTTPClient
import SQL
import SQLite
import TestSupport
import Testing

extension MeshTests {
    /// `latchkey backup` and `latchkey restore` beside a running mesh.
    @Suite struct BackupTests {
        /// Where the data of a mesh are stored.
        enum MeshStorage: CaseIterable, CustomTestStringConvertible {
            case sqlite, postgres

            var testDescription: String { self == .sqlite ? "SQLite" : "PostgreSQL" }

            func environment() async throws -> [String: String] {
                switch self {
                case .sqlite: [:]
                case .postgres: ["LATCHKEY_DATABASE_URL": try await RunningPostgres.shared().makeDatabase()]
                }
            }
        }

        @Test(arguments: MeshStorage.allCases)
        func runningMeshIsRestored(home: MeshStorage) async throws {
            let environment = try await home.environment()
            try await withMesh(["--only", "gateway,identity"], environment: environment) { mesh in
                let backup = mesh.directory.appending("backup")
                let signUps = Tally<TestUser>()
                var before: [TestUser] = []
                try await withBusyClients(4, { await mesh.client.signUpAndLookUp(signUps) }) {
                    try await signUps.untilMore(20)
                    before = signUps.successes
                    try await run(["backup", backup], on: mesh, environment)
                    try await signUps.untilMore(10)
                }
                // No request was refused because of the backup.
                #expect(signUps.surprises == [])
                let kept = try names(in: backup)
                let late = try Tokens(await mesh.client.signUp(TestUser()))
                let someone = try #require(before.first)
                let early = try Tokens(await mesh.client.signIn(someone))
                let former = mesh.pids["identity.1"]

                let restore = try await run(["restore", backup, "--replace"], on: mesh, environment)
                #expect(restore.output.contains("identity"))
                #expect(kept.isSuperset(of: before.map(\.email)))

                // No manual start is needed. No response in the meantime is based on deleted rows.
                try await mesh.untilReady()
                #expect(try await response { try await mesh.client.lookUp(late.idToken) }.status == 400)
                #expect(try await response { try await mesh.client.refresh(late.refreshToken) }.status == 400)
                // The account exists, but not the session, which began after the backup.
                #expect(try await response { try await mesh.client.refresh(early.refreshToken) }.status == 400)
                for person in before {
                    #expect(try await response { try await mesh.client.signIn(person) }.status == 200)
                }
                for person in signUps.successes {
                    let status = try await response { try await mesh.client.signIn(person) }.status
                    #expect(status == (kept.contains(person.email) ? 200 : 400))
                }
                try await eventually("identity started anew") { mesh.pids["identity.1"] != former }
                #expect(mesh.lines(of: "database.replaced").count == 1)
                #expect(mesh.pids.keys.sorted() == ["gateway.1", "identity.1"])
            }
        }

        /// Sessions and keys survive the move from one engine to the other and back.
        @Test func meshMovesToAnotherEngineAndBack() async throws {
            let postgres = try await MeshStorage.postgres.environment()
            let person = TestUser()
            let first = try await RunningMesh(["--only", "gateway,identity"])
            let tokens = try Tokens(await first.client.signUp(person))
            let there = first.directory.appending("there")
            try await run(["backup", there], on: first)
            #expect(try await first.stop() == .code(0))

            try await run(["restore", there], on: first, postgres)
            let second = try await RunningMesh(
                ["--only", "gateway,identity"], environment: postgres, in: first.directory)
            #expect(try await second.client.lookUp(tokens.idToken).status == 200)
            #expect(try await second.client.signIn(person).status == 200)
            let refreshed = try await second.client.refresh(tokens.refreshToken).text("refresh_token")
            let back = first.directory.appending("back")
            try await run(["backup", back], on: second, postgres)
            #expect(try await second.stop() == .code(0))

            try await run(["restore", back, "--replace"], on: first)
            let third = try await RunningMesh(["--only", "gateway,identity"], in: first.directory)
            #expect(try await third.client.refresh(refreshed).status == 200)
            #expect(try await third.client.signIn(person).status == 200)
            #expect(try await third.stop() == .code(0))
        }

        /// The backup of another mesh contains its own keys. Tokens from before are invalid, and new tokens are signed
        /// with the restored keys.
        @Test func keysBeforeRestoreSignNothingAfterwards() async throws {
            let old = try await RunningMesh(["--only", "gateway,identity"])
            let person = TestUser()
            let hers = try Tokens(await old.client.signUp(person))
            let backup = old.directory.appending("backup")
            try await run(["backup", backup], on: old)
            #expect(try await old.stop() == .code(0))

            let place = try TemporaryDirectory()
            let data = RunningMesh.dataDirectory(in: place)
            try FileManager.default.createDirectory(
                atPath: data, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            try FileManager.default.copyItem(atPath: old.dataDirectory + "/master.key", toPath: data + "/master.key")
            let mesh = try await RunningMesh(["--only", "gateway,identity"], in: place)
            let his = try Tokens(await mesh.client.signUp(TestUser()))
            #expect(keyID(his.idToken) != keyID(hers.idToken))
            let signIns = Tally<String>()
            try await withBusyClients(2) {
                guard let response = try? await mesh.client.signUp(TestUser()), let tokens = try? Tokens(response)
                else {
                    return
                }
                signIns.add(tokens.idToken)
            } while: {
                try await signIns.untilMore(5)
                try await run(["restore", backup, "--replace"], on: mesh)
                // Requests that were in progress when the rows changed were acknowledged before.
                try await signIns.untilMore(4)
                let settled = signIns.successes.count
                try await signIns.untilMore(10)
                for token in signIns.successes[settled...] { #expect(keyID(token) == keyID(hers.idToken)) }
            }
            #expect(try await response { try await mesh.client.lookUp(hers.idToken) }.status == 200)
            #expect(try await response { try await mesh.client.lookUp(his.idToken) }.status == 400)
            #expect(try await mesh.stop() == .code(0))
        }

        /// Killed at any point, a restore has changed nothing or everything; the next restore completes.
        @Test(arguments: MeshStorage.allCases)
        func killedRestoreIsAtomic(home: MeshStorage) async throws {
            let environment = try await home.environment()
            let mesh = try await RunningMesh(["--only", "gateway,identity"], environment: environment)
            let kept = TestUser()
            _ = try Tokens(await mesh.client.signUp(kept))
            let backup = mesh.directory.appending("backup")
            try await run(["backup", backup], on: mesh, environment)
            let lost = TestUser()
            _ = try Tokens(await mesh.client.signUp(lost))
            for pause in [5, 15, 25, 40, 60, 90] {
                let restore = try latchkey(["restore", backup, "--replace"], on: mesh, environment)
                try await Task.sleep(for: .milliseconds(pause))
                restore.send(SIGKILL)
                _ = try await restore.ending()
                #expect(try await response { try await mesh.client.signIn(kept) }.status == 200)
            }
            try await run(["restore", backup, "--replace"], on: mesh, environment)
            #expect(try await response { try await mesh.client.signIn(lost) }.status == 400)
            #expect(try await response { try await mesh.client.signIn(kept) }.status == 200)
            #expect(try await mesh.stop() == .code(0))
        }

        @Test func errorsAreReportedInOneSentence() async throws {
            let mesh = try await RunningMesh(["--only", "gateway,identity"])
            let backup = mesh.directory.appending("backup")
            try await run(["backup", backup], on: mesh)
            for (words, code, sentence) in [
                (["backup", backup], 1, "is there already"), (["restore", backup], 1, "add --replace"),
                (["restore", mesh.directory.path], 1, "is not a backup"), (["restore"], 64, "requires DIR"),
            ] as [([String], Int32, String)] {
                let program = try latchkey(words, on: mesh)
                #expect(try await program.ending() == .code(code))
                #expect(program.errors.contains(sentence))
                #expect(program.output == "")
            }
            let elsewhere = try RunningProgram("latchkey", ["backup", "b"], in: mesh.directory)
            #expect(try await elsewhere.ending() == .code(78))
            #expect(elsewhere.errors.contains("LATCHKEY_DATA is not set"))
            #expect(try await mesh.stop() == .code(0))
        }

        // MARK: Steps

        private func latchkey(
            _ words: [String], on mesh: RunningMesh, _ environment: [String: String] = [:]
        ) throws -> RunningProgram {
            try RunningProgram(
                "latchkey", words + ["--data", mesh.dataDirectory], environment: environment, in: mesh.directory)
        }

        /// Runs a command that must succeed.
        @discardableResult
        private func run(
            _ words: [String], on mesh: RunningMesh, _ environment: [String: String] = [:]
        ) async throws -> RunningProgram {
            let program = try latchkey(words, on: mesh, environment)
            guard try await program.ending() == .code(0) else {
                throw RunningMesh.Failure("latchkey \(words): \(program.errors)")
            }
            return program
        }

        /// The first response other than a request to retry; a restarting process can ask the client to retry.
        private func response(_ request: () async throws -> HTTPClientResponse) async throws -> HTTPClientResponse {
            try await waitFor("there was an answer") {
                let response = try await request()
                return response.asksToComeAgain ? nil : response
            }
        }

        /// The addresses of the accounts in a backup.
        private func names(in backup: String) throws -> Set<String> {
            let file = backup + "/identity.sqlite"
            try SQLiteArchive.check(file)
            return try SQLiteArchive.read(file) { archive in
                Set(try archive.rows("SELECT email FROM accounts").map { try $0.get("email") as String })
            }
        }

        /// The key that signed a token.
        private func keyID(_ token: String) -> Substring { token.prefix { $0 != "." } }
    }
}
