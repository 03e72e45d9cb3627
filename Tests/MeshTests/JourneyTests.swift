import Contracts
import Crypto
import Foundation
import HTTPClient
import JOSE
import JSON
import LatchkeyAuth
import TestSupport
import Testing
import Vocabulary

extension MeshTests {
    /// Typical requests of an application to an undisturbed mesh.
    @Suite struct JourneyTests {
        @Test(arguments: MeshEngine.allCases)
        func accountIsCreatedUsedAndDeleted(engine: MeshEngine) async throws {
            try await withMesh(on: engine) { mesh in
                #expect(mesh.readyOrigins == [mesh.client.origin])
                let (auth, person) = (mesh.makeAuth(), TestUser())
                let new = try await auth.signUp(person).user
                await #expect(throws: AuthErrorCode(.emailAlreadyInUse)) { try await auth.signUp(person) }

                let user = try await auth.signIn(person).user
                #expect(user.uid == new.uid)
                await #expect(throws: AuthErrorCode(.invalidCredential)) {
                    try await auth.signIn(withEmail: person.email, password: "not the password")
                }

                try await user.reload()
                #expect(user.uid == new.uid)
                #expect(user.email == person.email)

                let formerRefreshToken = user.refreshToken
                let refreshed = try await user.getIDTokenResult(forcingRefresh: true)
                #expect(refreshed.claims["user_id"] as? String == user.uid)
                #expect(user.refreshToken != formerRefreshToken)

                try await user.delete()
                #expect(auth.currentUser == nil)
                await #expect(throws: AuthErrorCode(.invalidCredential)) { try await auth.signIn(person) }
                #expect(try await mesh.client.lookUp(refreshed.token).status == 400)
            }
        }

        @Test func idTokenIsVerifiedWithPublishedKeys() async throws {
            try await withMesh(["--only", "gateway,identity"]) { mesh in
                let tokens = try Tokens(await mesh.client.signUp(TestUser()))
                let token = try await mesh.client.verified(tokens.idToken)
                #expect(token.subject == tokens.accountID)

                let parts = tokens.idToken.split(separator: ".")
                var signature = try #require(Base64URL.decode(String(parts[2])))
                signature[signature.count / 2] ^= 1
                let forged = "\(parts[0]).\(parts[1]).\(Base64URL.encode(signature))"
                await #expect(throws: JWTError.invalidSignature) { try await mesh.client.verified(forged) }

                let unverified = try UnverifiedJWT(tokens.idToken)
                let certificates = try await mesh.client.get(
                    "/www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com")
                let certificate = try certificates.text(try #require(unverified.header.keyID))
                #expect(unverified.isSigned(by: try PublicKey(pem: certificate)))
            }
        }

        @Test(arguments: MeshEngine.allCases)
        func configurationIsReadAndChanged(engine: MeshEngine) async throws {
            try await withMesh(["--only", "gateway,identity"], on: engine) { mesh in
                let path = "/identitytoolkit.googleapis.com/admin/v2/projects/demo-latchkey/config"
                let owner = [(name: "Authorization", value: "Bearer owner")]
                #expect(try await mesh.client.get(path).status == 401)
                let before = try await mesh.client.get(path, headers: owner).json
                #expect(before["signIn"]?["email"]?["enabled"] == .bool(true))

                let changed = try await mesh.client.send(
                    .patch, path + "?updateMask=signIn.email.enabled",
                    .object(["signIn": .object(["email": .object(["enabled": .bool(false)])])]), headers: owner)
                #expect(changed.status == 200)
                let after = try await mesh.client.get(path, headers: owner).json
                #expect(after["signIn"]?["email"]?["enabled"] == .bool(false))
                #expect(after["signIn"]?["anonymous"] == before["signIn"]?["anonymous"])
                #expect(try await mesh.client.signUp(TestUser()).refusal == "OPERATION_NOT_ALLOWED")
            }
        }

        @Test func meshStopsCleanlyAndContinuesAfterRestart() async throws {
            let directory = try TemporaryDirectory()
            let person = TestUser()
            let first = try await RunningMesh(in: directory)
            let tokens = try Tokens(await first.client.signUp(person))
            #expect(try await first.stop() == .code(0))
            #expect(try RunningMesh.processes(in: directory) == [])
            #expect(first.lines(of: "process.exited") == [])
            #expect(first.lines(of: "process.killed") == [])
            let files = try FileManager.default.contentsOfDirectory(atPath: first.dataDirectory).sorted()
            let services = ["federation", "identity", "mfa-sms", "mfa-totp", "notifier", "passkey"]
            let ofServices = services.flatMap { service in
                [".database", ".sqlite", ".sqlite-lock", ".sqlite-watermark"].map { service + $0 }
            }
            #expect(files == (ofServices + ["latchkey.lock", "master.key", "run"]).sorted())
            // libzmq leaves its socket file and takes it over at the next start.
            let sockets = try FileManager.default.contentsOfDirectory(atPath: first.dataDirectory + "/run")
            #expect(sockets == ["broker.1.sock"])

            let second = try await RunningMesh(in: directory)
            #expect(try Tokens(await second.client.signIn(person)).accountID == tokens.accountID)
            #expect(try await second.client.verified(tokens.idToken).subject == tokens.accountID)
            #expect(try await second.client.lookUp(tokens.idToken).status == 200)
            #expect(try await second.client.refresh(tokens.refreshToken).status == 200)
            #expect(try await second.stop() == .code(0))
        }
    }
}

extension MeshClient {
    /// Verifies an ID token as a server of the application does.
    fileprivate func verified(_ idToken: String) async throws -> VerifiedJWT {
        let keys = try await get(
            "/www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com")
        let verifier = JWTVerifier(
            keys: try JWKSet(json: keys.body), issuers: ["https://securetoken.google.com/demo-latchkey"],
            audiences: ["demo-latchkey"])
        return try verifier.verify(idToken, at: Timestamp(seconds: Int64(Date().timeIntervalSince1970)))
    }
}
