import Contracts
import Crypto
import Foundation
import JOSE
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// REST 2.6; tokens 4; security rule TK4.
@Suite struct CustomTokenSignInTests {
    private static func unsigned(_ claims: [String: JSONValue]) throws -> Secret<String> {
        let claims = ["aud": JSONValue.string(CustomTokenClaims.audience)].merging(claims) { $1 }
        return Secret(JWT.unsigned(claims: try WireJSON.encode(claims)))
    }

    private static func isInvalid(_ error: any Error) -> Bool {
        (error as? ServiceError)?.code == .invalidCustomToken
    }

    @Test(arguments: [true, false]) func signedTokenCreatesAccountAndFindsItAgain(isDev: Bool) async throws {
        let fixture = try await IdentityFixture(isDev: isDev)
        let signer = try ServiceAccountSigner()
        try await fixture.register(signer)
        let made = try await fixture.exchange(signer.customToken("ada", at: fixture.clock.now))
        #expect(made.isNewAccount && made.account.id == AccountID("ada") && made.account.customAuthentication)
        let again = try await fixture.exchange(signer.customToken("ada", at: fixture.clock.now))
        #expect(!again.isNewAccount)
        let claims = try IDTokenClaims.read(again.tokens.idToken)
        #expect(claims["firebase"]?["sign_in_provider"] == .string("custom"))
        #expect(try await fixture.lookUp(again.tokens.idToken).id == AccountID("ada"))
    }

    @Test func repeatedBusCallReturnsSameSession() async throws {
        let fixture = try await IdentityFixture()
        let token = try Self.unsigned(["uid": .string("ada")])
        let request = Identity.SignInWithCustomToken(realm: IdentityFixture.realm, token: token)
        let first = try await fixture.send(request, idempotencyKey: "one")
        let second = try await fixture.send(request, idempotencyKey: "one")
        #expect(first.isNewAccount && second.isNewAccount)
        #expect(first.tokens.refreshToken == second.tokens.refreshToken)
    }

    @Test func sessionClaimsLastForTheirSessionOnly() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.exchange(Self.unsigned(["uid": .string("ada")]))
        _ = try await fixture.change(AccountID("ada"), .init(customClaims: #"{"tier":"basic","team":"red"}"#))
        let gold = try await fixture.exchange(
            Self.unsigned([
                "uid": .string("ada"), "claims": .object(["tier": .string("gold"), "seats": .integer(3)]),
            ]))
        let refreshed = try await fixture.refresh(gold.tokens.refreshToken)
        for token in [gold.tokens.idToken, refreshed.idToken] {
            let claims = try IDTokenClaims.read(token)
            #expect(claims["tier"] == .string("gold") && claims["seats"] == .integer(3))
            #expect(claims["team"] == .string("red"))
        }
        let plain = try await fixture.exchange(Self.unsigned(["uid": .string("ada"), "claims": .object([:])]))
        #expect(try IDTokenClaims.read(plain.tokens.idToken)["tier"] == .string("basic"))
    }

    @Test func sessionClaimsSurviveAccountChange() async throws {
        let fixture = try await OwnAccountTests.fixture()
        _ = try await fixture.exchange(Self.unsigned(["uid": .string("ada")]))
        _ = try await fixture.change(AccountID("ada"), .init(customClaims: #"{"team":"red"}"#))
        // Started in the same second: the claims belong to one session only.
        let plain = try await fixture.exchange(Self.unsigned(["uid": .string("ada")]))
        let gold = try await fixture.exchange(
            Self.unsigned(["uid": .string("ada"), "claims": .object(["tier": .string("gold")])]))
        _ = try await fixture.change(AccountID("ada"), .init(customClaims: "{}"))
        let named = try await fixture.changeOwn(gold.tokens, .init(displayName: "Ada"))
        let moved = try await fixture.changeOwn(named.tokens, .init(email: "ada@example.com"))
        for token in [
            named.tokens.idToken, moved.tokens.idToken, try await fixture.refresh(moved.tokens.refreshToken).idToken,
        ] {
            let claims = try IDTokenClaims.read(token)
            #expect(claims["tier"] == .string("gold") && claims["team"] == nil)
        }
        let other = try await fixture.exchange(Self.unsigned(["uid": .string("grace")]))
        for tokens in [plain.tokens, other.tokens] {
            guard let changed = try? await fixture.changeOwn(tokens, .init(displayName: "X")) else { continue }
            #expect(try IDTokenClaims.read(changed.tokens.idToken)["tier"] == nil)
        }
    }

    @Test(arguments: CustomClaims.reserved.sorted()) func reservedClaimsAreRefused(name: String) async throws {
        let fixture = try await IdentityFixture()
        await #expect(throws: ServiceError.reservedClaim(name)) {
            try await fixture.exchange(
                Self.unsigned(["uid": .string("ada"), "claims": .object([name: .string("x")])]))
        }
    }

    @Test(
        arguments: [
            (["uid": .string("ada"), "claims": .array([.string("a")])], ServiceError(.invalidCustomClaims)),
            (["uid": .string("ada"), "claims": .string("text")], ServiceError(.invalidCustomClaims)),
            (["uid": .string("ada"), "claims": .integer(7)], ServiceError(.invalidCustomClaims)),
            (
                ["uid": .string("ada"), "claims": .object(["a": .string(String(repeating: "x", count: 993))])],
                ServiceError(.customClaimsTooLarge)
            ),
            ([:], ServiceError(.missingIdentifier)), (["uid": .string("")], ServiceError(.missingIdentifier)),
            (["uid": .null], ServiceError(.missingIdentifier)),
            (["uid": .integer(7)], ServiceError(.invalidIdentifier)),
            (["uid": .string(String(repeating: "u", count: 129))], ServiceError(.invalidIdentifier)),
            (["uid": .string("a\u{1}b")], ServiceError(.invalidIdentifier)),
            (["uid": .string("ada"), "tenant_id": .string("elsewhere")], ServiceError(.tenantMismatch)),
        ] as [([String: JSONValue], ServiceError)])
    func invalidClaimsAreRefused(claims: [String: JSONValue], error: ServiceError) async throws {
        let fixture = try await IdentityFixture()
        await #expect(throws: error) { try await fixture.exchange(Self.unsigned(claims)) }
        #expect(try await fixture.store.account(AccountID("ada"), in: IdentityFixture.realm) == nil)
    }

    @Test func claimsAtBoundsAreAccepted() async throws {
        let fixture = try await IdentityFixture()
        let uid = String(repeating: "u", count: 128)
        let claims = JSONValue.object(["a": .string(String(repeating: "x", count: 992))])
        #expect(
            try await fixture.exchange(Self.unsigned(["uid": .string(uid), "claims": claims])).account.id
                == AccountID(uid))
        #expect(try await fixture.exchange(Secret(#"{"uid":"plain"}"#)).account.id == AccountID("plain"))
    }

    /// Security rule AD5.
    @Test func unsignedTokenRequiresDevMode() async throws {
        let fixture = try await IdentityFixture(isDev: false)
        for token in [try Self.unsigned(["uid": .string("ada")]), Secret(#"{"uid":"ada"}"#)] {
            await #expect(performing: { try await fixture.exchange(token) }, throws: Self.isInvalid)
        }
    }

    @Test(
        arguments: [
            ["aud": .string("demo")], ["aud": .array([.string(CustomTokenClaims.audience)])],
            ["iss": .string("other@x.example")],
            ["sub": .string("other@x.example")], ["sub": .null], ["iss": .null], ["exp": .null], ["iat": .null],
            ["exp": .integer(1_700_000_000 + 3601)], ["exp": .integer(1_700_000_000 + 7200)],
            ["iat": .integer(1_700_000_000 - 7200), "exp": .integer(1_700_000_000 - 3600)],
            ["iat": .integer(1_700_000_000 - 3660), "exp": .integer(1_700_000_000 - 60)],
            ["iat": .integer(1_700_000_000 + 61), "exp": .integer(1_700_000_000 + 3600)],
            ["iat": .integer(1_700_000_000 + 61), "exp": .integer(1_700_000_000)],
            ["nbf": .integer(1_700_000_000 + 61)], ["exp": .string("1700003600")], ["iat": .integer(-1)],
            ["tenant_id": .integer(7)],
        ] as [[String: JSONValue]])
    func signedTokenWithInvalidClaimIsRefused(changes: [String: JSONValue]) async throws {
        let fixture = try await IdentityFixture()
        let signer = try ServiceAccountSigner()
        try await fixture.register(signer)
        let token = try signer.customToken("ada", at: fixture.clock.now, changes)
        await #expect(performing: { try await fixture.exchange(token) }, throws: Self.isInvalid)
    }

    @Test func tokenExpiresOneMinuteAfterItsTime() async throws {
        let fixture = try await IdentityFixture()
        let signer = try ServiceAccountSigner()
        try await fixture.register(signer)
        let token = try signer.customToken("ada", at: fixture.clock.now)
        fixture.clock.advance(by: .seconds(3659))
        _ = try await fixture.exchange(token)
        fixture.clock.advance(by: .seconds(1))
        await #expect(performing: { try await fixture.exchange(token) }, throws: Self.isInvalid)
    }

    @Test func modifiedTokenIsRefused() async throws {
        let fixture = try await IdentityFixture(isDev: false)
        let signer = try ServiceAccountSigner()
        try await fixture.register(signer)
        let parts = try signer.customToken("ada", at: fixture.clock.now).reveal().split(separator: ".")
            .map { try #require(Base64URL.decode(String($0))) }
        for part in parts.indices {
            for byte in stride(from: 0, to: parts[part].count, by: part == 2 ? 16 : 3) {
                var forged = parts
                forged[part][byte] ^= 1
                let token = Secret(forged.map(Base64URL.encode).joined(separator: "."))
                await #expect(
                    "part \(part), byte \(byte)", performing: { try await fixture.exchange(token) },
                    throws: Self.isInvalid)
            }
        }
    }

    @Test func tokenRequiresRegisteredKey() async throws {
        let fixture = try await IdentityFixture()
        let signer = try ServiceAccountSigner()
        let otherSigner = try ServiceAccountSigner(keyName: "other")
        let token = try signer.customToken("ada", at: fixture.clock.now)
        await #expect(performing: { try await fixture.exchange(token) }, throws: Self.isInvalid)
        try await fixture.register(signer)
        _ = try await fixture.exchange(token)
        let forged = try otherSigner.customToken("ada", at: fixture.clock.now)
        await #expect(performing: { try await fixture.exchange(forged) }, throws: Self.isInvalid)
        _ = try await fixture.send(Identity.RemoveServiceAccountKeys(email: signer.email))
        await #expect(performing: { try await fixture.exchange(token) }, throws: Self.isInvalid)
    }

    @Test func keyVerifiesOnlyTokensWithItsKeyID() async throws {
        let fixture = try await IdentityFixture()
        let first = try ServiceAccountSigner()
        let second = try ServiceAccountSigner(keyName: "second") { $0.keyID = "key-2" }
        try await fixture.register(first)
        try await fixture.register(second)
        _ = try await fixture.exchange(first.customToken("ada", at: fixture.clock.now))
        _ = try await fixture.exchange(second.customToken("ada", at: fixture.clock.now))
        var misnamed = second
        misnamed.keyID = first.keyID
        let token = try misnamed.customToken("ada", at: fixture.clock.now)
        await #expect(performing: { try await fixture.exchange(token) }, throws: Self.isInvalid)
    }

    @Test func signerOfAnotherProjectIsNamed() async throws {
        let fixture = try await IdentityFixture()
        let signer = try ServiceAccountSigner { $0.project = ProjectID("other") }
        try await fixture.register(signer)
        let token = try signer.customToken("ada", at: fixture.clock.now)
        await #expect(throws: ServiceError(.credentialMismatch)) { try await fixture.exchange(token) }
        let otherSigner = try ServiceAccountSigner(keyName: "other") { $0.project = ProjectID("other") }
        let forged = try otherSigner.customToken("ada", at: fixture.clock.now)
        await #expect(performing: { try await fixture.exchange(forged) }, throws: Self.isInvalid)
    }

    @Test func otherTokenKindsAreRefused() async throws {
        let fixture = try await IdentityFixture()
        let idToken = try await fixture.signUp().tokens.idToken
        let signer = try ServiceAccountSigner()
        try await fixture.register(signer)
        let assertion = try signer.assertion(at: fixture.clock.now)
        for token in [idToken, assertion, Secret("not-a-token"), Secret("{"), Secret("a.b.c"), Secret("[1]")] {
            await #expect(performing: { try await fixture.exchange(token) }, throws: Self.isInvalid)
        }
        for token in [nil, Secret("")] {
            await #expect(throws: ServiceError(.missingCustomToken)) { try await fixture.exchange(token) }
        }
    }

    @Test func disabledAccountIsRefused() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        _ = try await fixture.change(made.account.id, .init(disabled: true))
        await #expect(throws: ServiceError(.accountDisabled)) {
            try await fixture.exchange(Self.unsigned(["uid": .string(made.account.id.rawValue)]))
        }
    }

    @Test func tokenIsBoundToItsTenant() async throws {
        let fixture = try await IdentityFixture()
        let (tenant, other) = (try await fixture.makeTenant(), try await fixture.makeTenant())
        let named = try Self.unsigned([
            "uid": .string("ada"), "tenant_id": .string(try #require(tenant.tenant).rawValue),
        ])
        let made = try await fixture.exchange(named, in: tenant)
        #expect(
            try IDTokenClaims.read(made.tokens.idToken)["firebase"]?["tenant"]
                == .string(made.account.realm.tenant?.rawValue ?? ""))
        let unnamed = try Self.unsigned(["uid": .string("ada")])
        for (token, realm) in [(named, other), (named, IdentityFixture.realm), (unnamed, tenant)] {
            await #expect(throws: ServiceError(.tenantMismatch)) { try await fixture.exchange(token, in: realm) }
        }
    }
}
