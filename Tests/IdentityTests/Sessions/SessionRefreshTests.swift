import Contracts
import Crypto
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

@Suite struct SessionRefreshTests {
    @Test func refreshKeepsTheTimeOfTheSignInAndReadsTheAccountAgain() async throws {
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

    @Test func replayedRefreshTokenEndsItsSession() async throws {
        let fixture = try await IdentityFixture()
        let first = try await fixture.signUp().tokens.refreshToken
        let second = try await fixture.refresh(first).refreshToken
        let third = try await fixture.refresh(second).refreshToken
        await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.refresh(first) }
        await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.refresh(third) }
        #expect(try await fixture.auditActions().contains("refresh-token.replayed"))
    }

    @Test func refreshTokenOfTheLastGenerationIsRefused() async throws {
        let fixture = try await IdentityFixture()
        let token = try await fixture.signUp().tokens.refreshToken
        var bytes = try #require(Base64URL.decode(token.reveal()))
        bytes.replaceSubrange(17..<21, with: [0xff, 0xff, 0xff, 0xff])
        let forged = Secret(Base64URL.encode(bytes))
        await #expect(throws: ServiceError(.invalidRefreshToken)) { try await fixture.refresh(forged) }
        _ = try await fixture.refresh(token)
    }

    @Test func revocationDisablingAndDeletionEachRefuseARefresh() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        _ = try await fixture.change(made.account.id, .init(disabled: true))
        await #expect(throws: ServiceError(.accountDisabled)) { try await fixture.refresh(made.tokens.refreshToken) }
        _ = try await fixture.change(made.account.id, .init(disabled: false))
        let next = try await fixture.refresh(made.tokens.refreshToken).refreshToken
        _ = try await fixture.change(made.account.id, .init(validSince: fixture.clock.now.timestamp + 5))
        await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.refresh(next) }
        _ = try await fixture.send(Identity.DeleteAccount(realm: IdentityFixture.realm, accountID: made.account.id))
        await #expect(throws: ServiceError(.accountNotFound)) { try await fixture.refresh(next) }
        #expect(fixture.published.all.contains(.sessionsRevoked(IdentityFixture.realm, made.account.id)))
    }
}
