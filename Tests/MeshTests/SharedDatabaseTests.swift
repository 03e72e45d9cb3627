import Contracts
import Foundation
import HTTPClient
import JSON
import SQL
import SQLite
import TestSupport
import Testing

extension MeshTests {
    /// A suspended database server, and a server shared by two meshes.
    @Suite struct SharedDatabaseTests {
        private func rotateMaster(
            _ arguments: String..., of mesh: RunningMesh, _ settings: [String: String]
        ) async throws -> (RunningProgram, RunningProgram.End) {
            let command = try RunningProgram(
                "latchkey", ["keys", "rotate-master"] + arguments + ["--data", mesh.dataDirectory],
                environment: settings, in: mesh.directory)
            return (command, try await command.ending())
        }

        /// Another machine has a copy of the key file, and gets the new key when the operator copies the file again.
        @Test func rotationWaitsForCopyOfAnotherMachine() async throws {
            let database = try await MeshEngine.postgres.settings()
            let here = try await RunningMesh(["--only", "gateway,identity"], environment: database)
            let file = here.dataDirectory + "/master.key"
            let folder = try TemporaryDirectory()
            let copy = folder.appending("copy.key")
            func keyIDs(_ path: String) throws -> [String] {
                try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { String($0.prefix(8)) }
            }
            func copyFile() throws {
                _ = try? FileManager.default.removeItem(atPath: copy)  // `try?`: the first time it does not exist.
                try FileManager.default.copyItem(atPath: file, toPath: copy)
            }
            func expectBothServe(_ meshes: [RunningMesh]) async throws {
                let person = TestUser()
                #expect(try await meshes[0].client.signUp(person).status == 200)
                for mesh in meshes { #expect(try await mesh.client.signIn(person).status == 200) }
            }
            try copyFile()
            let there = try await RunningMesh(
                ["--only", "gateway,identity"], environment: database.merging(["LATCHKEY_MASTER_KEY_FILE": copy]) { $1 }
            )
            let old = try keyIDs(file)
            let (refused, status) = try await rotateMaster(of: here, database)
            #expect(status == .code(1), "\(refused.output)")
            #expect(refused.errors.contains(": identity.1 on "), "\(refused.errors)")
            #expect(try keyIDs(file).dropLast() == old[...])
            try await expectBothServe([here, there])

            let (aborted, abortStatus) = try await rotateMaster("--abort", of: here, database)
            #expect(abortStatus == .code(0), "\(aborted.errors)")
            #expect(try keyIDs(file) == old)

            _ = try await rotateMaster(of: here, database)
            let new = try #require(keyIDs(file).last)
            try copyFile()
            let (completed, completedStatus) = try await rotateMaster(of: here, database)
            #expect(completedStatus == .code(0), "\(completed.output) \(completed.errors)")
            #expect(completed.output.contains("Copy \(file) once more to the machines of identity.1 on "))
            #expect(try keyIDs(file) == [new])
            #expect(try keyIDs(copy) == old + [new])
            try await expectBothServe([there, here])
            #expect(try await there.stop() == .code(0))

            // The copy still lists the old key first; the database says which one seals.
            let again = try await RunningMesh(
                ["--only", "gateway,identity"], environment: database.merging(["LATCHKEY_MASTER_KEY_FILE": copy]) { $1 }
            )
            try await expectBothServe([again, here])
            try copyFile()
            try await eventually("the copy was read") {
                again.lines(of: "master-key.reloaded").contains { $0.contains("current=\(new)") }
            }
            try await expectBothServe([again, here])
            #expect(try await again.stop() == .code(0))
            #expect(try await here.stop() == .code(0))
        }

        /// The bound holds for every process together, after the work of the start.
        @Test func idleMeshHoldsFewConnections() async throws {
            let server = try await RunningPostgres.shared()
            let address = try await server.makeDatabase()
            let name = try #require(address.split(separator: "/").last.map(String.init))
            try await withMesh(environment: ["LATCHKEY_DATABASE_URL": address]) { mesh in
                _ = try await mesh.client.atOnce(16) { try await $0.signUp(TestUser()) }
                try await eventually("at most 16 connections were open") {
                    let count = try await server.run(
                        "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(name)'")
                    return try #require(Int(count)) <= 16
                }
            }
        }

        /// Another machine runs a newer program.
        @Test(arguments: MeshEngine.allCases)
        func newerSchemaEndsRunningProcess(engine: MeshEngine) async throws {
            let settings = try await engine.settings()
            try await withMesh(["--only", "gateway,identity,notifier"], environment: settings) { mesh in
                let later = StartupFailureTests.laterSchema
                if let name = settings["LATCHKEY_DATABASE_URL"]?.split(separator: "/").last {
                    try await RunningPostgres.shared()
                        .run("SET search_path = notifier; \(later.joined(separator: "; "))", database: String(name))
                } else {
                    let database = try SQLiteDatabase(.file(mesh.dataDirectory + "/notifier.sqlite"))
                    try await database.write { for statement in later { try $0.execute(statement) } }
                    await database.close()
                }
                try await eventually("the notifier ended") {
                    mesh.lines(of: "process.unusable").contains { $0.contains("notifier.1") }
                }
                #expect(mesh.lines(of: "database.schema-newer").contains { $0.contains("found=9999") })
                #expect(try await mesh.client.signUp(TestUser()).status == 200)
            }
        }

        @Test func suspendedServerBlocksNoCaller() async throws {
            let server = try await RunningPostgres()
            let settings = ["LATCHKEY_DATABASE_URL": try await server.makeDatabase()]
            try await withMesh(["--only", "gateway,identity"], environment: settings) { mesh in
                let person = TestUser()
                #expect(try await mesh.client.signUp(person).status == 200)
                try server.suspend()
                let responses = try await mesh.client.atOnce(16) { try await $0.signIn(person) }
                #expect(responses.filter { !$0.asksToComeAgain }.map(\.summary) == [])
                try server.resume()
                try await eventually("it responded again") { try await mesh.client.signIn(person).status == 200 }
            }
            try await server.kill()
        }

        /// Two machines run a mesh each on one database: both serve the same platform.
        @Test func twoMeshesShareOneDatabase() async throws {
            var settings = try await MeshEngine.postgres.settings()
            let here = try await RunningMesh(["--only", "gateway,identity"], environment: settings)
            settings["LATCHKEY_MASTER_KEY_FILE"] = here.dataDirectory + "/master.key"
            let there = try await RunningMesh(["--only", "gateway,identity"], environment: settings)

            let person = TestUser()
            let tokens = try Tokens(await here.client.signUp(person))
            #expect(try Tokens(await there.client.signIn(person)).accountID == tokens.accountID)
            #expect(try await there.client.lookUp(tokens.idToken).status == 200)
            #expect(try await there.client.signUp(person).refusal == "EMAIL_EXISTS")

            async let oneHere = here.client.refresh(tokens.refreshToken)
            async let oneThere = there.client.refresh(tokens.refreshToken)
            let successors = try await [oneHere.text("refresh_token"), oneThere.text("refresh_token")]
            #expect(Set(successors).count == 1)

            let changed = try await here.client.send(
                .patch,
                "/identitytoolkit.googleapis.com/admin/v2/projects/demo-latchkey/config?updateMask=signIn.email.enabled",
                .object(["signIn": .object(["email": .object(["enabled": .bool(false)])])]),
                headers: [(name: "Authorization", value: "Bearer owner")])
            #expect(changed.status == 200)
            try await eventually("the other mesh heard of the change") {
                try await there.client.signUp(TestUser()).refusal == "OPERATION_NOT_ALLOWED"
            }
            #expect(try await here.stop() == .code(0))
            #expect(try await there.stop() == .code(0))
        }
    }
}
