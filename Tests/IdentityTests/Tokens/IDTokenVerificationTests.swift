import Contracts
import Crypto
import Foundation
import JOSE
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

@Suite struct IDTokenVerificationTests {
    @Test func idTokenWithAChangedByteIsRefused() async throws {
        let fixture = try await IdentityFixture()
        let token = Array(try await fixture.signUp().tokens.idToken.reveal().utf8)
        for place in stride(from: 0, to: token.count, by: 3) {
            var forged = token
            forged[place] = forged[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            await #expect(throws: ServiceError(.invalidIDToken), "byte \(place)") {
                try await fixture.lookUp(Secret(String(decoding: forged, as: UTF8.self)))
            }
        }
    }

    @Test(arguments: ["", "a.b.c", "e30.e30.", "e30.e30.e30", "not-a-token", String(repeating: "a.", count: 9000)])
    func malformedTokenIsRefused(text: String) async throws {
        let fixture = try await IdentityFixture()
        await #expect(throws: text.isEmpty ? ServiceError(.missingIDToken) : ServiceError(.invalidIDToken)) {
            try await fixture.lookUp(Secret(text))
        }
    }

    @Test func unsignedTokenIsRefusedUnlessTheModePermitsIt() async throws {
        let signing = try await IdentityFixture()
        let unsigned = try await IdentityFixture(isUnsigned: true)
        let token = try await unsigned.signUp().tokens.idToken
        #expect(try await unsigned.lookUp(token).email?.rawValue == "ada@example.com")
        await #expect(throws: ServiceError(.invalidIDToken)) { try await signing.lookUp(token) }
    }

    /// Clients can write any value into unsigned tokens.
    @Test(arguments: ["iat", "exp", "auth_time"], [Int64.min, -1, 253_402_300_800, .max])
    func tokenWithAnInvalidTimeIsRefused(claim: String, seconds: Int64) async throws {
        let fixture = try await IdentityFixture(isUnsigned: true)
        var claims = try IDTokenClaims.read(try await fixture.signUp().tokens.idToken)
        func token() throws -> Secret<String> {
            Secret(JWT.unsigned(claims: try WireJSON.encode(claims)))
        }
        _ = try await fixture.lookUp(try token())
        claims[claim] = .integer(seconds)
        let forged = try token()
        await #expect(throws: ServiceError(.invalidIDToken)) { try await fixture.lookUp(forged) }
        await #expect(throws: ServiceError(.invalidIDToken)) {
            try await fixture.send(Identity.DeleteOwnAccount(realm: IdentityFixture.realm, idToken: forged))
        }
    }

    @Test func idTokenExpiresFiveMinutesAfterItsHour() async throws {
        let fixture = try await IdentityFixture()
        let token = try await fixture.signUp().tokens.idToken
        fixture.clock.advance(by: .seconds(3600 + 300))
        _ = try await fixture.lookUp(token)
        fixture.clock.advance(by: .seconds(1))
        await #expect(throws: ServiceError(.invalidIDToken)) { try await fixture.lookUp(token) }
    }

    @Test func tokensOfAnotherProjectOrTenantAreRefused() async throws {
        let fixture = try await IdentityFixture()
        let token = try await fixture.signUp().tokens.idToken
        await #expect(throws: ServiceError(.invalidIDToken)) {
            try await fixture.send(Identity.VerifyIDToken(realm: Realm(project: ProjectID("other")), idToken: token))
        }
        await #expect(throws: ServiceError(.tenantMismatch)) {
            try await fixture.send(
                Identity.VerifyIDToken(
                    realm: Realm(project: IdentityFixture.realm.project, tenant: TenantID("t")), idToken: token))
        }
    }

    /// Before a user leaves for a provider that is to be linked.
    @Test func recentSignInIsDemanded() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        func verify(_ tokens: TokenSet) async throws {
            _ = try await fixture.send(
                Identity.VerifyIDToken(
                    realm: IdentityFixture.realm, idToken: tokens.idToken, demandsRecentSignIn: true))
        }
        try await verify(ada.tokens)
        let enrolled = try await fixture.enrollTOTP(ada.tokens)
        await #expect(throws: ServiceError(.secondFactorRequired)) { try await verify(ada.tokens) }
        try await verify(enrolled.tokens)
        fixture.clock.advance(by: .seconds(Principal.recentSignInSeconds + 1))
        await #expect(throws: ServiceError(.recentSignInRequired)) { try await verify(enrolled.tokens) }
    }

    @Test func principalNamesTheProviderAndTheTimeOfTheSignIn() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        let principal = try await fixture.send(
            Identity.VerifyIDToken(realm: IdentityFixture.realm, idToken: made.tokens.idToken)
        ).principal
        #expect(principal.accountID == made.account.id && principal.signInProvider == "password")
        #expect(principal.authenticatedAt == fixture.clock.now.timestamp && principal.secondFactorID == nil)
    }
}

extension IDTokenClaims {
    static func read(_ token: Secret<String>) throws -> [String: JSONValue] {
        let payload = try #require(Base64URL.decode(token.reveal().split(separator: ".")[1]))
        return try WireJSON.decode([String: JSONValue].self, from: Data(payload))
    }
}
