import Contracts
import Foundation
import JSON
import Testing
import Vocabulary

@testable import IdentityService

/// `amr` and `acr` of sign-ins.
@Suite struct AuthenticationMethodsTests {
    private static let now = Moment(milliseconds: 1_700_000_000_000)

    private static func context(
        _ provider: String, factor: String? = nil, isUserVerified: Bool? = nil, isByEmail: Bool? = nil
    ) -> AuthenticationContext {
        AuthenticationContext(
            authenticatedAt: now.timestamp, signInProvider: provider,
            secondFactor: factor.map { .init(kind: $0, id: FactorID("f")) }, isUserVerified: isUserVerified,
            isByEmail: isByEmail)
    }

    @Test(
        arguments: [
            (context("password"), ["pwd"], AuthenticationLevel.oneFactor),
            (context("password", isByEmail: true), ["email"], .oneFactor),
            (context("phone"), ["sms"], .oneFactor),
            (context("google.com"), ["fed"], .oneFactor),
            (context("saml.corp"), ["fed"], .oneFactor),
            (context("passkey", isUserVerified: false), ["pop", "user"], .oneFactor),
            (context("passkey", isUserVerified: true), ["pop", "user", "mfa"], .phishingResistant),
            (context("password", factor: "phone"), ["pwd", "sms", "mfa"], .twoFactors),
            (context("password", factor: "totp"), ["pwd", "otp", "mfa"], .twoFactors),
            (context("password", factor: "totp", isByEmail: true), ["email", "otp", "mfa"], .twoFactors),
            (context("password", factor: "recovery_code"), ["pwd", "otp", "mfa"], .twoFactors),
            (context("passkey", factor: "totp", isUserVerified: false), ["pop", "user", "otp", "mfa"], .twoFactors),
            (context("anonymous"), [], nil), (context("custom"), [], nil),
        ] as [(AuthenticationContext, [String], AuthenticationLevel?)])
    func signInHasMethodsAndLevel(
        context: AuthenticationContext, methods: [String], level: AuthenticationLevel?
    ) throws {
        #expect(context.methods.map(\.rawValue) == methods && context.level == level)
        let account = Account(
            id: AccountID("ada"), realm: IdentityFixture.realm, validSince: Self.now.timestamp, createdAt: Self.now)
        let payload = try IDTokenClaims.payload(
            for: account, authentication: context, issuedAt: Self.now.timestamp)
        let claims = try WireJSON.decode([String: JSONValue].self, from: payload)
        let expected = methods.isEmpty ? nil : JSONValue.array(methods.map(JSONValue.string))
        #expect(claims["amr"] == expected)
        #expect(claims["acr"] == level.map { JSONValue.string($0.rawValue) })
        // A session that continues the one of the token says the same.
        #expect(try IDTokenClaims(payload: payload).authentication.methods == context.methods)
    }

    @Test func levelsHaveAnOrder() {
        #expect(AuthenticationLevel.allCases == AuthenticationLevel.allCases.sorted())
        #expect(AuthenticationLevel.oneFactor < .twoFactors && .twoFactors < .phishingResistant)
    }
}

/// What sign-ins of the service say about themselves.
@Suite struct AuthenticationMethodsOfSignInsTests {
    private func methods(_ token: Secret<String>) throws -> JSONValue? {
        try IDTokenIssuer.payload(of: token.reveal())["amr"]
    }

    @Test func linkByEmailIsNoPassword() async throws {
        let fixture = try await IdentityFixture()
        let tokens = try #require(try await fixture.signInByNewLink().tokens)
        #expect(try methods(tokens.idToken) == .array([.string("email")]))
        #expect(try methods(try await fixture.refresh(tokens.refreshToken).idToken) == .array([.string("email")]))
        // The session of a change continues that of the sign-in.
        let changed = try await fixture.changeOwn(tokens, .init(displayName: "Ada")).tokens
        #expect(try methods(changed.idToken) == .array([.string("email")]))
    }

    @Test func refreshKeepsTheMethods() async throws {
        let fixture = try await IdentityFixture()
        let tokens = try await fixture.signUp().tokens
        #expect(try methods(tokens.idToken) == .array([.string("pwd")]))
        #expect(try methods(try await fixture.refresh(tokens.refreshToken).idToken) == .array([.string("pwd")]))
    }
}
