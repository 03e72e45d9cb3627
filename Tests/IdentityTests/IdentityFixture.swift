import Blocking
import Bus
import Contracts
import Crypto
import Foundation
import MasterKey
import SQL
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// The service with everything real but the clock, in memory if no other engine is asked for.
struct IdentityFixture {
    static let realm = Realm(project: ProjectID("demo"))

    let service: IdentityService
    let clock: ManualClock
    let store: IdentityStore
    let published: PublishedEvents

    final class PublishedEvents: Sendable {
        private let events = Mutex<[BusEvent]>([])
        func append(_ event: BusEvent) { events.withLock { $0.append(event) } }
        var all: [BusEvent] { events.withLock { $0 } }
    }

    /// Kept: the database goes with it.
    private let place: StorePlace

    init(
        _ engine: StoreEngine = .memory, isDev: Bool = true, isUnsigned: Bool = false, hashingLine: Int = 64
    ) async throws {
        place = try await StorePlace(engine)
        let clock = ManualClock()
        let store = try await IdentityStore(
            try await place.open(), keys: MasterKeys(.variable(.init(.random()))))
        let projects = Projects(store: store, isDev: isDev, now: { clock.now })
        try await projects.ensure(Self.realm.project, apiKey: "the-key", traceID: "test")
        let keys = KeyRing(store: store, now: { clock.now })
        _ = try await keys.renew(.idToken, traceID: "test")
        let published = PublishedEvents()
        service = IdentityService(
            .init(
                now: { clock.now }, randomBytes: Random.bytes, store: store, projects: projects, keys: keys,
                tokens: IDTokens(
                    keys: keys, pool: BlockingPool(label: "signatures", threads: 2, waiting: 100),
                    isUnsigned: isUnsigned),
                passwords: PasswordHasher(
                    threads: 2, line: hashingLine,
                    parameters: .init(memoryKiB: 64, iterations: 1, parallelism: 1, tagBytes: 32),
                    pepper: .init(id: "pepper", key: Random.bytes(32)),
                    now: { clock.now }, randomBytes: Random.bytes),
                lanes: AttemptLanes(), publish: published.append, isDev: isDev))
        self.clock = clock
        self.store = store
        self.published = published
    }

    /// Asks as the bus would.
    func ask<Request: BusRequest>(_ request: Request, idempotencyKey: String? = nil) async throws -> Request.Reply
    where Request.Operation == Identity.Operation {
        let call = try BusCall(request, deadline: clock.now + .seconds(5), idempotencyKey: idempotencyKey)
        return try await service.handle(Request.operation, call).result()
    }

    func signUp(_ email: String = "ada@example.com", _ password: String = "correct-horse-9") async throws
        -> Identity.SignUp.Reply
    {
        try await ask(Identity.SignUp(realm: Self.realm, email: email, password: Secret(password)))
    }

    func signIn(_ email: String = "ada@example.com", _ password: String = "correct-horse-9") async throws
        -> Identity.SignInWithPassword.Reply
    {
        try await ask(Identity.SignInWithPassword(realm: Self.realm, email: email, password: Secret(password)))
    }

    func lookUp(_ idToken: Secret<String>) async throws -> Account {
        try await ask(Identity.LookUpOwnAccount(realm: Self.realm, idToken: idToken)).account
    }

    func refresh(_ token: Secret<String>) async throws -> TokenSet {
        try await ask(Identity.RefreshSession(project: Self.realm.project, refreshToken: token)).tokens
    }

    func change(_ id: AccountID, _ changes: Identity.AccountChanges) async throws -> Account {
        try await ask(Identity.UpdateAccount(realm: Self.realm, accountID: id, changes: changes)).account
    }

    func configure(_ change: (inout ProjectConfiguration) -> Void) async throws {
        let current = try await ask(Identity.ReadConfiguration(project: Self.realm.project))
        var configuration = current.configuration
        change(&configuration)
        _ = try await ask(
            Identity.ReplaceConfiguration(
                project: Self.realm.project, configuration: configuration, expectedRevision: current.revision))
    }

    /// What the audit log tells, in the order it was written.
    func auditActions() async throws -> [String] {
        try await store.read { transaction in
            try transaction.rows("SELECT action FROM audit_log ORDER BY sequence").map { try $0.get("action") }
        }
    }
}
