import Crypto
import Foundation
import HTTPClient
import JOSE
import JSON
import TestSupport
import Testing

extension MeshTests {
    /// A backend with a key file, from the registration by the operator to its access tokens and custom tokens.
    @Suite struct ServiceAccountTests {
        /// The key file with which the conformance suite signs.
        private static let keyFile = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Conformance/lib/service-account.json").path

        private func latchkey(_ mesh: RunningMesh, _ arguments: String...) async throws -> (RunningProgram.End, String)
        {
            let command = try RunningProgram(
                "latchkey", ["service-account"] + arguments + ["--data", mesh.dataDirectory], in: mesh.directory)
            let end = try await command.ending()
            return (end, command.output + command.errors)
        }

        private func sign(_ claims: [String: JSONValue]) throws -> String {
            let file = try JSONDecoder().decode(
                [String: String].self, from: Data(contentsOf: URL(filePath: Self.keyFile)))
            let email = try #require(file["client_email"])
            let now = Int64(Date().timeIntervalSince1970)
            let whole = claims.merging([
                "iss": .string(email), "sub": .string(email), "iat": .integer(now), "exp": .integer(now + 3600),
            ]) { $1 }
            return try JWT.sign(
                claims: WireJSON.encode(whole), keyID: try #require(file["private_key_id"]),
                with: PrivateKey(pem: try #require(file["private_key"])))
        }

        private func signIn(_ mesh: RunningMesh) async throws -> HTTPClientResponse {
            let audience = "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
            return try await mesh.client.call(
                "signInWithCustomToken",
                ["token": .string(try sign(["aud": .string(audience), "uid": .string("ada")]))])
        }

        private func accessToken(_ mesh: RunningMesh) async throws -> HTTPClientResponse {
            let assertion = try sign([
                "aud": .string("\(mesh.client.origin)/token"),
                "scope": .string("https://www.googleapis.com/auth/identitytoolkit"),
            ])
            return try await mesh.client.send(
                form: "grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=\(assertion)", to: "/token")
        }

        private func configuration(_ mesh: RunningMesh, bearer: String) async throws -> Int {
            try await mesh.client.get(
                "/v2/projects/demo-latchkey/config", headers: [("Authorization", "Bearer \(bearer)")]
            ).status
        }

        @Test func serviceAccountWorksUntilRemoved() async throws {
            try await withMesh(["--only", "gateway,identity", "--scale", "identity=2"]) { mesh in
                #expect(try await signIn(mesh).refusal?.hasPrefix("INVALID_CUSTOM_TOKEN : ") == true)
                #expect(try await accessToken(mesh).status == 400)

                let added = try await latchkey(mesh, "add", Self.keyFile)
                #expect(added.0 == .code(0))
                #expect(added.1.contains("registered suite@demo-latchkey.iam.gserviceaccount.com, key suite-key-1"))
                #expect(try await latchkey(mesh, "list", "--dev").1.contains("suite-key-1"))
                #expect(try await signIn(mesh).status == 200)
                let token = try await accessToken(mesh).text("access_token")
                #expect(try await configuration(mesh, bearer: token) == 200)

                let removed = try await latchkey(mesh, "remove", "suite@demo-latchkey.iam.gserviceaccount.com")
                #expect(removed.0 == .code(0))
                try await eventually("the token had ended everywhere") {
                    try await configuration(mesh, bearer: token) == 401
                }
                #expect(try await signIn(mesh).refusal?.hasPrefix("INVALID_CUSTOM_TOKEN : ") == true)
                let again = try await latchkey(mesh, "remove", "suite@demo-latchkey.iam.gserviceaccount.com")
                #expect(again.0 == .code(1) && again.1.contains("No such service account"))
            }
        }

        @Test func commandWithoutMeshFails() async throws {
            let directory = try TemporaryDirectory()
            let command = try RunningProgram(
                "latchkey", ["service-account", "list", "--dev", "--data", directory.path], in: directory)
            #expect(try await command.ending() == .code(1))
            #expect(command.errors.contains("no mesh runs there"))
        }
    }
}
