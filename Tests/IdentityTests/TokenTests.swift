import Blocking
import Bus
import Contracts
import Crypto
import Foundation
import JOSE
import JSON
import MasterKey
import SQL
import SQLite
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

@Suite struct TokenTests {
    @Test func aTokenOfAnyOtherByteIsRefused() async throws {
        let fixture = try await IdentityFixture()
        let token = Array(try await fixture.signUp().tokens.idToken.reveal().utf8)
        for place in stride(from: 0, to: token.count, by: 3) {
            var forged = token
            forged[place] = forged[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            await #expect(throws: IdentityError.invalidIDToken, "byte \(place)") {
                try await fixture.lookUp(Secret(String(decoding: forged, as: UTF8.self)))
            }
        }
    }

    @Test(arguments: ["", "a.b.c", "e30.e30.", "e30.e30.e30", "not-a-token", String(repeating: "a.", count: 9000)])
    func whatIsNoTokenIsRefused(text: String) async throws {
        let fixture = try await IdentityFixture()
        await #expect(throws: text.isEmpty ? IdentityError.missingIDToken : .invalidIDToken) {
            try await fixture.lookUp(Secret(text))
        }
    }

    @Test func anUnsignedTokenIsRefusedUnlessTheModeAsksForIt() async throws {
        let signing = try await IdentityFixture()
        let unsigned = try await IdentityFixture(isUnsigned: true)
        let token = try await unsigned.signUp().tokens.idToken
        #expect(try await unsigned.lookUp(token).email?.rawValue == "ada@example.com")
        await #expect(throws: IdentityError.invalidIDToken) { try await signing.lookUp(token) }
    }

    /// Clients of unsigned tokens write what they like into them.
    @Test(arguments: ["iat", "exp", "auth_time"], [Int64.min, -1, 253_402_300_800, .max])
    func aTokenWithATimeThatIsNoneIsRefused(claim: String, seconds: Int64) async throws {
        let fixture = try await IdentityFixture(isUnsigned: true)
        var claims = try IDTokenClaims.read(try await fixture.signUp().tokens.idToken)
        func token() throws -> Secret<String> {
            Secret(JWT.unsigned(claims: try WireJSON.encode(claims)))
        }
        _ = try await fixture.lookUp(try token())
        claims[claim] = .integer(seconds)
        let forged = try token()
        await #expect(throws: IdentityError.invalidIDToken) { try await fixture.lookUp(forged) }
        await #expect(throws: IdentityError.invalidIDToken) {
            try await fixture.ask(Identity.DeleteOwnAccount(realm: IdentityFixture.realm, idToken: forged))
        }
    }

    @Test func aRefreshTokenOfTheLastGenerationIsRefused() async throws {
        let fixture = try await IdentityFixture()
        let token = try await fixture.signUp().tokens.refreshToken
        var bytes = try #require(Base64URL.decode(token.reveal()))
        bytes.replaceSubrange(17..<21, with: [0xff, 0xff, 0xff, 0xff])
        let forged = Secret(Base64URL.encode(bytes))
        await #expect(throws: IdentityError.invalidRefreshToken) { try await fixture.refresh(forged) }
        _ = try await fixture.refresh(token)
    }

    @Test func aTokenEndsFiveMinutesAfterItsHour() async throws {
        let fixture = try await IdentityFixture()
        let token = try await fixture.signUp().tokens.idToken
        fixture.clock.advance(by: .seconds(3600 + 300))
        _ = try await fixture.lookUp(token)
        fixture.clock.advance(by: .seconds(1))
        await #expect(throws: IdentityError.invalidIDToken) { try await fixture.lookUp(token) }
    }

    @Test func tokensOfAnotherProjectOrTenantAreRefused() async throws {
        let fixture = try await IdentityFixture()
        let token = try await fixture.signUp().tokens.idToken
        await #expect(throws: IdentityError.invalidIDToken) {
            try await fixture.ask(Identity.VerifyIDToken(realm: Realm(project: ProjectID("other")), idToken: token))
        }
        await #expect(throws: IdentityError.tenantMismatch) {
            try await fixture.ask(
                Identity.VerifyIDToken(
                    realm: Realm(project: IdentityFixture.realm.project, tenant: TenantID("t")), idToken: token))
        }
    }

    @Test func aPrincipalSaysHowItSignedIn() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        let principal = try await fixture.ask(
            Identity.VerifyIDToken(realm: IdentityFixture.realm, idToken: made.tokens.idToken)
        ).principal
        #expect(principal.accountID == made.account.id && principal.signInProvider == "password")
        #expect(principal.authenticatedAt == fixture.clock.now.timestamp && principal.secondFactorID == nil)
    }

    @Test func refreshKeepsTheMomentOfSignInAndReadsTheAccountAnew() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        let before = try IDTokenClaims.read(made.tokens.idToken)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await fixture.change(made.account.id, .init(displayName: "Countess"))
        let after = try IDTokenClaims.read(try await fixture.refresh(made.tokens.refreshToken).idToken)
        #expect(after["auth_time"] == before["auth_time"])
        #expect(after["name"] == .string("Countess"))
    }

    @Test func fiftyParallelRefreshesGiveOneSuccessor() async throws {
        let fixture = try await IdentityFixture()
        let token = try await fixture.signUp().tokens.refreshToken
        let successors = try await withThrowingTaskGroup { group in
            for _ in 0..<50 { group.addTask { try await fixture.refresh(token).refreshToken.reveal() } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(successors.count == 1)
    }

    @Test func aSpentRefreshTokenEndsItsSessionForGood() async throws {
        let fixture = try await IdentityFixture()
        let first = try await fixture.signUp().tokens.refreshToken
        let second = try await fixture.refresh(first).refreshToken
        let third = try await fixture.refresh(second).refreshToken
        await #expect(throws: IdentityError.sessionExpired) { try await fixture.refresh(first) }
        await #expect(throws: IdentityError.sessionExpired) { try await fixture.refresh(third) }
        #expect(try await fixture.auditActions().contains("refresh-token.replayed"))
    }

    @Test func revocationDisablingAndDeletionEachEndARefresh() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        _ = try await fixture.change(made.account.id, .init(disabled: true))
        await #expect(throws: IdentityError.accountDisabled) { try await fixture.refresh(made.tokens.refreshToken) }
        _ = try await fixture.change(made.account.id, .init(disabled: false))
        let next = try await fixture.refresh(made.tokens.refreshToken).refreshToken
        _ = try await fixture.change(made.account.id, .init(validSince: fixture.clock.now.timestamp + 5))
        await #expect(throws: IdentityError.sessionExpired) { try await fixture.refresh(next) }
        _ = try await fixture.ask(Identity.DeleteAccount(realm: IdentityFixture.realm, accountID: made.account.id))
        await #expect(throws: IdentityError.accountNotFound) { try await fixture.refresh(next) }
        #expect(fixture.published.all.contains(.sessionsRevoked(IdentityFixture.realm, made.account.id)))
    }

    @Test func aDeletionNeedsARecentSignIn() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        let deletion = Identity.DeleteOwnAccount(realm: IdentityFixture.realm, idToken: made.tokens.idToken)
        fixture.clock.advance(by: .seconds(301))
        await #expect(throws: IdentityError.recentSignInRequired) { try await fixture.ask(deletion) }
    }

    @Test func rotationKeepsOldTokensGoodAndPublishesAhead() async throws {
        let fixture = try await IdentityFixture()
        func keyIDs() async throws -> [SigningKeyID] {
            try await fixture.ask(Identity.ListSigningKeys(purpose: .idToken)).keys.map(\.id)
        }
        let made = try await fixture.signUp()
        let first = try await keyIDs()
        fixture.clock.advance(by: .seconds(29 * 86_400 + 3600))
        try await fixture.service.runMaintenance(sweepAt: fixture.clock.now)
        let both = try await keyIDs()
        #expect(both.count == 2 && both.first == first.first)
        var token = try await fixture.refresh(made.tokens.refreshToken)
        #expect(try JWTHeaderText.keyID(token.idToken) == first.first)
        fixture.clock.advance(by: .seconds(86_400))
        _ = try await fixture.lookUpAfterRotation(token.idToken)
        token = try await fixture.refresh(token.refreshToken)
        #expect(try JWTHeaderText.keyID(token.idToken) == both.last)
        fixture.clock.advance(by: .seconds(2 * 86_400))
        try await fixture.service.runMaintenance(sweepAt: fixture.clock.now)
        #expect(try await keyIDs() == [both[1]])
    }
}

extension IdentityFixture {
    /// Too old to be taken, but its key is still known.
    func lookUpAfterRotation(_ token: Secret<String>) async throws {
        await #expect(throws: IdentityError.invalidIDToken) { try await lookUp(token) }
        _ = try service.dependencies.tokens.verify(token.reveal())
    }
}

extension IDTokenClaims {
    static func read(_ token: Secret<String>) throws -> [String: JSONValue] {
        let payload = try #require(Base64URL.decode(token.reveal().split(separator: ".")[1]))
        return try WireJSON.decode([String: JSONValue].self, from: Data(payload))
    }
}

enum JWTHeaderText {
    static func keyID(_ token: Secret<String>) throws -> SigningKeyID {
        let header = try #require(Base64URL.decode(token.reveal().split(separator: ".")[0]))
        guard case .string(let id) = try WireJSON.decode([String: JSONValue].self, from: Data(header))["kid"] else {
            throw IdentityError.invalidIDToken
        }
        return SigningKeyID(id)
    }
}
