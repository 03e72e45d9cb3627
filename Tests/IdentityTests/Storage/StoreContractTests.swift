import Bus
import Contracts
import Crypto
import MasterKey
import SQL
import Storage
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// The requirements of identity on its store hold on every engine and under fifty parallel calls. Serialized: each test
/// uses several connections of the server.
@Suite(.serialized) struct StoreContractTests {
    /// Runs `body` fifty times in parallel.
    private static func atOnce<Value: Sendable>(
        _ body: @escaping @Sendable (Int) async throws -> Value
    ) async -> [Result<Value, any Error>] {
        await withTaskGroup { group in
            for number in 0..<50 {
                group.addTask {
                    do {
                        return Result<Value, any Error>.success(try await body(number))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    private static func blank(_ id: String, _ email: String, at now: Moment) -> StoredAccount {
        var account = Account(
            id: AccountID(id), realm: IdentityFixture.realm, validSince: now.timestamp, createdAt: now)
        account.email = EmailAddress(email)
        return StoredAccount(account: account, passwordRecord: nil)
    }

    private static func entry(_ action: AuditEntry.Action, at now: Moment) -> AuditEntry {
        AuditEntry(at: now, realm: IdentityFixture.realm, action: action, actor: .system, traceID: "test")
    }

    @Test(arguments: StoreEngine.allCases)
    func storedAccountKeepsEveryChange(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let made = try await fixture.signUp()
        let signedIn = try await fixture.signIn()
        let refreshed = try await fixture.refresh(signedIn.tokens.refreshToken)
        let changed = try await fixture.change(
            made.account.id,
            .init(displayName: "Countess", photoURL: "http://x/y.png", phoneNumber: "+15555550100", disabled: false))
        #expect(changed.phoneNumber?.rawValue == "+15555550100")
        let account = try await fixture.lookUp(refreshed.idToken)
        #expect(account.displayName == "Countess" && account.lastRefreshAt != nil && account.hasPassword)
        let found = try await fixture.send(
            Identity.FindAccounts(
                realm: IdentityFixture.realm,
                criteria: [.email("ADA@example.com"), .phoneNumber("+15555550100"), .accountID(account.id)]))
        #expect(found.accounts.map(\.id) == [account.id])
        _ = try await fixture.send(
            Identity.DeleteOwnAccount(realm: IdentityFixture.realm, idToken: refreshed.idToken))
        await #expect(throws: ServiceError(.accountNotFound)) { try await fixture.refresh(refreshed.refreshToken) }
    }

    @Test(arguments: StoreEngine.allCases)
    func eachConflictHasItsOwnError(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let now = fixture.clock.now
        var first = Self.blank("first", "ada@example.com", at: now)
        first.account.phoneNumber = PhoneNumber("+15555550100")
        first.account.providers = [ProviderLink(providerID: "google.com", providerAccountID: "g1")]
        let store = fixture.store
        let audit = Self.entry(.accountCreated, at: now)
        _ = try await store.create(first, audit: audit, idempotency: nil, reply: EmptyReply())

        var (id, email, phone, provider) = (
            Self.blank("first", "b@example.com", at: now), Self.blank("b", "ADA@Example.com", at: now),
            Self.blank("c", "c@example.com", at: now), Self.blank("d", "d@example.com", at: now)
        )
        id.account.displayName = "again"
        phone.account.phoneNumber = first.account.phoneNumber
        provider.account.providers = first.account.providers
        email.account.displayName = "again"
        for (stored, refusal) in [
            (id, ServiceError(.accountIDExists)), (email, ServiceError(.emailExists)),
            (phone, ServiceError(.phoneNumberExists)),
            (provider, ServiceError(.providerAccountExists)),
        ] {
            await #expect(throws: refusal) {
                try await store.create(stored, audit: audit, idempotency: nil, reply: EmptyReply())
            }
        }
        #expect(try await store.account(AccountID("first"), in: IdentityFixture.realm)?.account == first.account)
        #expect(try await store.accounts([.email("d@example.com")], in: IdentityFixture.realm).isEmpty)
    }

    /// With several conflicts at once, that of the ID is reported, as in production.
    @Test(arguments: StoreEngine.allCases)
    func conflictOfTheIDIsTheFirst(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let (now, number) = (fixture.clock.now, PhoneNumber("+15555550100"))
        var first = Self.blank("first", "ada@example.com", at: now)
        first.account.phoneNumber = number
        var other = Self.blank("other", "bob@example.com", at: now)
        other.account.phoneNumber = PhoneNumber("+15555550101")
        let audit = Self.entry(.accountCreated, at: now)
        for stored in [first, other] {
            _ = try await fixture.store.create(stored, audit: audit, idempotency: nil, reply: EmptyReply())
        }
        for email in ["ada@example.com", "bob@example.com", "new@example.com"] {
            for number in [number, PhoneNumber("+15555550101"), PhoneNumber("+15555550102")] {
                var again = Self.blank("first", email, at: now)
                again.account.phoneNumber = number
                let stored = again
                await #expect(throws: ServiceError(.accountIDExists)) {
                    try await fixture.store.create(stored, audit: audit, idempotency: nil, reply: EmptyReply())
                }
            }
        }
    }

    /// Any sign-in issues a token, as a refresh does.
    @Test(arguments: StoreEngine.allCases)
    func signInCountsAsRefresh(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        func times(_ id: AccountID) async throws -> (signIn: Moment?, refresh: Moment?) {
            let account = try #require(try await fixture.store.account(id, in: IdentityFixture.realm)).account
            return (account.lastSignInAt, account.lastRefreshAt)
        }
        let made = try await fixture.signUp()
        let began = fixture.clock.now
        #expect(made.account.lastRefreshAt == began)
        #expect(try await times(made.account.id) == (began, began))
        fixture.clock.advance(by: .seconds(10))
        _ = try await fixture.refresh(made.tokens.refreshToken)
        #expect(try await times(made.account.id) == (began, began + .seconds(10)))
        fixture.clock.advance(by: .seconds(10))
        _ = try await fixture.signIn()
        #expect(try await times(made.account.id) == (began + .seconds(20), began + .seconds(20)))
        let phone = try await fixture.session()
        #expect(try await times(phone.account.id) == (fixture.clock.now, fixture.clock.now))
        let provider = try await fixture.providerSession(IdentityFixture.person("7", email: "p@example.com"))
        #expect(try await times(provider.account.id) == (fixture.clock.now, fixture.clock.now))
        // An account that an administrator creates has not signed in.
        let created = try await fixture.send(Identity.CreateAccount(realm: IdentityFixture.realm)).account
        #expect(try await times(created.id) == (nil, nil))
    }

    @Test(arguments: StoreEngine.allCases)
    func emailIsRegisteredOnceUnderConcurrency(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let (store, now) = (fixture.store, fixture.clock.now)
        let outcomes = await Self.atOnce { number in
            try await store.create(
                Self.blank("account-\(number)", "ada@example.com", at: now),
                audit: Self.entry(.accountCreated, at: now), idempotency: nil, reply: EmptyReply())
        }
        #expect(outcomes.count(where: \.isSuccess) == 1)
        for case .failure(let error) in outcomes { #expect(error as? ServiceError == ServiceError(.emailExists)) }
        let audited = try await fixture.auditActions().count { $0 == "account.created" }
        #expect(audited == 1)
    }

    @Test(arguments: StoreEngine.allCases)
    func parallelRefreshesOfOneTokenGetSameSuccessor(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let made = try await fixture.signUp()
        let token = try #require(RefreshToken(made.tokens.refreshToken.reveal()))
        let (store, now) = (fixture.store, fixture.clock.now)
        let outcomes = await Self.atOnce { _ in
            try await store.redeem(
                token, of: IdentityFixture.realm.project, at: now, salt: Random.bytes(RefreshToken.secretBytes),
                traceID: "test")
        }
        var successors: Set<String> = []
        for outcome in outcomes {
            guard case .refreshed(_, _, let successor) = try outcome.get() else {
                Issue.record("refused")
                return
            }
            successors.insert(successor.text)
        }
        #expect(successors.count == 1)
        let next = try #require(successors.first)
        _ = try await fixture.refresh(Secret(next))
    }

    @Test(arguments: StoreEngine.allCases)
    func fiveOfFiftyParallelAttemptsAreVerified(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let (store, now) = (fixture.store, fixture.clock.now)
        let email = try #require(EmailAddress("ada@example.com"))
        let outcomes = await Self.atOnce { _ in
            try await store.reserveAttempt(
                email, in: IdentityFixture.realm, from: .unknown, at: now, audit: Self.entry(.signIn, at: now))
        }
        #expect(outcomes.count(where: \.isSuccess) == 5)
        for case .failure(let error) in outcomes {
            guard (error as? ServiceError)?.code == .tooManyAttempts else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test(arguments: StoreEngine.allCases)
    func repeatedCallHasOneEffectUnderConcurrency(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let (store, now) = (fixture.store, fixture.clock.now)
        let idempotency = IdempotentCall(idempotencyKey: "k", paramsDigest: store.digest([1]), at: now)
        let outcomes = await Self.atOnce { number in
            let stored = Self.blank("account-\(number)", "ada@example.com", at: now)
            return try await store.create(
                stored, audit: Self.entry(.accountCreated, at: now), idempotency: idempotency,
                reply: Identity.CreateAccount.Reply(account: stored.account))
        }
        #expect(Set(try outcomes.map { try $0.get().account.id }).count == 1)
        #expect(try await fixture.auditActions().count { $0 == "account.created" } == 1)
    }

    /// The change causes no conflict by itself: only the recorded reply identifies the repetition.
    @Test(arguments: StoreEngine.allCases)
    func repeatedChangeIsAppliedOnce(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let made = try await fixture.signUp()
        let (store, now, id) = (fixture.store, fixture.clock.now, made.account.id)
        let idempotency = IdempotentCall(idempotencyKey: "k", paramsDigest: store.digest([1]), at: now)
        let outcomes = await Self.atOnce { number in
            try await store.change(
                id, in: IdentityFixture.realm, audit: Self.entry(.accountUpdated, at: now), idempotency: idempotency
            ) { stored in
                stored.account.displayName = (stored.account.displayName ?? "") + "x"
                return Identity.UpdateAccount.Reply(account: stored.account)
            }
        }
        #expect(try outcomes.allSatisfy { try $0.get().reply.account.displayName == "x" })
        #expect(try await store.account(id, in: IdentityFixture.realm)?.account.displayName == "x")
        #expect(try await fixture.auditActions().count { $0 == "account.updated" } == 1)
    }

    @Test(arguments: StoreEngine.allCases)
    func reusedKeyWithAnotherBodyIsRefused(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let (store, now) = (fixture.store, fixture.clock.now)
        func create(_ id: String, body: UInt8) async throws {
            _ = try await store.create(
                Self.blank(id, "\(id)@example.com", at: now), audit: Self.entry(.accountCreated, at: now),
                idempotency: IdempotentCall(idempotencyKey: "k", paramsDigest: store.digest([body]), at: now),
                reply: EmptyReply())
        }
        try await create("a", body: 1)
        await #expect(throws: ServiceError(.idempotencyKeyReused)) { try await create("b", body: 2) }
        #expect(try await store.account(AccountID("b"), in: IdentityFixture.realm) == nil)
    }

    /// All calls replace the same revision: one of them succeeds.
    @Test(arguments: StoreEngine.allCases)
    func configurationIsReplacedOnceUnderConcurrency(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let (store, now) = (fixture.store, fixture.clock.now)
        let project = try #require(try await store.project(IdentityFixture.realm.project))
        let outcomes = await Self.atOnce { _ in
            try await store.replaceConfiguration(
                project.id, project.configuration, expectedRevision: project.revision,
                audit: Self.entry(.configurationChanged, at: now), idempotency: nil)
        }
        #expect(outcomes.count(where: \.isSuccess) == 1)
        for case .failure(let error) in outcomes {
            #expect(error as? ServiceError == ServiceError(.configurationConflict))
        }
    }

    /// A process that was killed at its first start leaves tables without what identity stores in them next.
    @Test(arguments: StoreEngine.allCases)
    func auditLogBeginsInTablesThatExist(engine: StoreEngine) async throws {
        let place = try await StoreLocation(engine, name: "identity")
        let database = try await place.open()
        try await database.migrate(IdentityStore.migrations)
        let store = try await IdentityStore(database, keys: try ReloadingMasterKeyRing(.variable(.init(.random()))))
        #expect(try await store.verifyAudit() == .origin)
        await database.close()
    }

    /// Several processes start on one empty database: they agree on tables, project and signing key.
    @Test(arguments: StoreEngine.shared)
    func concurrentlyStartedProcessesAgree(engine: StoreEngine) async throws {
        let place = try await StoreLocation(engine, name: "identity")
        let masterKeys = try ReloadingMasterKeyRing(.variable(.init(.random())))
        let clock = ManualClock()
        let started = await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    do {
                        let store = try await IdentityStore(try await place.open(), keys: masterKeys)
                        let projects = ProjectCache(
                            store: store, isDev: true, now: { clock.now }, instant: { clock.instant })
                        try await projects.ensure(IdentityFixture.realm.project, apiKey: nil, traceID: "test")
                        let keys = SigningKeyRing(store: store, now: { clock.now })
                        _ = try await keys.rotateIfDue(.idToken, traceID: "test")
                        let project = try await projects.project(IdentityFixture.realm.project, traceID: "test")
                        return Result<_, any Error>.success(
                            (project.apiKey, try keys.active(.idToken, at: clock.now.timestamp).id))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let authentication = try started.map { try $0.get() }
        #expect(Set(authentication.map(\.0)).count == 1)
        #expect(Set(authentication.map(\.1)).count == 1)
    }

    private static func isSwept<Table: SQLTableDescription>(_: Table.Type) -> Bool {
        switch Table.expiry {
        case .after, .afterRetention, .afterLastUse: true
        case .never, .deletedBy: false
        }
    }

    @Test(arguments: StoreEngine.allCases)
    func transientRowsAreSwept(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let (store, clock) = (fixture.store, fixture.clock)
        let email = try #require(EmailAddress("ada@example.com"))
        for round in 0..<8 {
            let (session, token) = Session.open(
                for: AccountID("account-\(round)"), in: IdentityFixture.realm,
                authentication: AuthenticationContext(
                    authenticatedAt: clock.now.timestamp, signInProvider: "password"),
                at: clock.now, randomBytes: Random.bytes)
            _ = try await store.signUp(
                Self.blank("account-\(round)", "\(round)@example.com", at: clock.now),
                session: session, refreshToken: token, within: nil, BlockingFunctionResponses(events: []),
                audit: Self.entry(.accountCreated, at: clock.now),
                idempotency: IdempotentCall(
                    idempotencyKey: "k\(round)", paramsDigest: store.digest([1]), at: clock.now))
            _ = try await store.reserveAttempt(
                email, in: IdentityFixture.realm, from: .unknown, at: clock.now,
                audit: Self.entry(.signIn, at: clock.now))
            try await store.record(
                .init(ipAddress: "192.0.2.\(round)", userAgent: "agent"), of: AccountID("account-\(round)"),
                in: IdentityFixture.realm, at: clock.now)
            clock.advance(by: max(Session.idleLifetime, KnownClient.lifetime) + .seconds(1))
            try await fixture.service.runMaintenance(sweepAt: fixture.clock.now)
            let sweptTables = IdentityTables.all.filter { Self.isSwept($0) }.map { $0.table }
            let counts = try await store.read { transaction in
                try sweptTables.map { table in
                    // COUNT always returns a row.
                    try transaction.firstRow("SELECT COUNT(*) AS n FROM \(table)")!.get("n") as Int
                }
            }
            #expect(counts.allSatisfy { $0 == 0 }, "\(counts)")
        }
    }

    /// A session stays for its idle lifetime after the last use, also one that an earlier release opened.
    @Test(arguments: StoreEngine.allCases, [false, true])
    func usedSessionIsKept(engine: StoreEngine, isOfEarlierRelease: Bool) async throws {
        let fixture = try await IdentityFixture(engine)
        let day = Duration.seconds(24 * 60 * 60)
        var token = try await fixture.signUp().tokens.refreshToken
        if isOfEarlierRelease {
            try await fixture.store.write { transaction in
                try transaction.execute("UPDATE sessions SET expiry_check_at = 0")
            }
        }
        for pause in [40, 21, 59] {
            fixture.clock.advance(by: day * pause)
            try await fixture.service.runMaintenance(sweepAt: fixture.clock.now)
            token = try await fixture.refresh(token).refreshToken
        }
        fixture.clock.advance(by: day * 61)
        try await fixture.service.runMaintenance(sweepAt: fixture.clock.now)
        let count: Int = try await fixture.store.read { transaction in
            try transaction.firstRow("SELECT COUNT(*) AS n FROM sessions")!.get("n")  // COUNT always returns a row.
        }
        #expect(count == 0)
    }
}

extension Result {
    fileprivate var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}
