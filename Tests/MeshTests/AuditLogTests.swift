import HTTPClient
import JSON
import TestSupport
import Testing

extension MeshTests {
    /// `latchkey audit` with a running mesh.
    @Suite struct AuditLogTests {
        private func audit(_ mesh: RunningMesh, _ arguments: String...) async throws -> (RunningProgram.End, String) {
            let command = try RunningProgram(
                "latchkey", ["audit"] + arguments + ["--data", mesh.dataDirectory], in: mesh.directory)
            let end = try await command.ending()
            return (end, command.output + command.errors)
        }

        @Test func auditLogIsListedAndVerified() async throws {
            try await withMesh(["--only", "gateway,identity"]) { mesh in
                let person = TestUser()
                #expect(try await mesh.client.signUp(person).status == 200)
                let (end, text) = try await audit(mesh, "list", "--project", "demo-latchkey")
                #expect(end == .code(0))
                #expect(text.contains(" account.created done actor=") && text.contains(" project=demo-latchkey "))
                #expect(!text.contains(person.email))
                try await eventually("the records are linked") {
                    let (end, text) = try await audit(mesh, "verify")
                    return end == .code(0) && text.hasPrefix("verified up to link ")
                }
                let (nothing, sentence) = try await audit(mesh, "list", "--project", "no-such-project")
                #expect(nothing == .code(0) && sentence.contains("no such records"))
            }
        }

        /// A line of the mesh's log, which was kept elsewhere.
        @Test func auditLogIsComparedWithALineOfTheLog() async throws {
            try await withMesh(["--only", "gateway,identity"]) { mesh in
                try await eventually("the end of the log is anchored") {
                    !mesh.lines(of: "audit.anchored").isEmpty
                }
                let line = try #require(mesh.lines(of: "audit.anchored").first)
                let (end, text) = try await audit(mesh, "verify", "--against", line)
                #expect(end == .code(0) && text.contains(" is the one of the line"))
                let last = try #require(line.last)
                let changed = String(line.dropLast()) + (last == "0" ? "1" : "0")
                let (other, sentences) = try await audit(mesh, "verify", "--against", changed)
                #expect(other == .code(65) && sentences.contains("does not match the copy sealed at the time"))
                let (later, missing) = try await audit(
                    mesh, "verify", "--against", line.replacing("link=", with: "link=9000"))
                #expect(later == .code(65) && missing.contains("of the audit log is missing"))
                let (wrong, usage) = try await audit(mesh, "verify", "--against", "ready")
                #expect(wrong == .code(64) && usage.contains("--against requires a line"))
            }
        }

        /// Federation stores the configuration, and identity the log.
        @Test func changeOfProviderIsListed() async throws {
            try await withMesh(["--only", "gateway,identity,federation"]) { mesh in
                let providers = "/identitytoolkit.googleapis.com/v2/projects/demo-latchkey/oauthIdpConfigs"
                let created = try await mesh.client.send(
                    .post, providers + "?oauthIdpConfigId=oidc.acme",
                    .object(["clientId": .string("c"), "issuer": .string("https://issuer.example")]),
                    headers: [("Authorization", "Bearer owner")])
                #expect(created.status == 200)
                let (end, text) = try await audit(mesh, "list", "--project", "demo-latchkey")
                #expect(end == .code(0) && text.contains(" provider.created done actor=administrator"))
            }
        }
    }
}
