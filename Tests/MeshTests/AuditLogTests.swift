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
                #expect(nothing == .code(1) && sentence.contains("no such records"))
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
