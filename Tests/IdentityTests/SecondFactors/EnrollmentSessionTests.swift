import Contracts
import Crypto
import FoundationEssentials
import JOSE
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// The session of an account that requires a second factor and has none.
@Suite struct EnrollmentSessionTests {
    /// Every account needs a second factor; SMS and TOTP are enabled.
    private static func mandatory(isUnsigned: Bool = false) async throws -> IdentityFixture {
        let fixture = try await IdentityFixture(isUnsigned: isUnsigned)
        try await fixture.configure { configuration in
            configuration.mfa?.state = .mandatory
            configuration.mfa?.enabledProviders = [.phoneSMS]
            configuration.mfa?.providerConfigs = [.init()]
            configuration.mfa?.providerConfigs?[0].state = .enabled
            configuration.mfa?.providerConfigs?[0].totpProviderConfig = .init()
        }
        return fixture
    }

    private static func enroll(_ fixture: IdentityFixture, _ tokens: TokenSet, _ id: String = "app") async throws
        -> TokenSet
    {
        try await fixture.send(
            Identity.EnrollFactor(
                realm: IdentityFixture.realm, idToken: tokens.idToken, factorID: FactorID(id), kind: .totp,
                displayName: "authenticator")
        ).tokens
    }

    @Test(arguments: [false, true]) func enrollmentSessionHasItsOwnAudienceAndLifetime(isUnsigned: Bool) async throws {
        let fixture = try await Self.mandatory(isUnsigned: isUnsigned)
        let made = try await fixture.signUp()
        #expect(made.tokens.expiresInSeconds == 900)
        let claims = try OwnAccountTests.claims(made.tokens)
        #expect(claims["aud"] == .string("demo/second-factor-enrollment"))
        #expect(claims["firebase"]?["second_factor_required"] == .bool(true))
        #expect(claims["exp"] == .integer(fixture.clock.now.timestamp.seconds + 900))
        // Operations that an enrollment requires.
        #expect(try await fixture.lookUp(made.tokens.idToken).id == made.account.id)
        _ = try await fixture.send(.verifyEmail, nil, idToken: made.tokens.idToken)
        _ = try await fixture.change(made.account.id, .init(emailVerified: true))
        _ = try await fixture.check(made.tokens, .totp)
        _ = try await fixture.check(made.tokens, .phone, "+12025550103")
        // The session with the factor has full scope.
        let enrolled = try await Self.enroll(fixture, made.tokens)
        let full = try OwnAccountTests.claims(enrolled)
        #expect(full["aud"] == .string("demo") && full["firebase"]?["second_factor_required"] == nil)
        #expect(full["firebase"]?["sign_in_second_factor"] == .string("totp"))
        _ = try await fixture.changeOwn(enrolled, .init(displayName: "Ada"))
        _ = try await fixture.refresh(enrolled.refreshToken)
        #expect(try await fixture.firstFactor().secondFactor != nil)
    }

    private static let refused: [@Sendable (IdentityFixture, Secret<String>) async throws -> Void] = [
        { try await $0.changeOwn(.init(idToken: $1), .init(displayName: "X")).discard() },
        { try await $0.changeOwn(.init(idToken: $1), .init(password: Secret("another-horse-9"))).discard() },
        { try await $0.send(Identity.DeleteOwnAccount(realm: IdentityFixture.realm, idToken: $1)).discard() },
        { try await $0.send(Identity.VerifyIDToken(realm: IdentityFixture.realm, idToken: $1)).discard() },
        { try await $0.send(Identity.CreateSessionCookie(realm: IdentityFixture.realm, idToken: $1)).discard() },
        { try await $0.send(Identity.CountRecoveryCodes(realm: IdentityFixture.realm, idToken: $1)).discard() },
        { try await $0.send(Identity.GenerateRecoveryCodes(realm: IdentityFixture.realm, idToken: $1)).discard() },
        { try await $0.withdraw(.init(idToken: $1), "app").discard() },
        { try await $0.signInByPhone(IdentityFixture.phone, .link, idToken: $1).discard() },
        { try await $0.signInByNewLink(linkIDToken: $1).discard() },
        { try await $0.signInByNewLink("other@example.com", linkIDToken: $1).discard() },
        {
            try await $0.send(
                Identity.SignUp(
                    realm: IdentityFixture.realm, email: "b@example.com", password: Secret("another-horse-9"),
                    linkIDToken: $1)
            ).discard()
        },
        { try await $0.send(.verifyAndChangeEmail, nil, newEmail: "b@example.com", idToken: $1).discard() },
    ]

    @Test(arguments: refused.indices) func enrollmentSessionIsRefusedByOtherOperations(index: Int) async throws {
        let fixture = try await Self.mandatory()
        let made = try await fixture.signUp()
        _ = try await fixture.change(made.account.id, .init(emailVerified: true))
        await #expect(throws: ServiceError(.secondFactorRequired)) {
            try await Self.refused[index](fixture, made.tokens.idToken)
        }
    }

    /// A full token that was issued before the second factor became mandatory.
    @Test(arguments: refused.indices) func earlierFullTokenIsTreatedAsEnrollmentSession(index: Int) async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUpVerified()
        try await fixture.configure { $0.mfa?.state = .mandatory }
        _ = try await fixture.lookUp(made.tokens.idToken)
        await #expect(throws: ServiceError(.secondFactorRequired)) {
            try await Self.refused[index](fixture, made.tokens.idToken)
        }
        _ = try await Self.enroll(fixture, made.tokens)
    }

    @Test(arguments: StoreEngine.allCases) func refreshKeepsSessionLimited(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let before = try await fixture.signUpVerified()
        try await fixture.configure { $0.mfa?.state = .mandatory }
        // The session of before ends: its account has to show a factor.
        await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.refresh(before.tokens.refreshToken) }
        let limited = try #require(try await fixture.firstFactor().tokens)
        fixture.clock.advance(by: .seconds(1800))
        let refreshed = try await fixture.refresh(limited.refreshToken)
        #expect(try OwnAccountTests.claims(refreshed)["aud"] == .string("demo/second-factor-enrollment"))
        // The scope never changes, and its lifetime is short.
        try await fixture.configure { $0.mfa?.state = .enabled }
        let again = try await fixture.refresh(refreshed.refreshToken)
        #expect(try OwnAccountTests.claims(again)["aud"] == .string("demo/second-factor-enrollment"))
        fixture.clock.advance(by: .seconds(1800))
        await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.refresh(again.refreshToken) }
    }

    @Test func enrollmentInAnotherSessionEndsIt() async throws {
        let fixture = try await Self.mandatory()
        let made = try await fixture.signUp()
        _ = try await fixture.change(made.account.id, .init(emailVerified: true))
        let other = try #require(try await fixture.firstFactor().tokens)
        _ = try await Self.enroll(fixture, made.tokens)
        await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.refresh(other.refreshToken) }
        await #expect(throws: ServiceError(.secondFactorRequired)) {
            try await fixture.enrollPhone(other, "another", "+12025550103")
        }
        await #expect(throws: ServiceError(.secondFactorRequired)) { try await fixture.withdraw(other, "app") }
    }

    /// An account without its last factor is treated like an account that never had one.
    @Test func withdrawalOfLastFactorOpensEnrollmentSession() async throws {
        let fixture = try await Self.mandatory()
        let made = try await fixture.signUp()
        _ = try await fixture.change(made.account.id, .init(emailVerified: true))
        let enrolled = try await Self.enroll(fixture, made.tokens)
        let tokens = try #require(try await fixture.withdraw(enrolled, "app").tokens)
        #expect(try OwnAccountTests.claims(tokens)["aud"] == .string("demo/second-factor-enrollment"))
        await #expect(throws: ServiceError(.secondFactorRequired)) {
            try await fixture.changeOwn(tokens, .init(displayName: "X"))
        }
    }

    /// A backend refuses the token whether it compares the audience or only verifies the signature.
    @Test func publishedKeysDoNotVerifyItsToken() async throws {
        let fixture = try await Self.mandatory()
        let token = try await fixture.signUp().tokens.idToken.reveal()
        let parsed = try UnverifiedJWT(token)
        #expect(parsed.header.algorithmName == "HS256" && parsed.header.keyID == nil)
        let keys = try await fixture.send(Identity.ListSigningKeys(purpose: .idToken)).keys
        #expect(!keys.isEmpty)
        for key in fixture.service.context.keys.published(.idToken, at: fixture.clock.now.timestamp) {
            let publicKey = try #require(
                try await fixture.service.context.keys.verificationKey(
                    header: JWT.header(algorithm: .rs256, keyID: key.id.rawValue), .idToken))
            #expect(!parsed.isSigned(by: publicKey))
        }
    }

    @Test func modifiedTokenIsRefused() async throws {
        let fixture = try await Self.mandatory()
        let token = try await fixture.signUp().tokens.idToken.reveal()
        let parts = token.split(separator: ".").map(String.init)
        let payload = String(decoding: try #require(Base64URL.decode(parts[1])), as: UTF8.self)
        let full = payload.replacing("demo/second-factor-enrollment", with: "demo")
        #expect(full != payload)
        let key = fixture.service.context.keys.enrollmentTokenKey
        for forged in [
            "\(parts[0]).\(Base64URL.encode(Array(full.utf8))).\(parts[2])",
            // No full token with that key is accepted.
            JWT.authenticated(claims: Data(full.utf8), key: key), JWT.unsigned(claims: Data(payload.utf8)),
            JWT.authenticated(claims: Data(payload.utf8), key: Array(repeating: 0, count: 32)),
        ] {
            await #expect(throws: ServiceError(.invalidIDToken)) { try await fixture.lookUp(Secret(forged)) }
        }
    }

    /// An account that can never enroll a second factor gets no session.
    @Test func phoneOnlyAccountIsRefused() async throws {
        let fixture = try await Self.mandatory()
        await #expect(throws: ServiceError(.firstFactorNotEligible)) { try await fixture.session() }
        #expect(try await fixture.store.account(phoneNumber: IdentityFixture.phone, in: IdentityFixture.realm) == nil)
    }
}

extension TokenSet {
    fileprivate init(idToken: Secret<String>) {
        self.init(idToken: idToken, refreshToken: Secret(""), expiresInSeconds: 0)
    }
}

extension Encodable {
    fileprivate func discard() {}
}
