import Crypto
import Foundation
import JOSE
import TestSupport
import Testing

@testable import LatchkeyAdmin
@testable import LatchkeyAuth

struct ServiceAccountTests {
    private static let key = Result { try TestKey.rsa() }
    private let key: PrivateKey
    private let account: ServiceAccount
    private let listener = AdminListener()

    init() throws {
        key = try Self.key.get()
        account = try ServiceAccount(json: Self.file())
    }

    private static func file(_ changes: [String: Any] = [:]) throws -> Data {
        let file: [String: Any] = [
            "type": "service_account", "client_email": "admin@shop.example", "private_key_id": "k1",
            "private_key": "-----BEGIN PRIVATE KEY-----", "project_id": "shop",
            "token_uri": "https://admin.example.org/token",
        ]
        return try JSONSerialization.data(withJSONObject: file.merging(changes) { $1 })
    }

    private func admin(signatures: Locked<Int> = Locked(0)) throws -> AdminAuth {
        let key = key
        return try listener.admin(
            .serviceAccount(account) { input in
                signatures.withLock { $0 += 1 }
                return Data(try key.sign(Array(input), .rs256))
            })
    }

    private func respondWithToken(_ token: String, expiresIn: Int = 3600) {
        listener.respond(to: "/token", (200, #"{"access_token":"\#(token)","expires_in":\#(expiresIn)}"#))
    }

    /// The claims of a token that the key has signed.
    private func claims(_ token: String) throws -> [String: any Sendable] {
        let jwt = try UnverifiedJWT(token)
        try jwt.checkSignature(with: JWKSet([JWK(key.publicKey, keyID: "k1")]), algorithms: [.rs256])
        return try #require(JSONObject(jwt.claims)).members
    }

    @Test func assertionIsExchangedForAnAccessToken() async throws {
        respondWithToken("access-1")
        try await admin().deleteUser("ada")
        let exchange = try #require(listener.requests.first)
        #expect(exchange.path == "/token" && exchange.authorization == nil)
        #expect(exchange.headers["Content-Type"] == "application/x-www-form-urlencoded")
        let form = try #require(URLComponents(string: "?" + String(decoding: exchange.body, as: UTF8.self))).queryItems
        #expect(form?.first { $0.name == "grant_type" }?.value == "urn:ietf:params:oauth:grant-type:jwt-bearer")
        let claims = try claims(try #require(form?.first { $0.name == "assertion" }?.value))
        #expect(claims["iss"] as? String == "admin@shop.example" && claims["sub"] as? String == "admin@shop.example")
        #expect(claims["aud"] as? String == "https://admin.example.org/token")
        #expect(claims["scope"] as? String == "https://www.googleapis.com/auth/identitytoolkit")
        #expect(claims["iat"] as? Int == 1_700_000_000 && claims["exp"] as? Int == 1_700_003_600)
        #expect(listener.requests.last?.authorization == "Bearer access-1")
    }

    @Test func accessTokenIsRenewedBeforeItExpires() async throws {
        respondWithToken("access-1")
        let signatures = Locked(0)
        let admin = try admin(signatures: signatures)
        try await admin.deleteUser("a")
        listener.advance(3600 - AccessTokenSource.renewalMargin - 1)
        try await admin.deleteUser("b")
        #expect(signatures.withLock { $0 } == 1)
        respondWithToken("access-2")
        listener.advance(1)
        try await admin.auth(forTenantID: "t1").deleteUser("c")
        #expect(signatures.withLock { $0 } == 2)
        #expect(listener.requests.last?.authorization == "Bearer access-2")
    }

    @Test func concurrentCallsShareOneExchange() async throws {
        respondWithToken("access-1")
        let admin = try admin()
        listener.state.withLock { $0.isHeld = true }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 { group.addTask { try await admin.deleteUser("\(number)") } }
            while listener.requests.isEmpty { await Task.yield() }
            listener.state.withLock { $0.isHeld = false }
            try await group.waitForAll()
        }
        #expect(listener.requests(to: "/token").count == 1)
        #expect(listener.requests.count == 101)
    }

    @Test func revokedAccessTokenIsReplacedOnce() async throws {
        let path = "/v1/projects/shop/accounts:delete"
        let refusal = #"{"error":{"message":"No.","status":"UNAUTHENTICATED"}}"#
        respondWithToken("access-1")
        listener.respond(to: path, (401, refusal), (200, "{}"))
        let admin = try admin()
        try await admin.deleteUser("ada")
        #expect(listener.requests(to: "/token").count == 2)
        listener.respond(to: path, (401, refusal))
        await #expect(throws: AdminError(.invalidCredential)) { try await admin.deleteUser("ada") }
        #expect(listener.requests(to: path).count == 4)
    }

    @Test func refusedAssertionIsATypedError() async throws {
        listener.respond(to: "/token", (400, #"{"error":"invalid_grant","error_description":"The key is unknown."}"#))
        let admin = try admin()
        let error = try await #require(throws: AdminError.self) { try await admin.deleteUser("ada") }
        #expect(error.code == .invalidCredential && error.serverCode == "invalid_grant")
        #expect(error.message == "The key is unknown.")
        #expect(listener.requests.count == 1)
    }

    @Test func errorOfTheSignerIsThrown() async throws {
        struct NoKey: Error {}
        let admin = try listener.admin(.serviceAccount(account) { _ in throw NoKey() })
        await #expect(throws: NoKey.self) { try await admin.deleteUser("ada") }
        let other = try listener.admin(.accessToken { throw NoKey() })
        await #expect(throws: NoKey.self) { try await other.deleteUser("ada") }
        #expect(listener.requests.isEmpty)
    }

    @Test func accessTokenOfTheApplicationIsSent() async throws {
        try await listener.admin(.accessToken { "own" }).deleteUser("ada")
        #expect(listener.requests.map(\.authorization) == ["Bearer own"])
    }

    // MARK: - Custom tokens

    @Test func customTokenIsSigned() async throws {
        let admin = try admin().auth(forTenantID: "t1")
        let claims = try claims(try await admin.createCustomToken(uid: "ada", claims: ["plan": "gold"]))
        #expect(claims["iss"] as? String == "admin@shop.example" && claims["sub"] as? String == "admin@shop.example")
        #expect(
            claims["aud"] as? String
                == "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit")
        #expect(claims["uid"] as? String == "ada" && claims["tenant_id"] as? String == "t1")
        #expect((claims["claims"] as? [String: any Sendable])?["plan"] as? String == "gold")
        #expect(claims["iat"] as? Int == 1_700_000_000 && claims["exp"] as? Int == 1_700_003_600)
        #expect(listener.requests.isEmpty)
    }

    @Test func customTokenOfDevModeIsUnsigned() async throws {
        let token = try await listener.admin().createCustomToken(uid: "ada")
        #expect(try UnverifiedJWT(token).isUnsecured)
        let other = try listener.admin(.accessToken { "own" })
        await #expect(throws: AdminError(.invalidCredential)) { try await other.createCustomToken(uid: "ada") }
    }

    @Test(arguments: [0, 129]) func customTokenNeedsAnAccountID(length: Int) async throws {
        let admin = try admin()
        let uid = String(repeating: "a", count: length)
        await #expect(throws: AdminError(.invalidUID)) { try await admin.createCustomToken(uid: uid) }
        _ = try await admin.createCustomToken(uid: String(repeating: "a", count: 128))
        await #expect(throws: AdminError(.invalidClaims)) {
            try await admin.createCustomToken(uid: "ada", claims: ["date": Date()])
        }
    }

    // MARK: - The file

    @Test func fileIsRead() throws {
        #expect(account.clientEmail == "admin@shop.example" && account.privateKeyID == "k1")
        #expect(account.projectID == "shop" && account.tokenURL.absoluteString == "https://admin.example.org/token")
        #expect(account.privateKeyPEM == "-----BEGIN PRIVATE KEY-----")
    }

    @Test func descriptionsDoNotShowThePrivateKey() throws {
        var dumped = ""
        dump(account, to: &dumped)
        for text in [
            "\(account)", String(reflecting: account), dumped, "\(AdminCredential.serviceAccount(account) { $0 })",
        ] {
            #expect(!text.contains("BEGIN"))
        }
    }

    /// Without the header of PKCS#8, the key is a sequence with the numbers of the key.
    @Test(arguments: [2048, 4096]) func privateKeyIsUnwrapped(bits: Int) throws {
        let key = try TestKey.rsa(bits: bits)
        let base64 = Data(try key.pkcs8DER).base64EncodedString(options: .lineLength64Characters)
        let pem = "-----BEGIN PRIVATE KEY-----\r\n\(base64)\r\n-----END PRIVATE KEY-----\r\n"
        let unwrapped = try #require(ServiceAccount(json: Self.file(["private_key": pem])).pkcs1PrivateKey)
        #expect(unwrapped.starts(with: [0x30, 0x82]))
        let (modulus, _) = try #require(key.publicKey.rsaComponents)
        // RFC 8017 appendix A.1.2: the length, version 0, and the modulus with its sign.
        #expect(unwrapped.dropFirst(4).starts(with: [0x02, 0x01, 0x00, 0x02, 0x82]))
        #expect(unwrapped.dropFirst(12).starts(with: modulus))
        #expect(unwrapped.prefix(4).suffix(2).reduce(0) { $0 << 8 | Int($1) } == unwrapped.count - 4)
    }

    @Test func otherPrivateKeysAreNotUnwrapped() throws {
        #expect(account.pkcs1PrivateKey == nil)
        let p256 = Data(try PrivateKey.generateP256().pkcs8DER).base64EncodedString()
        for content in [p256, "", "***"] {
            let pem = "-----BEGIN PRIVATE KEY-----\n\(content)\n-----END PRIVATE KEY-----"
            #expect(try ServiceAccount(json: Self.file(["private_key": pem])).pkcs1PrivateKey == nil)
        }
    }

    @Test func otherFilesAreRejected() throws {
        let files = [
            Data(), Data("{}".utf8), try Self.file(["client_email": 7]), try Self.file(["token_uri": "not a url"]),
            try Self.file(["padding": String(repeating: "a", count: ServiceAccount.maximumBytes)]),
        ]
        for file in files {
            #expect(throws: AdminError(.invalidCredential)) { try ServiceAccount(json: file) }
        }
    }
}
