import Contracts
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// The mail about a sign-in with a new device from a new network.
@Suite(.serialized) struct SignInNoticeTests {
    private static let realm = IdentityFixture.realm
    private static let password = "correct-horse-9"
    private static let home = ClientContext(
        ipAddress: "192.0.2.7", userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0")
    private static let stranger = ClientContext(
        ipAddress: "198.51.100.9", userAgent: "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/128.0.0.0",
        locale: "de")

    private static func client(_ number: Int) -> ClientContext {
        ClientContext(ipAddress: "203.0.113.\(number)", userAgent: "agent/\(number)")
    }

    private static func signUp(
        _ fixture: IdentityFixture, _ client: ClientContext = home
    ) async throws -> Identity.SignUp.Reply {
        try await fixture.send(
            Identity.SignUp(realm: realm, email: "ada@example.com", password: Secret(password), client: client))
    }

    private static func firstFactor(
        _ fixture: IdentityFixture, _ client: ClientContext
    ) async throws -> Identity.SignInWithPassword.Reply {
        try await fixture.send(
            Identity.SignInWithPassword(
                realm: realm, email: "ada@example.com", password: Secret(password), client: client))
    }

    private static func signIn(_ fixture: IdentityFixture, _ client: ClientContext) async throws -> TokenSet {
        try #require(try await firstFactor(fixture, client).tokens)
    }

    private static func notices(_ fixture: IdentityFixture) async throws -> [Notifier.SendEmail] {
        try await fixture.mails().filter { $0.purpose == .newSignIn }
    }

    /// As after 90 days.
    private static func forgetClients(_ fixture: IdentityFixture) async throws {
        try await fixture.store.write { try $0.execute("DELETE FROM known_clients") }
    }

    // MARK: Which sign-ins

    /// The clients of the sign-ins after the sign-up at home, and the number of notices.
    private static let rows: [(name: String, clients: [ClientContext], count: Int)] = [
        ("same client", [home], 0),
        ("new network", [ClientContext(ipAddress: stranger.ipAddress, userAgent: home.userAgent)], 0),
        ("new device", [ClientContext(ipAddress: home.ipAddress, userAgent: stranger.userAgent)], 0),
        ("address of the same network", [ClientContext(ipAddress: "::ffff:192.0.2.7", userAgent: "other")], 0),
        ("both new", [stranger], 1),
        ("the same new client again", [stranger, stranger], 1),
        (
            "each of them again",
            [stranger, ClientContext(ipAddress: stranger.ipAddress, userAgent: "other"), client(1)], 2
        ),
        ("two new clients", [client(1), client(2)], 2),
        ("new network without a device", [ClientContext(ipAddress: "198.51.100.9")], 1),
        ("device without a network", [ClientContext(userAgent: "other")], 0),
        ("nothing known", [ClientContext()], 0),
    ]

    @Test(arguments: rows.indices) func noticeIsForNewClients(number: Int) async throws {
        let row = Self.rows[number]
        let fixture = try await IdentityFixture()
        _ = try await Self.signUp(fixture)
        for client in row.clients { _ = try await Self.signIn(fixture, client) }
        #expect(try await Self.notices(fixture).count == row.count, "\(row.name)")
    }

    @Test func deviceTokenMakesTheClientKnown() async throws {
        let fixture = try await IdentityFixture()
        let token = try #require(try await Self.signUp(fixture).tokens.deviceToken)
        var client = Self.stranger
        client.deviceTokens = [token]
        _ = try await Self.signIn(fixture, client)
        #expect(try await Self.notices(fixture).isEmpty)
        // One of another account does not.
        _ = try await fixture.signUp("bob@example.com")
        client.deviceTokens = [try #require(try await fixture.signIn("bob@example.com").tokens.deviceToken)]
        _ = try await Self.signIn(fixture, client)
        client.ipAddress = "203.0.113.1"
        client.userAgent = "other"
        _ = try await Self.signIn(fixture, client)
        #expect(try await Self.notices(fixture).count == 1)
    }

    @Test func firstSessionHasNoNotice() async throws {
        let fixture = try await IdentityFixture()
        let account = try await fixture.send(
            Identity.CreateAccount(
                realm: Self.realm, email: "ada@example.com", password: Secret(Self.password)))
        #expect(account.account.lastRefreshAt == nil)
        _ = try await Self.signIn(fixture, Self.stranger)
        #expect(try await Self.notices(fixture).isEmpty)
        _ = try await Self.signIn(fixture, Self.home)
        #expect(try await Self.notices(fixture).count == 1)
    }

    @Test func accountThatWasUnusedForLongHasNotice() async throws {
        let fixture = try await IdentityFixture()
        _ = try await Self.signUp(fixture)
        try await Self.forgetClients(fixture)
        _ = try await Self.signIn(fixture, Self.stranger)
        #expect(try await Self.notices(fixture).count == 1)
    }

    @Test func refreshAndChangeHaveNoNotice() async throws {
        let fixture = try await IdentityFixture()
        let tokens = try await fixture.refresh(try await Self.signUp(fixture).tokens.refreshToken)
        _ = try await fixture.send(
            Identity.UpdateOwnAccount(
                realm: Self.realm, idToken: tokens.idToken, changes: .init(displayName: "Ada"), client: Self.stranger))
        #expect(try await Self.notices(fixture).isEmpty)
    }

    @Test func projectCanTurnNoticesOff() async throws {
        let fixture = try await IdentityFixture()
        try await fixture.configure { configuration in
            var notification = configuration.notification ?? .init()
            notification.signInNotices = false
            configuration.notification = notification
        }
        _ = try await Self.signUp(fixture)
        _ = try await Self.signIn(fixture, Self.stranger)
        #expect(try await Self.notices(fixture).isEmpty)
    }

    @Test func noticeFollowsTheSecondFactor() async throws {
        let fixture = try await IdentityFixture()
        let account = try await fixture.signUpWithFactors()
        try await fixture.store.record(Self.home, of: account.id, in: Self.realm, at: fixture.clock.now)
        let pending = try #require(try await Self.firstFactor(fixture, Self.stranger).secondFactor)
        #expect(try await Self.notices(fixture).isEmpty)
        _ = try await fixture.send(
            Identity.CompleteSignIn(
                project: Self.realm.project, pendingCredential: pending.pendingCredential,
                factorID: pending.factors[0].id, client: Self.stranger))
        #expect(try await Self.notices(fixture).count == 1)
    }

    @Test func providerSignInHasNoticeWithoutLink() async throws {
        let fixture = try await IdentityFixture()
        let account = try await fixture.providerSession(IdentityFixture.person(authoritative: true)).account
        #expect(!account.hasPassword)
        try await Self.forgetClients(fixture)
        _ = try await fixture.providerSession(IdentityFixture.person(authoritative: true))
        let notice = try #require(try await Self.notices(fixture).first)
        #expect(notice.link == nil && notice.signIn?.network == "192.0.2.0/24")
    }

    // MARK: The mail

    @Test(arguments: StoreEngine.allCases) func noticeNamesTheClientAndResetsThePassword(engine: StoreEngine)
        async throws
    {
        let fixture = try await IdentityFixture(engine)
        let own = try await Self.signUp(fixture).tokens
        fixture.clock.advance(by: .seconds(60))
        let foreign = try await Self.signIn(fixture, Self.stranger)
        let notice = try #require(try await Self.notices(fixture).first)
        #expect(notice.recipient == EmailAddress("ada@example.com") && notice.locale == "de")
        let signIn = try #require(notice.signIn)
        #expect((signIn.device, signIn.network) == ("Chrome (Windows)", "198.51.100.0/24"))
        #expect(signIn.time.hasSuffix(" UTC") && signIn.time.utf8.count == 20)
        let code = try #require(notice.link?.firstMatch(of: /mode=resetPassword&oobCode=([A-Za-z0-9_-]+)/)?.1)
        fixture.clock.advance(by: .seconds(60))
        _ = try await fixture.send(
            Identity.ResetPassword(
                realm: Self.realm, code: Secret(String(code)), newPassword: Secret("another-horse-8")))
        for tokens in [own, foreign] {
            await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.refresh(tokens.refreshToken) }
        }
    }

    // MARK: Limits

    /// Whoever has the password can change network and device.
    @Test func noticesToAnAccountAreLimited() async throws {
        let fixture = try await IdentityFixture()
        let account = try await Self.signUp(fixture).account
        _ = try await fixture.change(account.id, .init(emailVerified: true))
        let limit = EmailQuota.signInNoticesPerAccount
        for number in 0...(limit + 1) { _ = try await Self.signIn(fixture, Self.client(number)) }
        #expect(try await Self.notices(fixture).count == limit)
        fixture.clock.advance(by: EmailQuota.addressWindow)
        _ = try await Self.signIn(fixture, Self.client(100))
        #expect(try await Self.notices(fixture).count == limit + 1)
    }

    /// The last quarter of the project's e-mails is for those that users request.
    @Test func noticesLeaveAReserveOfTheProject() async throws {
        let fixture = try await IdentityFixture(emailsPerProject: 4)
        _ = try await Self.signUp(fixture)
        for number in 0..<5 { _ = try await Self.signIn(fixture, Self.client(number)) }
        #expect(try await Self.notices(fixture).count == 3)
        fixture.clock.advance(by: EmailQuota.projectWindow)
        _ = try await Self.signIn(fixture, Self.client(100))
        #expect(try await Self.notices(fixture).count == 4)
    }

    @Test(arguments: StoreEngine.allCases) func knownClientsGoWithTheAccount(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let account = try await Self.signUp(fixture).account
        for number in 0..<(KnownClient.maximumPerAccount) { _ = try await Self.signIn(fixture, Self.client(number)) }
        func count() async throws -> Int {
            try await fixture.store.read { transaction in
                try #require(try transaction.firstRow("SELECT COUNT(*) AS n FROM known_clients")).get("n")
            }
        }
        #expect(try await count() == KnownClient.maximumPerAccount)
        _ = try await fixture.send(Identity.DeleteAccount(realm: Self.realm, accountID: account.id))
        #expect(try await count() == 0)
    }
}
