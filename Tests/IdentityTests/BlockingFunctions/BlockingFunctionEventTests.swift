import Contracts
import Crypto
import Foundation
import JOSE
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// The token that a function receives (REST 8).
struct BlockingFunctionEventTests {
    private static let client = ClientContext(ipAddress: "192.0.2.1", userAgent: "curl/8", locale: "de-CH")

    private static func signUp(_ fixture: IdentityFixture) async throws -> Account {
        try await fixture.send(
            Identity.SignUp(
                realm: IdentityFixture.realm, email: "ada@example.com", password: Secret("correct-horse-9"),
                displayName: "Ada", client: client)
        ).account
    }

    @Test func eventDescribesTheAccountAndTheRequest() async throws {
        let fixture = try await IdentityFixture()
        try await fixture.registerFunctions(.beforeCreate, .beforeSignIn)
        let account = try await Self.signUp(fixture)
        let now = fixture.clock.now
        let events = fixture.functions.events
        let event = try #require(events.first)
        #expect(event["iss"] == .string("https://securetoken.google.com/demo"))
        #expect(event["aud"] == .string("https://functions.example/beforeCreate"))
        #expect(event["sub"] == .string(account.id.rawValue))
        #expect(event["iat"] == .integer(now.timestamp.seconds))
        #expect(event["exp"] == .integer(now.timestamp.seconds + 60))
        #expect(event["event_type"] == .string("beforeCreate"))
        #expect(event["ip_address"] == .string("192.0.2.1"))
        #expect(event["user_agent"] == .string("curl/8"))
        #expect(event["locale"] == .string("de-CH"))
        #expect(event["sign_in_method"] == .string("password"))
        for absent in ["sign_in_second_factor", "tenant_id", "raw_user_info", "oauth_id_token"] {
            #expect(event[absent] == nil)
        }
        let password = JSONValue.object([
            "provider_id": .string("password"), "uid": .string("ada@example.com"),
            "email": .string("ada@example.com"), "display_name": .string("Ada"),
        ])
        #expect(
            event["user_record"]
                == .object([
                    "uid": .string(account.id.rawValue), "email": .string("ada@example.com"),
                    "email_verified": .bool(false), "display_name": .string("Ada"), "disabled": .bool(false),
                    "metadata": .object([
                        "creation_time": .integer(now.milliseconds), "last_sign_in_time": .integer(now.milliseconds),
                    ]),
                    "provider_data": .array([password]),
                    "tokens_valid_after_time": .integer(account.validSince.seconds),
                ]))
        #expect(Set(events.compactMap { $0["event_id"]?.text }).count == 2)
    }

    @Test func eventListsSecondFactorsAndClaims() async throws {
        let fixture = try await IdentityFixture()
        let account = try await fixture.signUpWithFactors()
        _ = try await fixture.change(account.id, .init(customClaims: #"{"level":5}"#))
        try await fixture.registerFunctions(.beforeSignIn)
        _ = try await PendingSignInTests.complete(fixture, PendingSignInTests.credential(fixture))
        let record = try #require(fixture.functions.events.first?["user_record"])
        #expect(record["custom_claims"] == .object(["level": .integer(5)]))
        guard case .array(let factors)? = record["multi_factor"]?["enrolled_factors"], let factor = factors.first else {
            Issue.record("no factors")
            return
        }
        #expect(factor["uid"] == .string("f-0101") && factor["factor_id"] == .string("phone"))
        #expect(factor["phone_number"] == .string("+12025550101"))
        #expect(factor["enrollment_time"]?.text?.hasSuffix("Z") == true)
    }

    /// Tokens of the provider leave identity only where the project says so, each kind for itself.
    @Test(arguments: [
        ([], []), (["idToken"], ["oauth_id_token"]),
        (["accessToken"], ["oauth_access_token", "oauth_expires_in", "oauth_token_secret"]),
        (["refreshToken"], ["oauth_refresh_token"]),
    ])
    func tokensOfTheProviderAreForwardedAsConfigured(forwards: [String], claims: [String]) async throws {
        let fixture = try await IdentityFixture()
        try await fixture.registerFunctions(.beforeSignIn)
        try await fixture.configure { configuration in
            var credentials = ProjectConfiguration.BlockingFunctions.InboundCredentials()
            if forwards.contains("idToken") { credentials.idToken = true }
            if forwards.contains("accessToken") { credentials.accessToken = true }
            if forwards.contains("refreshToken") { credentials.refreshToken = true }
            configuration.blockingFunctions?.forwardInboundCredentials = credentials
        }
        _ = try await fixture.send(
            Identity.SignInWithProvider(
                realm: IdentityFixture.realm, identity: IdentityFixture.person(),
                details: .init(
                    rawUserInfo: #"{"team":"blue"}"#, idToken: Secret("i"), accessToken: Secret("a"),
                    refreshToken: Secret("r"), tokenSecret: Secret("s"), expiresInSeconds: 60)))
        let event = try #require(fixture.functions.events.first)
        #expect(event["raw_user_info"] == .string(#"{"team":"blue"}"#))
        #expect(event.keys.filter { $0.hasPrefix("oauth_") }.sorted() == claims)
    }

    /// The published keys of ID tokens verify it.
    @Test func publishedKeyVerifiesTheToken() async throws {
        let fixture = try await IdentityFixture()
        try await fixture.registerFunctions(.beforeCreate)
        _ = try await Self.signUp(fixture)
        let token = try #require(fixture.functions.tokens.first)
        let published = try await fixture.send(Identity.ListSigningKeys(purpose: .idToken)).keys
        let key = try #require(published.first)
        let publicKey = try PublicKey(
            rsaModulus: try #require(Base64URL.decode(key.modulus)),
            exponent: try #require(Base64URL.decode(key.exponent)))
        let (signed, signature) = try #require(token.lastHalves(at: "."))
        let bytes = try #require(Base64URL.decode(signature))
        #expect(publicKey.isValid(signature: bytes, for: Array(signed.utf8), .rs256))
        var changed = bytes
        changed[0] ^= 1
        #expect(!publicKey.isValid(signature: changed, for: Array(signed.utf8), .rs256))
    }

    /// It has the issuer and the key of ID tokens, so it must not be accepted as one.
    @Test(arguments: ["https://functions.example/f", "https://demo/second-factor-enrollment"])
    func eventIsNoIDToken(url: String) async throws {
        let fixture = try await IdentityFixture()
        try await fixture.registerFunctions(.beforeSignIn)
        try await fixture.configure { $0.blockingFunctions?.triggers?["beforeSignIn"]?.functionUri = url }
        _ = try await Self.signUp(fixture)
        let token = try #require(fixture.functions.tokens.first)
        await #expect(throws: ServiceError(.invalidIDToken)) { try await fixture.lookUp(Secret(token)) }
    }
}
