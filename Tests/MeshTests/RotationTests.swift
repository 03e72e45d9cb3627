import Foundation
import HTTPClient
import TestSupport
import Testing

extension MeshTests {
    /// The master key is rotated under load.
    @Suite struct RotationTests {
        private func keys(_ arguments: String..., of mesh: RunningMesh) throws -> RunningProgram {
            try RunningProgram("latchkey", ["keys"] + arguments + ["--data", mesh.dataDirectory], in: mesh.directory)
        }

        private func keyIDs(of mesh: RunningMesh) throws -> [String] {
            try String(contentsOfFile: mesh.dataDirectory + "/master.key", encoding: .utf8)
                .split(separator: "\n").map { String($0.prefix(8)) }
        }

        @Test func rotationFailsNoRequest() async throws {
            let directory = try TemporaryDirectory()
            var mesh = try await RunningMesh(["--only", "gateway,identity", "--scale", "identity=2"], in: directory)
            let old = try keyIDs(of: mesh)
            let ada = TestUser()
            let tokens = try Tokens(await mesh.client.signUp(ada))

            // The first attempt is killed while it runs; the second one completes the work.
            let signUps = Tally<TestUser>()
            try await withBusyClients(4, { [mesh] in await mesh.client.signUpAndLookUp(signUps) }) {
                try await signUps.untilMore(4)
                let killed = try keys("rotate-master", of: mesh)
                try await eventually("a new key was written") { try keyIDs(of: mesh).count == 2 }
                killed.send(SIGKILL)
                #expect(try await killed.ending() == .signal(SIGKILL))

                let rotation = try keys("rotate-master", of: mesh)
                #expect(try await rotation.ending() == .code(0), "\(rotation.errors)")
                #expect(rotation.output.contains("Continuing the "))
                #expect(rotation.output.contains("Removed \(old[0]) from "))
                try await signUps.untilMore(4)
            }
            #expect(signUps.surprises == [])

            let new = try keyIDs(of: mesh)
            #expect(new.count == 1)
            #expect(new != old)
            let list = try keys("list", of: mesh)
            #expect(try await list.ending() == .code(0))
            #expect(list.output.contains("\(new[0])  current  identity "))
            #expect(list.output.contains("\(old[0])  kept     0"))
            #expect(mesh.lines(of: "master-key.reloaded").contains { $0.contains("current=\(new[0])") })

            mesh.killLauncher()
            try await eventually("all processes ended") { try RunningMesh.processes(in: directory) == [] }
            mesh = try await RunningMesh(["--only", "gateway,identity"], in: directory)
            #expect(try await mesh.client.lookUp(tokens.idToken).status == 200)
            #expect(try await mesh.client.refresh(tokens.refreshToken).status == 200)
            for person in [ada] + signUps.successes { #expect(try await mesh.client.signIn(person).status == 200) }
            #expect(try await mesh.stop() == .code(0))
        }

        /// Only the environment of the mesh contains the address of the database.
        @Test func rotationWithoutDatabaseFails() async throws {
            let settings = ["LATCHKEY_DATABASE_URL": try await RunningPostgres.shared().makeDatabase()]
            try await withMesh(["--only", "gateway,identity"], environment: settings) { mesh in
                let old = try keyIDs(of: mesh)
                let blind = try keys("rotate-master", of: mesh)
                #expect(try await blind.ending() == .code(78))
                #expect(blind.errors.contains("says that the data of identity are in postgres://"), "\(blind.errors)")
                let list = try keys("list", of: mesh)
                #expect(try await list.ending() == .code(78))
                #expect(try keyIDs(of: mesh) == old)

                let seeing = try RunningProgram(
                    "latchkey", ["keys", "rotate-master", "--data", mesh.dataDirectory], environment: settings,
                    in: mesh.directory)
                #expect(try await seeing.ending() == .code(0), "\(seeing.errors)")
                #expect(seeing.output.contains("records in postgres://"))
                #expect(seeing.output.contains("mfa-totp: no tables in "))
                #expect(try keyIDs(of: mesh) != old)
                let delete = try RunningProgram(
                    "latchkey", ["keys", "delete-former", old[0], "--data", mesh.dataDirectory], environment: settings,
                    in: mesh.directory)
                #expect(try await delete.ending() == .code(0), "\(delete.errors)")
                #expect(!FileManager.default.fileExists(atPath: mesh.dataDirectory + "/master.key.former-\(old[0])"))
            }
        }

        @Test func masterKeyIsReadFromEnvironment() async throws {
            let first = "1a2b3c4d:" + String(repeating: "1", count: 64)
            let second = "9f8e7d6c:" + String(repeating: "2", count: 64)
            let directory = try TemporaryDirectory()
            var mesh = try await RunningMesh(
                ["--only", "gateway,identity"], environment: ["LATCHKEY_MASTER_KEY": first], in: directory)
            let ada = TestUser()
            _ = try Tokens(await mesh.client.signUp(ada))
            #expect(!FileManager.default.fileExists(atPath: mesh.dataDirectory + "/master.key"))
            for (instance, pid) in mesh.pids {
                let environment = try #require(FileManager.default.contents(atPath: "/proc/\(pid)/environ"))
                let holdsKey = String(decoding: environment, as: UTF8.self).contains("LATCHKEY_MASTER_KEY=")
                #expect(holdsKey == (instance == "identity.1"))
            }
            #expect(try await mesh.stop() == .code(0))

            mesh = try await RunningMesh(
                ["--only", "gateway,identity"], environment: ["LATCHKEY_MASTER_KEY": second + " " + first],
                in: directory)
            try await eventually("identity resealed by itself") {
                mesh.lines(of: "sealed-records.resealed").contains { $0.contains("key=9f8e7d6c") }
            }
            let refused = try RunningProgram(
                "latchkey", ["keys", "rotate-master", "--data", mesh.dataDirectory],
                environment: ["LATCHKEY_MASTER_KEY": second + " " + first], in: directory)
            #expect(try await refused.ending() == .code(78))
            #expect(refused.errors.hasPrefix("latchkey: The master key is in LATCHKEY_MASTER_KEY, which only you"))
            let wait = try RunningProgram(
                "latchkey", ["keys", "rotate-master", "--wait-only", "--data", mesh.dataDirectory],
                environment: ["LATCHKEY_MASTER_KEY": second + " " + first], in: directory)
            #expect(try await wait.ending() == .code(0))
            #expect(wait.output.contains("You may remove 1a2b3c4d from LATCHKEY_MASTER_KEY."))
            #expect(try await mesh.stop() == .code(0))

            mesh = try await RunningMesh(
                ["--only", "gateway,identity"], environment: ["LATCHKEY_MASTER_KEY": second], in: directory)
            #expect(try await mesh.client.signIn(ada).status == 200)
            #expect(try await mesh.stop() == .code(0))
        }
    }
}
