import Contracts
import JSON
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// The sessions of an account as its owner sees and ends them.
@Suite(.serialized) struct OwnSessionsTests {
    private static let realm = IdentityFixture.realm
    private static let laptop = ClientContext(
        ipAddress: "192.0.2.7", userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0")
    private static let phone = ClientContext(
        ipAddress: "2001:db8:1:2::3", userAgent: "FirebaseAuth.iOS/11.1.0 org.example.app/1.0 iPhone/17.6")

    private static func signIn(_ fixture: IdentityFixture, _ client: ClientContext) async throws -> TokenSet {
        let reply = try await fixture.send(
            Identity.SignInWithPassword(
                realm: realm, email: "ada@example.com", password: Secret("correct-horse-9"), client: client))
        return try #require(reply.tokens)
    }

    private static func sessions(
        _ fixture: IdentityFixture, _ tokens: TokenSet
    ) async throws -> [Identity.OwnSession] {
        try await fixture.send(Identity.ListOwnSessions(realm: realm, idToken: tokens.idToken)).sessions
    }

    private static func end(
        _ fixture: IdentityFixture, _ selection: Identity.EndOwnSessions.Selection, _ tokens: TokenSet,
        idempotencyKey: String? = nil
    ) async throws {
        _ = try await fixture.send(
            Identity.EndOwnSessions(
                realm: realm, idToken: tokens.idToken, selection: selection, client: .init(ipAddress: "192.0.2.7")),
            idempotencyKey: idempotencyKey)
    }

    private static func isActive(_ fixture: IdentityFixture, _ tokens: TokenSet) async -> Bool {
        do {
            _ = try await fixture.refresh(tokens.refreshToken)
            return true
        } catch {
            return false
        }
    }

    // MARK: The list

    @Test(arguments: StoreEngine.allCases)
    func sessionsOfTheSameSecondAreTold(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        _ = try await fixture.signUp()
        let first = try await Self.signIn(fixture, Self.laptop)
        let second = try await Self.signIn(fixture, Self.phone)
        let listed = try await Self.sessions(fixture, first)
        #expect(listed.count == 3 && Set(listed.map(\.id)).count == 3)
        let own = try #require(listed.first { $0.isCurrent })
        #expect(listed.map(\.isCurrent).filter { $0 }.count == 1)
        #expect((own.device, own.network) == ("Firefox (Linux)", "192.0.2.0/24"))
        #expect((own.signInProvider, own.secondFactor) == ("password", nil))
        let other = try #require(try await Self.sessions(fixture, second).first { $0.isCurrent })
        #expect((other.device, other.network) == ("iPhone", "2001:db8:1::/48"))
        #expect(other.id != own.id)
    }

    @Test(arguments: StoreEngine.allCases)
    func sessionKeepsItsIDAcrossRefreshAndChange(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        _ = try await fixture.signUp()
        let tokens = try await Self.signIn(fixture, Self.laptop)
        let id = try #require(try await Self.sessions(fixture, tokens).first { $0.isCurrent }).id
        let created = fixture.clock.now
        fixture.clock.advance(by: .seconds(60))
        let refreshed = try await fixture.refresh(tokens.refreshToken)
        let changed = try await fixture.changeOwn(refreshed, .init(displayName: "Ada")).tokens
        for tokens in [refreshed, changed] {
            let listed = try await Self.sessions(fixture, tokens)
            let own = try #require(listed.first { $0.isCurrent })
            #expect(listed.count == 2 && own.id == id)
            #expect(own.createdAt == Moment(created.timestamp) && own.lastUsedAt == fixture.clock.now)
        }
        // Both families of the sign-in end with it.
        try await Self.end(fixture, .listed([id]), changed)
        #expect(await !Self.isActive(fixture, refreshed))
        #expect(await !Self.isActive(fixture, changed))
    }

    @Test func sessionOfAnotherRealmOrAccountIsNotListed() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        _ = try await fixture.signUp("bob@example.com")
        #expect(try await Self.sessions(fixture, ada.tokens).count == 1)
    }

    @Test func longListIsCut() async throws {
        let fixture = try await IdentityFixture()
        let tokens = try await fixture.signUp().tokens
        let session = try #require(RefreshToken(tokens.refreshToken.reveal())?.sessionID)
        try await fixture.store.write { transaction in
            let stored = try #require(try transaction.session(session))
            for number in 0..<Identity.ListOwnSessions.maximumCount {
                var copy = stored
                copy.id = SessionID(bytes: Array(repeating: UInt8(number), count: SessionID.byteCount))
                copy.lastUsedAt = stored.lastUsedAt + .seconds(1)
                try transaction.insert(copy)
            }
        }
        let reply = try await fixture.send(Identity.ListOwnSessions(realm: Self.realm, idToken: tokens.idToken))
        #expect(reply.sessions.count == Identity.ListOwnSessions.maximumCount && reply.hasMore)
        #expect(!reply.sessions.map(\.isCurrent).contains(true))
    }

    // MARK: The end

    @Test(arguments: StoreEngine.allCases) func othersEndAndTheOwnSessionContinues(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let first = try await fixture.signUp().tokens
        let own = try await Self.signIn(fixture, Self.laptop)
        let other = try await Self.signIn(fixture, Self.phone)
        let published = fixture.published.all.count
        try await Self.end(fixture, .others, own, idempotencyKey: "a")
        try await Self.end(fixture, .others, own, idempotencyKey: "a")
        // The first process may have ended before it said so.
        #expect(fixture.published.all.count == published + 2)
        #expect(await !Self.isActive(fixture, first))
        #expect(await !Self.isActive(fixture, other))
        #expect(await Self.isActive(fixture, own))
        #expect(try await Self.sessions(fixture, own).map(\.isCurrent) == [true])
        let records = try await fixture.send(
            Identity.ListAuditRecords(project: Self.realm.project, limit: 10)
        ).records.filter { $0.action == "session.ended" }
        #expect(records.count == 1)
        #expect(records.first?.actor == "account:\(records.first?.accountID ?? "")")
        #expect(records.first?.ipAddress == "192.0.2.7")
    }

    @Test func endedSessionForgetsItsClient() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        let own = try await Self.signIn(fixture, Self.laptop)
        _ = try await Self.signIn(fixture, Self.phone)
        try await Self.end(fixture, .others, own)
        let rows = try await fixture.store.read { transaction in
            try transaction.rows("SELECT device, client_address FROM sessions WHERE ended_at IS NOT NULL")
        }
        #expect(rows.count == 2)
        for row in rows {
            let texts: [String?] = [try row.getIfPresent("device"), try row.getIfPresent("client_address")]
            #expect(texts == [nil, nil])
        }
    }

    @Test(arguments: StoreEngine.allCases) func allEndsEveryTokenOfTheAccount(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let first = try await fixture.signUp().tokens
        let own = try await Self.signIn(fixture, Self.laptop)
        fixture.clock.advance(by: .seconds(1))
        try await Self.end(fixture, .all, own)
        for tokens in [first, own] {
            #expect(await !Self.isActive(fixture, tokens))
            await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.lookUp(tokens.idToken) }
        }
        fixture.clock.advance(by: .seconds(1))
        let again = try await Self.signIn(fixture, Self.laptop)
        #expect(await Self.isActive(fixture, again))
    }

    /// A client whose session was ended keeps its ID token for an hour.
    @Test func endedSessionEndsNoOther() async throws {
        let fixture = try await IdentityFixture()
        let own = try await fixture.signUp().tokens
        let ended = try await Self.signIn(fixture, Self.phone)
        try await Self.end(fixture, .others, own)
        await #expect(throws: ServiceError(.sessionExpired)) { try await Self.end(fixture, .others, ended) }
        await #expect(throws: ServiceError(.sessionExpired)) { try await Self.end(fixture, .all, ended) }
        await #expect(throws: ServiceError(.sessionExpired)) { try await Self.sessions(fixture, ended) }
        #expect(await Self.isActive(fixture, own))
    }

    /// An unknown ID, malformed text and the session of another account are the same: nothing to end.
    @Test func sessionOfAnotherAccountIsNotEnded() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp().tokens
        let bob = try await fixture.signUp("bob@example.com").tokens
        let id = try #require(try await Self.sessions(fixture, ada).first).id
        let unknown = ["AAAAAAAAAAAAAAAAAAAAAA", "no session", ""]
        await #expect(throws: ServiceError(.sessionNotFound)) {
            try await Self.end(fixture, .listed([id] + unknown), bob)
        }
        #expect(await Self.isActive(fixture, ada))
        #expect(await Self.isActive(fixture, bob))
        // Beside one that ends, they are ignored. It cannot end twice.
        let phone = try await Self.signIn(fixture, Self.phone)
        let own = try #require(try await Self.sessions(fixture, phone).first { $0.isCurrent }).id
        try await Self.end(fixture, .listed(unknown + [own]), ada)
        #expect(await !Self.isActive(fixture, phone))
        await #expect(throws: ServiceError(.sessionNotFound)) { try await Self.end(fixture, .listed([own]), ada) }
        // Nor is it an act to end all others where there is none.
        try await Self.end(fixture, .others, ada)
        #expect(try await fixture.auditActions().count { $0 == "session.ended" } == 1)
    }

    @Test func numberOfSessionsIsBounded() async throws {
        let fixture = try await IdentityFixture()
        let tokens = try await fixture.signUp().tokens
        let limit = Identity.EndOwnSessions.maximumCount
        for count in [0, limit + 1] {
            await #expect(throws: (any Error).self) {
                try await Self.end(fixture, .listed(Array(repeating: "a", count: count)), tokens)
            }
        }
        await #expect(throws: ServiceError(.sessionNotFound)) {
            try await Self.end(fixture, .listed(Array(repeating: "a", count: limit)), tokens)
        }
    }

    @Test func disabledAccountAndForeignTokenAreRefused() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        for token in [Secret("a.b.c"), nil] {
            let error = ServiceError(token == nil ? .missingIDToken : .invalidIDToken)
            await #expect(throws: error) {
                try await fixture.send(Identity.ListOwnSessions(realm: Self.realm, idToken: token))
            }
            await #expect(throws: error) {
                try await fixture.send(
                    Identity.EndOwnSessions(realm: Self.realm, idToken: token, selection: .all))
            }
        }
        _ = try await fixture.change(made.account.id, .init(disabled: true))
        await #expect(throws: ServiceError(.accountDisabled)) { try await Self.sessions(fixture, made.tokens) }
        await #expect(throws: ServiceError(.accountDisabled)) { try await Self.end(fixture, .others, made.tokens) }
    }

    // MARK: The token

    @Test func tokenNamesItsSession() async throws {
        let fixture = try await IdentityFixture()
        let tokens = try await fixture.signUp().tokens
        let id = try #require(try await Self.sessions(fixture, tokens).first).id
        let claims = try IDTokenIssuer.payload(of: tokens.idToken.reveal())
        #expect(claims["firebase"]?["session_id"] == .string(id))
    }

    /// A session of a former version has no sign-in ID, and its tokens have no session ID.
    @Test func tokenOfAFormerVersionListsButEndsNothing() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        let former = try await fixture.service.context.idTokens.issue(
            for: made.account,
            authentication: AuthenticationContext(
                authenticatedAt: fixture.clock.now.timestamp, signInProvider: "password"),
            issuedAt: fixture.clock.now.timestamp)
        let tokens = TokenSet(
            idToken: Secret(former), refreshToken: made.tokens.refreshToken, expiresInSeconds: 3600)
        #expect(try await Self.sessions(fixture, tokens).map(\.isCurrent) == [false])
        await #expect(throws: ServiceError(.recentSignInRequired)) { try await Self.end(fixture, .others, tokens) }
    }
}
