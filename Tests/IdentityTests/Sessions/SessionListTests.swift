import Contracts
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// The sessions of an account as the operator sees them.
@Suite struct SessionListTests {
    private static let realm = IdentityFixture.realm

    private func sessions(_ fixture: IdentityFixture, _ id: AccountID) async throws -> [Identity.AccountSession] {
        try await fixture.send(Identity.ListSessions(realm: Self.realm, accountID: id, limit: 10)).sessions
    }

    @Test(arguments: StoreEngine.allCases)
    func sessionsAreListedLatestUsedFirst(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let account = try await fixture.signUp().account.id
        fixture.clock.advance(by: .seconds(10))
        _ = try await fixture.send(
            Identity.SignInWithPassword(
                realm: Self.realm, email: "ada@example.com", password: Secret("correct-horse-9"),
                client: ClientContext(ipAddress: "192.0.2.7")))
        let listed = try await sessions(fixture, account)
        #expect(listed.map(\.clientAddress) == ["192.0.2.7", nil])
        #expect(listed.map(\.signInProvider) == ["password", "password"])
        #expect(listed.first?.createdAt == fixture.clock.now)
    }

    @Test func listEndsAtLimit() async throws {
        let fixture = try await IdentityFixture()
        let account = try await fixture.signUp().account.id
        _ = try await fixture.signIn()
        let request = Identity.ListSessions(realm: Self.realm, accountID: account, limit: 1)
        let page = try await fixture.send(request)
        #expect(page.sessions.count == 1 && page.hasMore)
        for limit in [0, Identity.ListSessions.maximumCount + 1] {
            await #expect(throws: (any Error).self) {
                try await fixture.send(Identity.ListSessions(realm: Self.realm, accountID: account, limit: limit))
            }
        }
    }

    @Test func unknownAccountIsRefused() async throws {
        let fixture = try await IdentityFixture()
        await #expect(throws: ServiceError(.accountNotFound)) { try await sessions(fixture, AccountID("nobody")) }
    }

    @Test func endedSessionCannotBeRefreshed() async throws {
        let fixture = try await IdentityFixture()
        let first = try await fixture.signUp()
        fixture.clock.advance(by: .seconds(1))
        let second = try await fixture.signIn()
        let id = try #require(try await sessions(fixture, first.account.id).last).id
        let request = Identity.EndSession(
            realm: Self.realm, accountID: first.account.id, sessionID: id, client: .init(operatorName: "ada"))
        _ = try await fixture.send(request)
        #expect(try await sessions(fixture, first.account.id).count == 1)
        await #expect(throws: ServiceError(.sessionExpired)) {
            try await fixture.refresh(first.tokens.refreshToken)
        }
        _ = try await fixture.refresh(second.tokens.refreshToken)
        await #expect(throws: ServiceError(.sessionNotFound)) { try await fixture.send(request) }
        let record = try #require(
            try await fixture.send(Identity.ListAuditRecords(project: Self.realm.project, limit: 1)).records.first)
        #expect(
            (record.action, record.actor, record.accountID) == (
                "session.ended", "operator:ada", first.account.id.rawValue
            ))
    }

    /// The session of another account, an unknown one and malformed text have the same error.
    @Test(arguments: ["", "AAAAAAAAAAAAAAAAAAAAAA", "no session", String(repeating: "A", count: 5000)])
    func unknownSessionIsRefused(id: String) async throws {
        let fixture = try await IdentityFixture()
        let account = try await fixture.signUp().account.id
        let request = Identity.EndSession(realm: Self.realm, accountID: account, sessionID: id)
        await #expect(throws: ServiceError(.sessionNotFound)) { try await fixture.send(request) }
    }

    @Test func sessionOfAnotherAccountIsNotEnded() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp().account.id
        let bob = try await fixture.signUp("bob@example.com").account.id
        let id = try #require(try await sessions(fixture, ada).first).id
        let request = Identity.EndSession(realm: Self.realm, accountID: bob, sessionID: id)
        await #expect(throws: ServiceError(.sessionNotFound)) { try await fixture.send(request) }
        #expect(try await sessions(fixture, ada).count == 1)
    }

    @Test func sessionFromBeforeRevocationIsNotListed() async throws {
        let fixture = try await IdentityFixture()
        let account = try await fixture.signUp().account.id
        fixture.clock.advance(by: .seconds(10))
        _ = try await fixture.change(account, .init(validSince: fixture.clock.now.timestamp))
        #expect(try await sessions(fixture, account).isEmpty)
    }

    @Test func idleSessionIsNotListed() async throws {
        let fixture = try await IdentityFixture()
        let account = try await fixture.signUp().account.id
        fixture.clock.advance(by: Session.idleLifetime)
        #expect(try await sessions(fixture, account).isEmpty)
    }
}
