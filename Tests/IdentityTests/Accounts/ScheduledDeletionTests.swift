import Contracts
import Crypto
import Delivery
import JSON
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// An account that its owner has deleted, until it is deleted some days later. Serialized: each test uses several
/// connections.
@Suite(.serialized) struct ScheduledDeletionTests {
    private static let realm = IdentityFixture.realm
    private static let day = Duration.seconds(86_400)
    private static let page = ClientContext(ipAddress: "192.0.2.1", offersRestoration: true)
    private static let application = ClientContext(ipAddress: "192.0.2.1")

    private static func allowGrace(_ fixture: IdentityFixture, days: Int = 30) async throws {
        try await fixture.configure {
            $0.accountDeletion = .init()
            $0.accountDeletion?.graceDays = days
        }
    }

    @discardableResult
    private static func schedule(
        _ fixture: IdentityFixture, _ tokens: TokenSet, idempotencyKey: String? = nil
    ) async throws -> Moment {
        try await fixture.send(
            Identity.ScheduleOwnDeletion(
                realm: realm, idToken: tokens.idToken, restorationURL: "https://auth.example/login", locale: "de",
                client: page), idempotencyKey: idempotencyKey
        ).dueAt
    }

    private static func restore(_ fixture: IdentityFixture, _ tokens: TokenSet) async throws -> IdentityFixture.SignedIn
    {
        let reply = try await fixture.send(
            Identity.RestoreOwnAccount(realm: realm, idToken: tokens.idToken, client: page))
        return .init(account: reply.account, tokens: reply.tokens)
    }

    private static func claims(_ tokens: TokenSet) throws -> [String: JSONValue] {
        try IDTokenIssuer.payload(of: tokens.idToken.reveal())
    }

    private static func exists(_ id: AccountID, _ fixture: IdentityFixture) async throws -> Bool {
        try await !fixture.send(Identity.FindAccounts(realm: realm, criteria: [.accountID(id)])).accounts.isEmpty
    }

    // MARK: Every way to sign in (security rule MP10)

    enum FirstFactor: CaseIterable {
        case password, emailLink, emailCode, phone, passkey, provider
    }

    enum SecondStep: CaseIterable {
        case none, textMessage, app, recoveryCode
    }

    struct Ways: Sendable, CustomTestStringConvertible {
        var first: FirstFactor
        var second: SecondStep

        var testDescription: String { "\(first), \(second)" }

        /// A number of the first factor is no second one.
        static let all = FirstFactor.allCases.flatMap { first in
            SecondStep.allCases.filter { first != .phone || $0 == .none }.map { Ways(first: first, second: $0) }
        }
    }

    /// An account that is to be deleted in 30 days.
    private struct Scheduled {
        var fixture: IdentityFixture
        var id: AccountID
        var ways: Ways
        var recoveryCode: Secret<String>?

        init(_ engine: StoreEngine, _ ways: Ways) async throws {
            let fixture = try await IdentityFixture(engine)
            let made = try await fixture.signUpVerified()
            (self.fixture, self.ways, id) = (fixture, ways, made.account.id)
            try await fixture.allowEmailCodes()
            try await allowGrace(fixture)
            switch ways.first {
            case .password, .emailLink, .emailCode: break
            case .phone: _ = try await fixture.change(id, .init(phoneNumber: IdentityFixture.phone.rawValue))
            case .passkey: _ = try await fixture.enroll(PasskeyTests.passkey(1), made.tokens, isUserVerified: false)
            case .provider: try await fixture.link(id)
            }
            switch ways.second {
            case .none: break
            case .textMessage:
                _ = try await fixture.change(
                    id, .init(secondFactors: [.init(id: FactorID("sms"), kind: .phone(number: "+12025550102"))]))
            case .app: _ = try await fixture.enrollTOTP(made.tokens)
            case .recoveryCode:
                let enrolled = try await fixture.enrollTOTP(made.tokens)
                recoveryCode = try await fixture.send(
                    Identity.GenerateRecoveryCodes(realm: realm, idToken: enrolled.tokens.idToken)
                ).codes.first
            }
            let (now, dueAt) = (fixture.clock.now, fixture.clock.now + day * 30)
            _ = try await fixture.store.change(
                id, in: realm,
                audit: AuditEntry(
                    at: now, realm: realm, action: .deletionScheduled, actor: .account(id), accountID: id,
                    traceID: "test"), idempotency: nil
            ) { stored in
                stored.scheduleDeletion(at: dueAt, now: now)
                return EmptyReply()
            }
            fixture.clock.advance(by: day)
        }

        /// - Returns: the tokens, or the credential of the second step.
        func verifyFirstFactor(_ client: ClientContext) async throws -> (TokenSet?, PendingSecondFactor?) {
            switch ways.first {
            case .password:
                let reply = try await fixture.send(
                    Identity.SignInWithPassword(
                        realm: realm, email: "ada@example.com", password: Secret("correct-horse-9"), client: client))
                return (reply.tokens, reply.secondFactor)
            case .emailLink:
                let code = try await fixture.code(.emailSignIn, "ada@example.com")
                let reply = try await fixture.send(
                    Identity.SignInWithEmailLink(realm: realm, email: "ada@example.com", code: code, client: client))
                return (reply.tokens, reply.secondFactor)
            case .emailCode:
                let sent = try await fixture.sendCode()
                let reply = try await fixture.signInByCode(sent.sessionInfo, sent.code, client: client)
                return (reply.tokens, reply.secondFactor)
            case .phone:
                let reply = try await fixture.send(
                    Identity.SignInWithPhone(
                        realm: realm, phoneNumber: IdentityFixture.phone, intent: .signUpOrIn, client: client))
                return (reply.session?.tokens, reply.pending?.secondFactor)
            case .passkey:
                let reply = try await fixture.send(
                    Identity.SignInWithPasskey(
                        realm: realm, accountID: id, credentialID: PasskeyTests.id(1), isUserVerified: false,
                        isBackedUp: false, client: client))
                return (reply.tokens, reply.secondFactor)
            case .provider:
                let reply = try await fixture.send(
                    Identity.SignInWithProvider(realm: realm, identity: IdentityFixture.person(), client: client))
                return (reply.session?.tokens, reply.pending?.secondFactor)
            }
        }

        func verifySecondFactor(_ pending: PendingSecondFactor, _ client: ClientContext) async throws -> TokenSet {
            switch ways.second {
            case .none: throw ServiceError(.invalidPendingCredential)
            case .textMessage, .app:
                let factor = FactorID(ways.second == .app ? "app" : "sms")
                return try await fixture.send(
                    Identity.CompleteSignIn(
                        project: realm.project, pendingCredential: pending.pendingCredential, factorID: factor,
                        client: client)
                ).tokens
            case .recoveryCode:
                return try await fixture.send(
                    Identity.SignInWithRecoveryCode(
                        project: realm.project, pendingCredential: pending.pendingCredential, code: recoveryCode,
                        client: client)
                ).tokens
            }
        }

        /// On a page of the gateway.
        func signIn() async throws -> TokenSet {
            let (tokens, pending) = try await verifyFirstFactor(page)
            guard ways.second != .none else { return try #require(tokens) }
            #expect(tokens == nil)
            return try await verifySecondFactor(try #require(pending), page)
        }
    }

    @Test(arguments: Ways.all) func signInOnAPageRestores(ways: Ways) async throws {
        let scheduled = try await Scheduled(.memory, ways)
        let fixture = scheduled.fixture
        let tokens = try await fixture.refresh(try await scheduled.signIn().refreshToken)
        let claims = try Self.claims(tokens)
        #expect(claims["aud"] == .string("\(Self.realm.project.rawValue)/account-restoration"))
        #expect(claims["firebase"]?["deletion_scheduled"] == .bool(true))
        #expect(try await fixture.lookUp(tokens.idToken).deletionDueAt == fixture.clock.now + Self.day * 29)
        // Nothing else is permitted.
        await #expect(throws: ServiceError(.accountDisabled)) {
            try await fixture.changeOwn(tokens, .init(displayName: "Eve"))
        }
        await #expect(throws: ServiceError(.accountDisabled)) {
            try await fixture.send(Identity.DeleteOwnAccount(realm: Self.realm, idToken: tokens.idToken))
        }
        await #expect(throws: ServiceError(.accountDisabled)) { try await fixture.enrollTOTP(tokens, "other") }
        await #expect(throws: ServiceError(.accountDisabled)) {
            try await fixture.send(Identity.VerifyIDToken(realm: Self.realm, idToken: tokens.idToken))
        }
        let restored = try await Self.restore(fixture, tokens)
        #expect(restored.account.deletionDueAt == nil)
        let full = try Self.claims(restored.tokens)
        #expect(full["aud"] == .string(Self.realm.project.rawValue) && full["firebase"]?["deletion_scheduled"] == nil)
        #expect(full["amr"] == claims["amr"] && full["acr"] == claims["acr"])
        _ = try await fixture.lookUp(try await fixture.refresh(restored.tokens.refreshToken).idToken)
        // Its session has ended.
        await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.refresh(tokens.refreshToken) }
        await #expect(throws: ServiceError(.sessionExpired)) { try await Self.restore(fixture, tokens) }
        fixture.clock.advance(by: Self.day * 40)
        try await fixture.service.runMaintenance(sweepAt: fixture.clock.now)
        #expect(try await Self.exists(scheduled.id, fixture))
        #expect(try await fixture.auditActions().contains("account.restored"))
    }

    @Test(arguments: Ways.all) func signInOfAnApplicationIsRefused(ways: Ways) async throws {
        let scheduled = try await Scheduled(.memory, ways)
        await #expect(throws: ServiceError(.accountDisabled)) {
            try await scheduled.verifyFirstFactor(Self.application)
        }
        guard ways.second != .none else { return }
        // Also where the page has verified the first factor.
        let pending = try #require(try await scheduled.verifyFirstFactor(Self.page).1)
        await #expect(throws: ServiceError(.accountDisabled)) {
            try await scheduled.verifySecondFactor(pending, Self.application)
        }
        // The code was not used up.
        _ = try await scheduled.verifySecondFactor(pending, Self.page)
    }

    @Test func signInByCustomTokenIsRefused() async throws {
        let account = SecondFactorListTests.account()
        var scheduled = account
        scheduled.scheduleDeletion(at: StoredAccountTests.later, now: StoredAccountTests.later)
        let authentication = AuthenticationContext(
            authenticatedAt: StoredAccountTests.later.timestamp, signInProvider: "custom")
        #expect(try SessionPolicy.signedIn(authentication, to: account.account, nil) == authentication)
        #expect(throws: ServiceError(.accountDisabled)) {
            try SessionPolicy.signedIn(authentication, to: scheduled.account, nil)
        }
    }

    // MARK: Scheduling

    @Test(arguments: StoreEngine.allCases) func deletionEndsSessionsAndDevices(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let first = try await fixture.signUpRemembering()
        _ = try await fixture.remember(first.tokens)
        let other = try await fixture.signInWithApp()
        try await Self.allowGrace(fixture)
        let dueAt = try await Self.schedule(fixture, first.tokens)
        #expect(dueAt == fixture.clock.now + Self.day * 30)
        for tokens in [first.tokens, other.tokens] {
            await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.refresh(tokens.refreshToken) }
            await #expect(throws: ServiceError(.accountDisabled)) { try await fixture.lookUp(tokens.idToken) }
        }
        let devices = try await fixture.store.read { transaction in
            try transaction.rows("SELECT secret_hash FROM remembered_devices").count
        }
        #expect(devices == 0)
        let mail = try await fixture.mail(.deletionScheduled)
        #expect(mail.locale == "de" && mail.link == "https://auth.example/login")
        #expect(mail.deletionTime?.hasSuffix(" UTC") == true && mail.recipient.rawValue == "ada@example.com")
        #expect(fixture.published.all.contains(.sessionsRevoked(Self.realm, first.account.id)))
        #expect(try await fixture.auditActions().contains("account.deletion-scheduled"))
        #expect(try await Self.exists(first.account.id, fixture))
    }

    @Test func repeatedCallHasTheSameReply() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        try await Self.allowGrace(fixture)
        let dueAt = try await Self.schedule(fixture, ada.tokens, idempotencyKey: "key")
        fixture.clock.advance(by: .seconds(1))
        #expect(try await Self.schedule(fixture, ada.tokens, idempotencyKey: "key") == dueAt)
        await #expect(throws: ServiceError(.accountDisabled)) { try await Self.schedule(fixture, ada.tokens) }
    }

    @Test func deletionHasTheRulesOfAnImmediateOne() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        await #expect(throws: ServiceError(.operationNotAllowed)) { try await Self.schedule(fixture, ada.tokens) }
        try await Self.allowGrace(fixture)
        try await fixture.configure {
            $0.client?.permissions = .init()
            $0.client?.permissions?.disabledUserDeletion = true
        }
        await #expect(throws: ServiceError(.adminOnlyOperation)) { try await Self.schedule(fixture, ada.tokens) }
        try await fixture.configure { $0.client?.permissions?.disabledUserDeletion = false }
        fixture.clock.advance(by: .seconds(600))
        await #expect(throws: ServiceError(.recentSignInRequired)) { try await Self.schedule(fixture, ada.tokens) }
        // An application deletes at once, as before.
        let again = try await fixture.signIn()
        _ = try await fixture.send(Identity.DeleteOwnAccount(realm: Self.realm, idToken: again.tokens.idToken))
        #expect(try await !Self.exists(ada.account.id, fixture))
    }

    @Test func tenantHasItsOwnGrace() {
        var project = ProjectConfiguration()
        #expect(project.deletionGraceDays == 0)
        project.accountDeletion = .init()
        project.accountDeletion?.graceDays = 30
        var tenant = TenantConfiguration()
        #expect(project.applying(tenant).deletionGraceDays == 30)
        tenant.accountDeletion = .init()
        tenant.accountDeletion?.graceDays = 7
        #expect(project.applying(tenant).deletionGraceDays == 7)
    }

    // MARK: Administration

    @Test func administratorSeesAndCancelsTheDeletion() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        try await Self.allowGrace(fixture)
        let dueAt = try await Self.schedule(fixture, ada.tokens)
        let explained = try await fixture.send(
            Identity.ExplainSignIn(realm: Self.realm, accountID: ada.account.id))
        #expect(explained.account.deletionDueAt == dueAt)
        #expect(explained.obstacles == [.init(.deletionScheduled, until: dueAt)])
        let half = try await fixture.send(
            Identity.SignInWithPassword(
                realm: Self.realm, email: "ada@example.com", password: Secret("correct-horse-9"), client: Self.page))
        let kept = try await fixture.change(ada.account.id, .init(cancelsDeletion: true))
        #expect(kept.deletionDueAt == nil)
        let tokens = try #require(half.tokens)
        await #expect(throws: ServiceError(.sessionExpired)) { try await Self.restore(fixture, tokens) }
        await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.refresh(tokens.refreshToken) }
        fixture.clock.advance(by: .seconds(1))
        _ = try await fixture.lookUp(try await fixture.signIn().tokens.idToken)
    }

    /// A move to another server does not restore it.
    @Test func importKeepsTheTime() throws {
        let (now, id) = (StoredAccountTests.later, AccountID("ada"))
        let made = try StoredAccount(
            PreparedImport(imported: .init(id: id, deletionDueAt: now + Self.day)), replacing: nil, in: Self.realm,
            at: now)
        #expect(made.account.deletionDueAt == now + Self.day)
        let replaced = try StoredAccount(
            PreparedImport(imported: .init(id: id)), replacing: made, in: Self.realm, at: now)
        #expect(replaced.account.deletionDueAt == now + Self.day)
    }

    @Test func disabledAccountIsNotRestored() async throws {
        let scheduled = try await Scheduled(.memory, Ways(first: .password, second: .none))
        let tokens = try await scheduled.signIn()
        _ = try await scheduled.fixture.change(scheduled.id, .init(disabled: true))
        await #expect(throws: ServiceError(.accountDisabled)) {
            try await Self.restore(scheduled.fixture, tokens)
        }
        await #expect(throws: ServiceError(.accountDisabled)) { try await scheduled.signIn() }
    }

    // MARK: Time

    @Test(arguments: StoreEngine.allCases) func accountIsDeletedWhenDue(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let ada = try await fixture.signUp()
        let bob = try await fixture.signUp("bob@example.com")
        try await Self.allowGrace(fixture, days: 7)
        try await Self.schedule(fixture, ada.tokens)
        fixture.clock.advance(by: Self.day * 7 - .seconds(1))
        try await fixture.service.runMaintenance(sweepAt: fixture.clock.now)
        #expect(try await Self.exists(ada.account.id, fixture))
        fixture.clock.advance(by: .seconds(1))
        // The clock is not trusted.
        try await fixture.service.runMaintenance(sweepAt: nil)
        #expect(try await Self.exists(ada.account.id, fixture))
        try await fixture.service.runMaintenance(sweepAt: fixture.clock.now)
        #expect(try await !Self.exists(ada.account.id, fixture))
        #expect(try await Self.exists(bob.account.id, fixture))
        // By the path of every deletion.
        let backlog = try await fixture.store.deletionBacklog()
        #expect(backlog.values.map(\.count) == AccountDataHolder.allCases.map { _ in 1 })
        let record = try await fixture.store.read { transaction in
            try transaction.rows("SELECT actor, account_id FROM audit_log WHERE action = 'account.deleted'").map {
                (try $0.get("actor") as String, try $0.get("account_id") as String)
            }
        }
        #expect(record.map(\.0) == ["system"] && record.map(\.1) == [ada.account.id.rawValue])
        #expect(fixture.published.all.contains(.sessionsRevoked(Self.realm, ada.account.id)))
        await #expect(throws: ServiceError.self) {
            try await fixture.send(
                Identity.SignInWithPassword(
                    realm: Self.realm, email: "ada@example.com", password: Secret("correct-horse-9"),
                    client: Self.page))
        }
    }

    /// A grace that begins in the past would be over too early.
    @Test(arguments: StoreEngine.allCases) func clockThatIsBehindShortensNoGrace(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let right = fixture.clock.now
        #expect(try await fixture.store.latestTime(at: right) == right)
        try await fixture.store.database.write { try $0.setTrustedTime(right.milliseconds) }
        #expect(try await fixture.store.latestTime(at: right - Self.day * 40) == right)
        #expect(try await fixture.store.latestTime(at: right + Self.day) == right + Self.day)
    }

    /// It is deleted later than its owner was told, and restored as any other.
    @Test func accountOfTheFutureIsRestored() async throws {
        let fixture = try await IdentityFixture()
        let right = fixture.clock.now
        try await fixture.store.database.write { try $0.setTrustedTime(right.milliseconds) }
        try await Self.allowGrace(fixture)
        fixture.clock.setWall(right + Self.day * 365)
        let ada = try await fixture.signUp()
        try await Self.schedule(fixture, ada.tokens)
        fixture.clock.setWall(right + .seconds(20))
        try await fixture.service.runMaintenance(sweepAt: fixture.clock.now)
        let reply = try await fixture.send(
            Identity.SignInWithPassword(
                realm: Self.realm, email: "ada@example.com", password: Secret("correct-horse-9"), client: Self.page))
        let restored = try await Self.restore(fixture, try #require(reply.tokens))
        #expect(restored.account.deletionDueAt == nil)
        _ = try await fixture.lookUp(restored.tokens.idToken)
    }
}
