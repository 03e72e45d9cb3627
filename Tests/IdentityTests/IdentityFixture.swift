import Blocking
import Bus
import Contracts
import Crypto
import Delivery
import Foundation
import HTTPClient
import MasterKey
import SQL
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// The service with all real parts except the clock, in memory unless another engine is given.
struct IdentityFixture {
    static let realm = Realm(project: ProjectID("demo"))

    let service: IdentityService
    let clock: ManualClock
    let store: IdentityStore
    let published: PublishedEvents
    let mailbox: Mailbox

    let emailLoop: DeliveryLoop<EmailOutbox>
    let log: CapturedLog
    let functions: FakeFunctions
    let metrics: Metrics

    /// Fake notifier that records the e-mails.
    final class Mailbox: Sendable {
        private struct State {
            var mails: [Notifier.SendEmail] = []
            var keys: Set<String> = []
            var refusal: WireError.Code?
            /// The notifier stores the e-mail, but the reply is lost.
            var losesReplies = false
            var calls = 0
        }
        private let state = Mutex(State())

        func accept(_ email: Notifier.SendEmail, _ key: String) throws(ServiceError) {
            try state.withLock { state throws(ServiceError) in
                state.calls += 1
                if let refusal = state.refusal { throw ServiceError(refusal) }
                if state.keys.insert(key).inserted { state.mails.append(email) }
                if state.losesReplies { throw ServiceError(.deadlineExceeded) }
            }
        }
        /// - Parameter refusal: nil to accept messages again.
        func refuse(_ refusal: WireError.Code?) { state.withLock { $0.refusal = refusal } }
        func loseReplies(_ isSo: Bool) { state.withLock { $0.losesReplies = isSo } }
        var mails: [Notifier.SendEmail] { state.withLock { $0.mails } }
        var calls: Int { state.withLock { $0.calls } }
    }

    /// The logged lines.
    final class CapturedLog: Sendable {
        private let content = Mutex<[String]>([])
        func append(_ line: String) { content.withLock { $0.append(line) } }
        func count(of event: String) -> Int { content.withLock { $0.count { $0.contains(" \(event)") } } }
    }

    /// The e-mails that the notifier accepted, after those that are due were sent.
    func mails() async throws -> [Notifier.SendEmail] {
        try await emailLoop.outbox.deliverDueRows(EmailOutbox.limits, at: clock)
        return mailbox.mails
    }

    /// The latest e-mail with this purpose, after those that are due were sent.
    func mail(_ purpose: Notifier.EmailPurpose) async throws -> Notifier.SendEmail {
        try #require(try await mails().last { $0.purpose == purpose })
    }

    final class PublishedEvents: Sendable {
        private let events = Mutex<[BusEvent]>([])
        func append(_ event: BusEvent) { events.withLock { $0.append(event) } }
        var all: [BusEvent] { events.withLock { $0 } }
    }

    /// Kept alive, because the database is deleted with it.
    let place: StoreLocation
    let masterKeys: ReloadingMasterKeyRing
    /// Without those behind the anchors of the audit log: the store that adds these begins the anchors.
    private static let migrations = Array(
        IdentityMigrations.all.prefix { $0.name != IdentityMigrations.movingAnchor.name })
    /// Created once: it takes longer than most tests.
    private static let signingKey = Result {
        try SigningKeyRing.signingKey(TestKey.rsa(), activatesAt: ManualClock().now.timestamp)
    }

    init(
        _ engine: StoreEngine = .memory, isDev: Bool = true, isUnsigned: Bool = false,
        maximumWaitingPasswords: Int = 64,
        emailsPerProject: Int? = EmailQuota.perProject,
        functionsCoverEverySignIn: Bool = false,
        counting statements: CountingDatabase.Statements? = nil
    ) async throws {
        place = try await StoreLocation(engine, name: "identity", migrations: Self.migrations)
        let clock = ManualClock()
        masterKeys = try ReloadingMasterKeyRing(.variable(.init(.random())))
        let database = try await place.open()
        let store = try await IdentityStore(
            statements.map { CountingDatabase(database, $0) } ?? database, keys: masterKeys)
        let projects = ProjectCache(store: store, isDev: isDev, now: { clock.now }, instant: { clock.instant })
        try await projects.ensure(Self.realm.project, apiKey: "the-key", traceID: "test")
        let log = CapturedLog()
        let newKeys = Mutex(0)
        let keys = SigningKeyRing(
            store: store, now: { clock.now }, log: Log(instance: "identity.1", write: log.append),
            newPrivateKey: {
                let number = newKeys.withLock { count in
                    count += 1
                    return count
                }
                return try TestKey.rsa("ring \(number)")
            })
        try await store.addSigningKey(
            try Self.signingKey.get(), for: .idToken, at: clock.now,
            audit: AuditEntry(
                at: clock.now, realm: Self.realm, action: .signingKeyCreated, actor: .system, traceID: "test"))
        try await keys.load(.idToken)
        let published = PublishedEvents()
        let functions = FakeFunctions()
        let mailbox = Mailbox()
        let metrics = Metrics()
        let mesh = ScriptedMesh(as: .identity)
        mesh.reply(to: Notifier.SendEmail.self) { mail, options in
            try mailbox.accept(mail, options.idempotencyKey ?? "")
            return .init(messageID: MessageID("m"))
        }
        let emailLoop = DeliveryLoop(
            EmailOutbox(
                store, peers: mesh, holder: LeaseHolder(text: "identity.1"), now: { clock.now },
                metrics: metrics, log: Log(instance: "identity.1", write: log.append)), EmailOutbox.limits,
            DeliveryEnvironment(
                now: { clock.now }, instant: { clock.instant }, jitter: { 0.5 }, hasEnded: { _ in false },
                log: Log(instance: "identity.1", write: log.append)))
        let hasher = PasswordHasher(
            threads: 2, maximumWaiting: maximumWaitingPasswords,
            parameters: .init(memoryKiB: 64, iterations: 1, parallelism: 1, tagBytes: 32),
            pepper: .init(id: "pepper", key: Random.bytes(32)), now: { clock.now }, steadyNow: { clock.instant },
            // Refusals of imported passwords do not wait.
            pause: { _ in }, randomBytes: Random.bytes)
        service = IdentityService(
            IdentityContext(
                now: { clock.now }, randomBytes: Random.bytes, store: store, projects: projects, keys: keys,
                idTokens: IDTokenIssuer(
                    keys: keys, pool: BlockingPool(label: "signatures", threads: 2, maximumWaiting: 100),
                    isUnsigned: isUnsigned),
                hasher: hasher, oldHashBudgets: isDev ? nil : OldHashBudgetLimiter(steadyNow: hasher.steadyNow),
                publish: published.append, wakeEmailLoop: emailLoop.wake,
                reportTemplate: { _, _ in log.append(" email-template.invalid") },
                actionPage: try #require(WebURL("http://127.0.0.1:9099/emulator/action")), isDev: isDev,
                refreshGrace: Session.defaultGrace, emailsPerProject: emailsPerProject,
                blockingFunctionClient: BlockingFunctionClient { request, url throws(HTTPClientError) in
                    try await functions.respond(to: request, at: url)
                },
                blockingFunctionMetrics: .init(metrics: metrics, log: Log(instance: "identity.1", write: log.append)),
                blockingFunctionsCoverEverySignIn: functionsCoverEverySignIn))
        self.clock = clock
        self.store = store
        self.published = published
        self.mailbox = mailbox
        self.emailLoop = emailLoop
        self.log = log
        self.functions = functions
        self.metrics = metrics
    }

    /// Sends the request as the bus does.
    func send<Request: BusRequest>(_ request: Request, idempotencyKey: String? = nil) async throws -> Request.Reply
    where Request.Operation == Identity.Operation {
        let call = try BusCall(request, deadline: clock.now + .seconds(5), idempotencyKey: idempotencyKey)
        return try await service.handle(Request.operation, call).result()
    }

    func signUp(_ email: String = "ada@example.com", _ password: String = "correct-horse-9") async throws
        -> Identity.SignUp.Reply
    {
        try await send(Identity.SignUp(realm: Self.realm, email: email, password: Secret(password)))
    }

    /// A sign-in that requires no second factor.
    func signIn(_ email: String = "ada@example.com", _ password: String = "correct-horse-9") async throws -> SignedIn {
        let reply = try await firstFactor(email, password)
        #expect(reply.secondFactor == nil)
        return SignedIn(account: reply.account, tokens: try #require(reply.tokens))
    }

    struct SignedIn {
        var account: Account
        var tokens: TokenSet
    }

    func firstFactor(
        _ email: String = "ada@example.com", _ password: String = "correct-horse-9"
    ) async throws -> Identity.SignInWithPassword.Reply {
        try await send(Identity.SignInWithPassword(realm: Self.realm, email: email, password: Secret(password)))
    }

    /// A change by the owner of the account.
    func changeOwn(
        _ tokens: TokenSet, _ changes: Identity.OwnAccountChanges, idempotencyKey: String? = nil
    ) async throws -> Identity.UpdateOwnAccount.Reply {
        try await send(
            Identity.UpdateOwnAccount(realm: Self.realm, idToken: tokens.idToken, changes: changes),
            idempotencyKey: idempotencyKey)
    }

    func lookUp(_ idToken: Secret<String>) async throws -> Account {
        try await send(Identity.LookUpOwnAccount(realm: Self.realm, idToken: idToken)).account
    }

    func refresh(_ token: Secret<String>) async throws -> TokenSet {
        try await send(Identity.RefreshSession(project: Self.realm.project, refreshToken: token)).tokens
    }

    func change(_ id: AccountID, _ changes: Identity.AccountChanges) async throws -> Account {
        try await send(Identity.UpdateAccount(realm: Self.realm, accountID: id, changes: changes)).account
    }

    /// An account with verified e-mail address, password and these second factors; SMS and TOTP are enabled.
    func signUpWithFactors(_ numbers: [String] = ["+12025550101"]) async throws -> Account {
        try await configure { configuration in
            configuration.mfa?.state = .enabled
            configuration.mfa?.enabledProviders = [.phoneSMS]
        }
        let made = try await signUp()
        return try await change(
            made.account.id,
            .init(
                emailVerified: true,
                secondFactors: numbers.map { .init(id: FactorID("f-\($0.suffix(4))"), kind: .phone(number: $0)) }))
    }

    func configure(_ change: (inout ProjectConfiguration) -> Void) async throws {
        let current = try await send(Identity.ReadConfiguration(project: Self.realm.project))
        var configuration = current.configuration
        change(&configuration)
        _ = try await send(
            Identity.ReplaceConfiguration(
                project: Self.realm.project, configuration: configuration, expectedRevision: current.revision))
    }

    /// The actions in the audit log, in order of writing, including refusals that are not yet counted there.
    func auditActions() async throws -> [String] {
        try await store.read { transaction in
            let acts = try transaction.rows("SELECT action FROM audit_log ORDER BY sequence")
            let refusals = try transaction.rows("SELECT action FROM audit_refusals ORDER BY at")
            return try (acts + refusals).map { try $0.get("action") }
        }
    }
}
