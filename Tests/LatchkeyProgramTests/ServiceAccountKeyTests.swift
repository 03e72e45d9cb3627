import CommandLineArguments
import Contracts
import Crypto
import Foundation
import JOSE
import JSON
import ServiceAccountFile
import ServiceRuntime
import TestSupport
import Testing
import Vocabulary

@testable import LatchkeyProgram

/// `latchkey service-account create` and `latchkey token` without a mesh.
@Suite struct ServiceAccountKeyTests {
    private static let environment = Environment([
        "LATCHKEY_BROKERS": "ipc:///tmp/none.sock", "LATCHKEY_ADMIN_URL": "https://admin.auth.example.com",
    ])

    private static func arguments(_ words: [String], name: String? = nil) throws -> NewKeyArguments {
        let parsed = try ParsedArguments(words, of: ServiceAccountCreateCommand.declaration, over: environment)
        return try NewKeyArguments(parsed, parsed.environment, name: name)
    }

    @Test func keyFileIsReadAgainAndItsModeIsPrivate() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/key.json"
        let new = try Self.arguments(["-o", path])
        let mesh = ScriptedMesh(as: .operatorCommand)
        mesh.reply(to: Identity.AddServiceAccountKey.self) { _ in EmptyReply() }
        let key = try await new.register(for: ProjectID("shop"), over: mesh)
        #expect(mesh.sent(Identity.AddServiceAccountKey.self).first?.client?.operatorName?.isEmpty == false)
        #expect(key.email == "admin@shop.iam.gserviceaccount.com")
        #expect(try ServiceAccountFile(path: path).key == key)
        let credentials = try ServiceAccountCredentials(path: path)
        #expect(credentials.tokenURL == "https://admin.auth.example.com/token")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        // The path is taken now.
        let error = #expect(throws: LauncherError.self) { try Self.arguments(["-o", path]) }
        #expect(error?.messages.first?.contains("never overwritten") == true)
    }

    @Test func refusedKeyLeavesNoFile() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/key.json"
        let new = try Self.arguments(["-o", path])
        let mesh = ScriptedMesh(as: .operatorCommand)
        mesh.reply(to: Identity.AddServiceAccountKey.self) { _ in throw ServiceError(.invalidServiceAccount) }
        await #expect(throws: ServiceError(.invalidServiceAccount)) {
            try await new.register(for: ProjectID("shop"), over: mesh)
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func assertionIsSignedForTheTokenEndpoint() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/key.json"
        let account = try NewServiceAccount(
            name: "ci", project: ProjectID("shop"), adminURL: "http://127.0.0.1:9098")
        try KeyFileDestination(path).write(account.file)
        let token = try UnverifiedJWT(try TokenCommand(words: [path]).assertion(at: Timestamp(seconds: 1000)))
        let key = try PublicKey(subjectPublicKeyInfo: try #require(Base64URL.decode(account.key.publicKey)))
        #expect(token.isSigned(by: key) && token.header.keyID == account.key.keyID)
        let claims: JSONValue = try token.claims()
        #expect(claims["iss"] == .string("ci@shop.iam.gserviceaccount.com") && claims["sub"] == claims["iss"])
        #expect(claims["aud"] == .string("http://127.0.0.1:9098/token"))
        #expect(claims["iat"] == .integer(1000) && claims["exp"] == .integer(4600))
    }

    @Test(arguments: ["", "Admin", "1a", "a.b", "a b", String(repeating: "a", count: 64)])
    func malformedNameIsRefused(name: String) { #expect(!NewServiceAccount.isName(name)) }

    @Test(arguments: ["a", "ci-2", String(repeating: "a", count: 63)])
    func wellFormedNameIsAccepted(name: String) { #expect(NewServiceAccount.isName(name)) }

    @Test func outputFileIsRequired() {
        #expect(throws: UsageError.self) { try Self.arguments([]) }
    }

    /// An address for every interface is no destination.
    @Test(
        arguments: [
            (["LATCHKEY_ADMIN_LISTEN": "0.0.0.0:9098"], nil), ([:], "http://127.0.0.1:9098"),
            (["LATCHKEY_ADMIN_LISTEN": "10.0.0.1:80"], "http://10.0.0.1:80"),
            (["LATCHKEY_DEV": "1"], "http://127.0.0.1:9099"),
        ] as [([String: String], String?)])
    func adminURLFollowsTheSettings(variables: [String: String], url: String?) throws {
        let environment = Environment(variables.merging(["LATCHKEY_BROKERS": "ipc:///tmp/none.sock"]) { $1 })
        #expect(try MeshAddresses(environment).adminURL == url)
    }
}
