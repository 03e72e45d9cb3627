import Contracts
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// tokens reference 5.
@Suite struct SessionCookieTests {
    static func cookie(
        _ fixture: IdentityFixture, _ idToken: Secret<String>?, _ seconds: Int64? = nil
    ) async throws -> Secret<String> {
        try await fixture.ask(
            Identity.CreateSessionCookie(
                realm: IdentityFixture.realm, idToken: idToken, lifetimeSeconds: seconds)
        ).cookie
    }

    @Test(arguments: [nil, 300, 1_209_600] as [Int64?])
    func keepsTheClaimsUnderItsOwnIssuer(seconds: Int64?) async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        fixture.clock.advance(by: .seconds(60))
        let cookie = try await Self.cookie(fixture, made.tokens.idToken, seconds)
        let (before, after) = try (
            OwnAccountTests.claims(made.tokens),
            OwnAccountTests.claims(TokenSet(idToken: cookie, refreshToken: Secret(""), expiresInSeconds: 0))
        )
        for name in ["aud", "sub", "user_id", "auth_time", "email", "email_verified", "firebase"] {
            #expect(after[name] != nil && after[name] == before[name], "\(name)")
        }
        let now = fixture.clock.now.timestamp.seconds
        #expect(after["iss"] == .string("https://session.firebase.google.com/demo"))
        #expect(after["iat"] == .integer(now) && after["exp"] == .integer(now + (seconds ?? 1_209_600)))
        // TK3: no ID token, and nothing to make another cookie of.
        await #expect(throws: IdentityError.invalidIDToken) { try await fixture.lookUp(cookie) }
        await #expect(throws: IdentityError.invalidIDToken) { try await Self.cookie(fixture, cookie) }
    }

    @Test(arguments: [299, 1_209_601, 0, -5, .min, .max] as [Int64])
    func livesFiveMinutesToTwoWeeks(seconds: Int64) async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        await #expect(throws: IdentityError.invalidDuration) {
            try await Self.cookie(fixture, made.tokens.idToken, seconds)
        }
    }

    @Test func needsARecentSignInThatStillHolds() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        await #expect(throws: IdentityError.missingIDToken) { try await Self.cookie(fixture, nil) }
        fixture.clock.advance(by: .seconds(300))
        _ = try await Self.cookie(fixture, made.tokens.idToken)
        fixture.clock.advance(by: .seconds(1))
        await #expect(throws: IdentityError.signInTooOld) { try await Self.cookie(fixture, made.tokens.idToken) }
        _ = try await fixture.change(made.account.id, .init(password: Secret("another-horse-9")))
        await #expect(throws: IdentityError.sessionExpired) { try await Self.cookie(fixture, made.tokens.idToken) }
    }
}
