import Contracts
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// Serialized: each test uses several connections of the server.
@Suite(.serialized) struct SigningKeyRevocationTests {
    private func keyIDs(_ fixture: IdentityFixture) async throws -> [SigningKeyID] {
        try await fixture.send(Identity.ListSigningKeys(purpose: .idToken)).keys.map(\.id)
    }

    /// Security rule TK2.
    @Test(arguments: StoreEngine.allCases)
    func revokedKeySignsAndVerifiesNothing(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let session = try await fixture.signUp()
        let revoked = try #require(try await keyIDs(fixture).first)
        _ = try await fixture.lookUp(session.tokens.idToken)
        let reply = try await fixture.send(Identity.RevokeSigningKey(keyID: revoked))
        #expect(reply.purpose == .idToken)
        let active = try #require(reply.activeKeyID)
        #expect(try await keyIDs(fixture) == [active] && active != revoked)
        // Its signature was verified before, and the result cached.
        await #expect(throws: ServiceError(.invalidIDToken)) { try await fixture.lookUp(session.tokens.idToken) }
        // The session continues with tokens of the other key.
        let refreshed = try await fixture.refresh(session.tokens.refreshToken)
        #expect(try JWTHeaderText.keyID(refreshed.idToken) == active)
        _ = try await fixture.lookUp(refreshed.idToken)
        #expect(fixture.published.all.contains(.signingKeysChanged))
        let records = try await fixture.send(Identity.ListAuditRecords(limit: 500)).records
        #expect(records.map(\.action).prefix(2) == ["signing-key.created", "signing-key.revoked"])
    }

    /// Clients have the next key in their caches, so it replaces the revoked one.
    @Test func nextKeyBecomesActiveAtOnce() async throws {
        let fixture = try await IdentityFixture()
        fixture.clock.advance(by: .seconds(29 * 86_400 + 3600))
        try await fixture.service.runMaintenance(sweepAt: fixture.clock.now)
        let both = try await keyIDs(fixture)
        try #require(both.count == 2)
        let reply = try await fixture.send(Identity.RevokeSigningKey(keyID: both[0]))
        #expect(reply.activeKeyID == both[1])
        #expect(try await keyIDs(fixture) == [both[1]])
        try await fixture.service.runMaintenance(sweepAt: fixture.clock.now)
        #expect(fixture.log.count(of: "signing-key.used-early") == 0)
    }

    @Test func keyThatDoesNotSignYetIsRevoked() async throws {
        let fixture = try await IdentityFixture()
        fixture.clock.advance(by: .seconds(29 * 86_400 + 3600))
        try await fixture.service.runMaintenance(sweepAt: fixture.clock.now)
        let both = try await keyIDs(fixture)
        try #require(both.count == 2)
        let reply = try await fixture.send(Identity.RevokeSigningKey(keyID: both[1]))
        #expect(reply.activeKeyID == both[0])
        // The next key is due, and another one is created for it.
        let after = try await keyIDs(fixture)
        #expect(after.count == 2 && after[0] == both[0] && after[1] != both[1])
    }

    @Test func unknownKeyChangesNothing() async throws {
        let fixture = try await IdentityFixture()
        let before = try await keyIDs(fixture)
        #expect(try await fixture.send(Identity.RevokeSigningKey(keyID: SigningKeyID("none"))) == .init())
        #expect(try await keyIDs(fixture) == before)
        #expect(!fixture.published.all.contains(.signingKeysChanged))
    }
}
