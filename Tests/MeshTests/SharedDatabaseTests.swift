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
        /// Another machine has a copy of the key file, so it cannot get a new key.
        @Test func refusedRotationLeavesBothMachines() async throws {
            let database = try await MeshEngine.postgres.settings()
            let here = try await RunningMesh(["--only", "gateway,identity"], environment: database)
            let copy = here.directory.appending("copy.key")
            try FileManager.default.copyItem(atPath: here.dataDirectory + "/master.key", toPath: copy)
            let there = try await RunningMesh(
                ["--only", "gateway,identity"], environment: database.merging(["LATCHKEY_MASTER_KEY_FILE": copy]) { $1 }
            )
            let before = try String(contentsOfFile: copy, encoding: .utf8)
            let rotation = try RunningProgram(
                "latchkey", ["keys", "rotate-master", "--data", here.dataDirectory], environment: database,
                in: here.directory)
            #expect(try await rotation.ending() == .code(1), "\(rotation.output)")
            #expect(rotation.errors.contains("identity.1, which uses "), "\(rotation.errors)")
            #expect(rotation.output.contains("again: nothing was sealed under it."), "\(rotation.output)")
            #expect(try String(contentsOfFile: here.dataDirectory + "/master.key", encoding: .utf8) == before)
            for mesh in [here, there] {
                let person = TestUser()
                #expect(try await mesh.client.signUp(person).status == 200)
                #expect(try await mesh.client.signIn(person).status == 200)
            }
            #expect(try await here.stop() == .code(0))
            #expect(try await there.stop() == .code(0))
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
                let later =
                    "INSERT INTO schema_migrations (version, name, sql, applied_at) VALUES (9999, 'later', '', 0)"
                if let name = settings["LATCHKEY_DATABASE_URL"]?.split(separator: "/").last {
                    try await RunningPostgres.shared()
                        .run("SET search_path = notifier; \(later)", database: String(name))
                } else {
                    let database = try SQLiteDatabase(.file(mesh.dataDirectory + "/notifier.sqlite"))
                    try await database.write { try $0.execute(later) }
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
