import Foundation
import HTTPClient
import JSON
import TestSupport
import Testing

extension MeshTests {
    /// The commands about a running mesh.
    @Suite struct OperatorCommandTests {
        private func latchkey(
            _ mesh: RunningMesh, _ arguments: String...
        ) async throws -> (end: RunningProgram.End, output: String, errors: String) {
            let command = try RunningProgram(
                "latchkey", arguments + ["--data", mesh.dataDirectory], in: mesh.directory)
            let end = try await command.ending()
            return (end, command.output, command.errors)
        }

        @Test func signingKeyIsRevokedAndLogExported() async throws {
            try await withMesh(["--only", "gateway,identity"]) { mesh in
                let user = TestUser()
                #expect(try await mesh.client.signUp(user).status == 200)
                let keys = try await latchkey(mesh, "keys", "list-signing", "--json")
                struct Key: Decodable { var id: String, purpose: String }
                let first = try #require(keys.output.split(separator: "\n").first)
                let key = try WireJSON.decode(Key.self, from: Data(first.utf8))
                #expect(key.purpose == "idToken")

                #expect(try await latchkey(mesh, "keys", "revoke", key.id).end == .code(64))
                let revoked = try await latchkey(mesh, "keys", "revoke", key.id, "--yes")
                #expect(revoked.end == .code(0))
                #expect(revoked.output.hasPrefix("revoked \(key.id), which signed ID tokens; "))
                let again = try await latchkey(mesh, "keys", "revoke", key.id, "--yes")
                #expect(again.end == .code(1) && again.errors.contains("There is no signing key"))
                #expect(try await !latchkey(mesh, "keys", "list-signing").output.contains(key.id))

                try await eventually("the revocation is in the export") {
                    let export = try await latchkey(mesh, "audit", "export")
                    let lines = export.output.split(separator: "\n")
                    for line in lines { _ = try WireJSON.decode(JSONValue.self, from: Data(line.utf8)) }
                    return export.end == .code(0) && lines.contains { $0.contains("signing-key.revoked") }
                }
            }
        }

        /// As `status`: the mesh says which project it has, and where it listens.
        @Test func dataDirectoryAloneIsEnoughForEveryCommand() async throws {
            try await withMesh(["--only", "gateway,identity"]) { mesh in
                #expect(try await mesh.client.signUp(TestUser()).status == 200)
                let web = try await latchkey(mesh, "client-config", "web")
                #expect(web.end == .code(0), "\(web.errors)")
                #expect(web.output.contains(#"projectId: "demo-latchkey","#))
                let origin = try #require(mesh.readyOrigins.first)
                #expect(web.output.contains("connectAuthEmulator(auth, \"\(origin)\""))
                for words in [
                    ["client-config", "ios", "org.example.app"], ["client-config", "android", "org.example.app"],
                    ["users", "list"], ["projects", "show"], ["projects", "config", "get"], ["tenants", "list"],
                    ["service-account", "list"],
                ] {
                    let command = try RunningProgram(
                        "latchkey", words + ["--data", mesh.dataDirectory], in: mesh.directory)
                    #expect(try await command.ending() == .code(0), "\(words): \(command.errors)")
                }
            }
        }

        @Test func statusAndDoctorDescribeMesh() async throws {
            try await withMesh(["--only", "gateway,identity"]) { mesh in
                let status = try await latchkey(mesh, "status", "--json")
                #expect(status.end == .code(0), "\(status.errors)")
                struct Status: Decodable {
                    struct Process: Decodable { var instance: String, version: String, pid: Int }
                    var processes: [Process]
                }
                let processes = try WireJSON.decode(Status.self, from: Data(status.output.utf8)).processes
                #expect(processes.map(\.instance) == ["gateway.1", "identity.1"])
                #expect(processes.allSatisfy { $0.pid > 1 })
                #expect(try await latchkey(mesh, "status").output.hasPrefix("PROCESS "))
                let health = try await latchkey(mesh, "healthcheck")
                #expect(health.end == .code(0) && health.output == "ready\n", "\(health.errors)")

                let doctor = try await latchkey(mesh, "doctor", "--dev")
                #expect(doctor.end == .code(0), "\(doctor.output)")
                for line in [
                    "ok       data directory: ", "ok       master key: ", "ok       mesh: 2 processes report.",
                ] {
                    #expect(doctor.output.contains(line), "\(doctor.output)")
                }
            }
        }

        @Test func stoppedMeshIsNamed() async throws {
            let directory = try TemporaryDirectory()
            let command = try RunningProgram(
                "latchkey", ["status", "--data", directory.path], in: directory)
            #expect(try await command.ending() == .code(1))
            #expect(command.errors.contains("no mesh runs there"))
        }
    }
}
