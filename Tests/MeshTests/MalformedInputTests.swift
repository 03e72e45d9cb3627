import Crypto
import FoundationEssentials
import HTTPClient
import JOSE
import JSON
import TestSupport
import Testing
import Vocabulary

extension MeshTests {
    /// Requests that once crashed a process: each is refused with its error, and every process keeps running.
    @Suite struct MalformedInputTests {
        @Test func emailsAndRefreshTokensOfAnyBytesAreRefused() async throws {
            try await withMesh(["--only", "gateway,identity,notifier"]) { mesh in
                let tokens = try Tokens(try await mesh.client.signUp(TestUser()))
                let marked = "a@\u{301}example.com"
                let refused = [
                    try await mesh.client.call(
                        "signUp", ["email": .string(marked), "password": .string("secret of a")]),
                    try await mesh.client.call(
                        "sendOobCode", ["requestType": .string("EMAIL_SIGNIN"), "email": .string(marked)]),
                    try await mesh.client.call(
                        "sendOobCode", ["requestType": .string("PASSWORD_RESET"), "email": .string(marked)]),
                ]
                #expect(refused.map(\.refusal) == Array(repeating: "INVALID_EMAIL", count: refused.count))

                var bytes = try #require(Base64URL.decode(tokens.refreshToken))
                bytes.replaceSubrange(17..<21, with: [0xff, 0xff, 0xff, 0xff])
                #expect(try await mesh.client.refresh(Base64URL.encode(bytes)).refusal == "INVALID_REFRESH_TOKEN")

                #expect(try await mesh.client.refresh(tokens.refreshToken).status == 200)
                #expect(mesh.lines(of: "process.exited") == [])
            }
        }

        @Test func unsignedTokensWithInvalidTimeAreRefused() async throws {
            try await withMesh(["--only", "gateway,identity", "--emulator-tokens"]) { mesh in
                let tokens = try Tokens(try await mesh.client.signUp(TestUser()))
                let payload = try #require(Base64URL.decode(tokens.idToken.split(separator: ".")[1]))
                for name in ["exp", "iat", "auth_time"] {
                    var claims = try WireJSON.decode([String: JSONValue].self, from: Data(payload))
                    claims[name] = .integer(.max)
                    let forged = JWT.unsigned(claims: try WireJSON.encode(claims))
                    #expect(try await mesh.client.lookUp(forged).refusal == "INVALID_ID_TOKEN", "\(name)")
                    #expect(try await mesh.client.delete(forged).refusal == "INVALID_ID_TOKEN", "\(name)")
                }
                #expect(try await mesh.client.lookUp(tokens.idToken).status == 200)
                #expect(mesh.lines(of: "process.exited") == [])
            }
        }
    }
}
