import Blocking
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

    /// A user whose token one process has signed comes to another one, which loads keys once a second.
    @Test(arguments: StoreEngine.allCases)
    func newKeyOfAnotherProcessIsAcceptedAtOnce(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let session = try await fixture.signUp()
        let other = try await anotherProcess(fixture)
        let revoked = try #require(try await keyIDs(fixture).first)
        _ = try await fixture.send(Identity.RevokeSigningKey(keyID: revoked))
        let refreshed = try await fixture.refresh(session.tokens.refreshToken)
        #expect(try await other.verify(refreshed.idToken.reveal()).accountID == session.account.id)
        await #expect(throws: ServiceError(.invalidIDToken)) {
            try await other.verify(session.tokens.idToken.reveal())
        }
    }

    /// Anybody can present such tokens.
    @Test func unknownKeysAreReadOnceForAllThatWait() async throws {
        let statements = CountingDatabase.Statements()
        let fixture = try await IdentityFixture(counting: statements)
        let session = try await fixture.signUp()
        let other = try await anotherProcess(fixture)
        let foreign = "e30." + session.tokens.idToken.reveal().split(separator: ".").dropFirst().joined(separator: ".")
        _ = statements.take()
        _ = try await other.verify(session.tokens.idToken.reveal())
        #expect(statements.take() == [])
        await withTaskGroup { group in
            for _ in 0..<200 {
                group.addTask {
                    await #expect(throws: ServiceError(.invalidIDToken)) { try await other.verify(foreign) }
                }
            }
        }
        let reads = statements.take().count
        #expect(reads > 0 && reads < 100)
    }

    private func anotherProcess(_ fixture: IdentityFixture) async throws -> IDTokenIssuer {
        let clock = fixture.clock
        let keys = SigningKeyRing(store: fixture.store, now: { clock.now })
        try await keys.load(.idToken)
        return IDTokenIssuer(
            keys: keys, pool: BlockingPool(label: "signatures", threads: 1, maximumWaiting: 100), isUnsigned: false)
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
