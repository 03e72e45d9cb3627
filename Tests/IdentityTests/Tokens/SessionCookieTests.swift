import Contracts
import Crypto
import Foundation
import JOSE
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// REST 4.1 and 4.3; section 5 of the token reference; security rule TK9.
@Suite struct SessionCookieTests {
    private func cookie(
        _ fixture: IdentityFixture, _ idToken: Secret<String>?, for seconds: Int64? = nil,
        in realm: Realm = IdentityFixture.realm
    ) async throws -> Secret<String> {
        try await fixture.send(
            Identity.CreateSessionCookie(realm: realm, idToken: idToken, lifetimeSeconds: seconds)
        ).sessionCookie
    }

    @Test(arguments: [(nil, 1_209_600), (300, 300), (1_209_600, 1_209_600)] as [(Int64?, Int64)])
    func cookieRepeatsTokenClaimsWithItsOwnIssuerAndKey(requested: Int64?, lifetime: Int64) async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        fixture.clock.advance(by: .seconds(10))
        let text = try await cookie(fixture, made.tokens.idToken, for: requested)
        let (claims, source) = (try IDTokenClaims.read(text), try IDTokenClaims.read(made.tokens.idToken))
        #expect(claims["iss"] == .string("https://session.firebase.google.com/demo"))
        #expect(claims["iat"] == .integer(fixture.clock.now.timestamp.seconds))
        #expect(claims["exp"] == .integer(fixture.clock.now.timestamp.seconds + lifetime))
        for name in ["aud", "sub", "user_id", "auth_time", "email", "email_verified", "firebase"] {
            #expect(claims[name] == source[name])
        }
        let token = try UnverifiedJWT(text.reveal())
        #expect(token.header.type == nil && token.header.algorithm == .rs256)
        let published = try await fixture.send(Identity.ListSigningKeys(purpose: .sessionCookie)).keys
        let key = try #require(published.first { $0.id.rawValue == token.header.keyID })
        #expect(token.isSigned(by: try PublicKey(pem: key.certificatePEM)))
        let others = try await fixture.send(Identity.ListSigningKeys(purpose: .idToken)).keys
        #expect(!others.contains { $0.id == key.id })
    }

    @Test(arguments: [299, 1_209_601, 0, -5, .min, .max] as [Int64]) func invalidDurationIsRefused(seconds: Int64)
        async throws
    {
        let fixture = try await IdentityFixture()
        let token = try await fixture.signUp().tokens.idToken
        await #expect(throws: ServiceError(.invalidDuration)) { try await cookie(fixture, token, for: seconds) }
    }

    @Test func cookieRequiresRecentSignIn() async throws {
        let fixture = try await IdentityFixture()
        let token = try await fixture.signUp().tokens.idToken
        fixture.clock.advance(by: .seconds(300))
        _ = try await cookie(fixture, token)
        fixture.clock.advance(by: .seconds(1))
        await #expect(throws: ServiceError(.recentSignInRequired)) { try await cookie(fixture, token) }
    }

    @Test func invalidTokenGetsNoCookie() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        for token in [nil, Secret("")] {
            await #expect(throws: ServiceError(.missingIDToken)) { try await cookie(fixture, token) }
        }
        await #expect(throws: ServiceError(.invalidIDToken)) { try await cookie(fixture, Secret("a.b.c")) }
        await #expect(throws: ServiceError(.tenantMismatch)) {
            try await cookie(fixture, made.tokens.idToken, in: try await fixture.makeTenant())
        }
        _ = try await fixture.change(made.account.id, .init(disabled: true))
        await #expect(throws: ServiceError(.accountDisabled)) { try await cookie(fixture, made.tokens.idToken) }
        _ = try await fixture.change(
            made.account.id, .init(disabled: false, validSince: Timestamp(seconds: 2_000_000_000)))
        await #expect(throws: ServiceError(.sessionExpired)) { try await cookie(fixture, made.tokens.idToken) }
        _ = try await fixture.send(Identity.DeleteAccount(realm: IdentityFixture.realm, accountID: made.account.id))
        await #expect(throws: ServiceError(.accountNotFound)) { try await cookie(fixture, made.tokens.idToken) }
    }

    /// Security rule TK3: each kind of token is accepted for one use.
    @Test func cookieIsRefusedAsIDToken() async throws {
        let fixture = try await IdentityFixture()
        let text = try await cookie(fixture, try await fixture.signUp().tokens.idToken)
        await #expect(throws: ServiceError(.invalidIDToken)) { try await fixture.lookUp(text) }
        await #expect(throws: ServiceError(.invalidIDToken)) { try await cookie(fixture, text) }
    }
}
