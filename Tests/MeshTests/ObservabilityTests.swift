import Contracts
import HTTPClient
import JSON
import TestSupport
import Testing

extension MeshTests {
    /// What an operator can observe, and what must stay secret.
    @Suite struct ObservabilityTests {
        @Test func metricsNameEveryProcess() async throws {
            try await withMesh(["--scale", "notifier=2,broker=2"]) { mesh in
                let instances = Set(mesh.pids.keys)
                #expect(instances.count == ServiceName.allCases.count + 2)
                try await eventually("every process had reported") {
                    let text = String(decoding: try await mesh.client.get("/metrics").body, as: UTF8.self)
                    return instances.allSatisfy { text.contains("process_resident_memory_bytes{process=\"\($0)\"") }
                }
            }
        }

        /// Accepted and refused requests of clients and administrators, and the exit of a process, at the debug level.
        /// Security rule LG3.
        @Test func logContainsNoSecretsOrEmails() async throws {
            try await withMesh(["--only", "gateway,identity", "--log", "debug"]) { mesh in
                let person = TestUser()
                let tokens = try Tokens(await mesh.client.signUp(person))
                var impostor = person
                impostor.password = "guess of an impostor"
                #expect(try await mesh.client.signIn(impostor).status == 400)
                #expect(try await mesh.client.signUp(person).status == 400)
                let signedIn = try Tokens(await mesh.client.signIn(person))
                let refreshed = try await mesh.client.refresh(signedIn.refreshToken)
                #expect(try await mesh.client.refresh(refreshed.text("refresh_token")).status == 200)
                // A copied refresh token ends its family.
                #expect(try await mesh.client.refresh(signedIn.refreshToken).status == 400)
                #expect(try await mesh.client.call("lookup", ["idToken": .string(tokens.idToken + "x")]).status == 400)
                let found = try await mesh.client.send(
                    .post, "/identitytoolkit.googleapis.com/v1/projects/demo-latchkey/accounts:lookup",
                    .object(["email": .array([.string(person.email)])]), headers: [("Authorization", "Bearer owner")])
                #expect(found.status == 200)
                try await mesh.killAndReplace("identity.1")
                try await mesh.untilReady()
                #expect(try await mesh.client.signIn(person).status == 200)

                #expect(try await mesh.stop() == .code(0))
                let everythingSaid = mesh.log + mesh.output
                let secrets = [
                    person.email, person.password, impostor.password, tokens.idToken, tokens.refreshToken,
                    signedIn.idToken, signedIn.refreshToken, try refreshed.text("id_token"),
                    try refreshed.text("refresh_token"),
                ]
                for secret in secrets { #expect(!everythingSaid.contains(secret)) }
                // Not even a part of one: a signature, a local part.
                for token in [tokens.idToken, signedIn.idToken] {
                    for part in token.split(separator: ".").dropFirst() { #expect(!everythingSaid.contains(part)) }
                }
                #expect(!everythingSaid.contains(person.email.prefix { $0 != "@" }))
            }
        }
    }
}
