import Contracts
import DatabaseService
import Delivery
import SQL
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// What is deleted with an account, and who is told. Serialized: each test uses several connections.
@Suite(.serialized) struct AccountDeletionTests {
    /// The services that store something about accounts.
    private final class Holders: Sendable {
        typealias Request = DeletedAccountOutbox.Item
        private struct State {
            var requests: [Request] = []
            var refusals: [AccountDataHolder: WireError.Code] = [:]
        }
        private let state = Mutex(State())

        func receive(_ request: Request) throws(ServiceError) {
            try state.withLock { state throws(ServiceError) in
                state.requests.append(request)
                if let refusal = state.refusals[request.holder] { throw ServiceError(refusal) }
            }
        }
        func refuse(_ holder: AccountDataHolder, _ refusal: WireError.Code?) {
            state.withLock { $0.refusals[holder] = refusal }
        }
        var requests: [Request] { state.withLock { $0.requests } }

        func accounts(toldTo holder: AccountDataHolder) -> Set<AccountID> {
            Set(requests.filter { $0.holder == holder }.flatMap { $0.accounts.map(\.id) })
        }
    }

    private static func outbox(_ fixture: IdentityFixture, _ holders: Holders) -> DeletedAccountOutbox {
        let mesh = ScriptedMesh(as: .identity)
        func script<Service: AccountDataService & SendableMetatype>(_: Service.Type, _ holder: AccountDataHolder) {
            mesh.reply(to: ForgetAccounts<Service>.self) { request in
                try holders.receive(.init(holder: holder, realm: request.realm, accounts: request.accounts))
                return EmptyReply()
            }
        }
        script(Passkey.self, .passkey)
        script(MFATOTP.self, .mfaTOTP)
        script(MFASMS.self, .mfaSMS)
        return DeletedAccountOutbox(
            fixture.store, peers: mesh, now: { fixture.clock.now }, metrics: fixture.metrics,
            log: Log(instance: "identity.1", write: fixture.log.append))
    }

    /// The outbox, and the state of its loop.
    private struct Dispatcher {
        let fixture: IdentityFixture
        let outbox: DeletedAccountOutbox
        var state = DeletedAccountOutbox.State(DeletedAccountOutbox.limits)

        init(_ fixture: IdentityFixture, _ holders: Holders) {
            self.fixture = fixture
            outbox = AccountDeletionTests.outbox(fixture, holders)
        }

        mutating func dispatch() async throws {
            try await outbox.deliverDueRows(&state, at: fixture.clock, jitter: 1)
        }
    }

    private static func waiting(_ fixture: IdentityFixture) async throws -> Int {
        try await fixture.store.deletionBacklog().values.reduce(0) { $0 + $1.count }
    }

    private static func metric(_ fixture: IdentityFixture, _ name: String, _ holder: AccountDataHolder) -> Double? {
        fixture.metrics.snapshot().first { $0.name == name && $0.labels["receiver"] == holder.rawValue }?.value
    }

    // MARK: Who is told

    enum Deletion: CaseIterable {
        case byOwner, byAdministrator, inBatch, withTenant, byClearing
    }

    @Test(arguments: StoreEngine.allCases, Deletion.allCases)
    func everyServiceIsToldOfEveryDeletedAccount(engine: StoreEngine, deletion: Deletion) async throws {
        let fixture = try await IdentityFixture(engine)
        let holders = Holders()
        var dispatcher = Dispatcher(fixture, holders)
        let realm = deletion == .withTenant ? try await fixture.makeTenant() : IdentityFixture.realm
        let made = try await fixture.send(
            Identity.SignUp(realm: realm, email: "ada@example.com", password: Secret("correct-horse-9")))
        let id = made.account.id
        fixture.clock.advance(by: .seconds(1))
        switch deletion {
        case .byOwner:
            _ = try await fixture.send(Identity.DeleteOwnAccount(realm: realm, idToken: made.tokens.idToken))
        case .byAdministrator:
            _ = try await fixture.send(Identity.DeleteAccount(realm: realm, accountID: id))
        case .inBatch:
            _ = try await fixture.send(Identity.DeleteAccounts(realm: realm, accountIDs: [id], force: true))
        case .withTenant:
            _ = try await fixture.send(
                Identity.DeleteTenant(project: realm.project, tenant: try #require(realm.tenant)))
            while try await fixture.store.deleteTenantData(at: fixture.clock.now) {}
        case .byClearing:
            while try await fixture.send(Identity.ClearAccounts(realm: realm)).hasMore {}
        }
        try await dispatcher.dispatch()
        let expected = DeletedAccount(id: id, deletedAt: fixture.clock.now)
        #expect(
            holders.requests
                == AccountDataHolder.allCases.map { .init(holder: $0, realm: realm, accounts: [expected]) })
        #expect(try await Self.waiting(fixture) == 0)
        try await dispatcher.dispatch()
        #expect(holders.requests.count == AccountDataHolder.allCases.count)
    }

    @Test func unavailableServiceIsToldLaterAndOthersAtOnce() async throws {
        let fixture = try await IdentityFixture()
        let holders = Holders()
        var dispatcher = Dispatcher(fixture, holders)
        let id = try await fixture.signUp().account.id
        _ = try await fixture.send(Identity.DeleteAccount(realm: IdentityFixture.realm, accountID: id))
        holders.refuse(.passkey, .unavailable)
        holders.refuse(.mfaSMS, .internal)
        fixture.clock.advance(by: .seconds(2))
        try await dispatcher.dispatch()
        #expect(try await Self.waiting(fixture) == 2)
        try await dispatcher.outbox.measure(at: fixture.clock.now)
        let pending = "latchkey_identity_pending_account_deletions"
        #expect(Self.metric(fixture, pending, .passkey) == 1)
        #expect(Self.metric(fixture, "latchkey_identity_oldest_pending_account_deletion_seconds", .passkey) == 2)
        #expect(Self.metric(fixture, pending, .mfaTOTP) == 0)
        #expect(Self.metric(fixture, pending, .mfaSMS) == 1)
        for receiver in ["passkey", "mfa-sms"] {
            let line = "delivery.receiver-unavailable outbox=deleted-accounts receiver=\(receiver)"
            #expect(fixture.log.count(of: line) == 1)
        }
        #expect(fixture.log.count(of: "account-deletion.not-accepted") == 1)
        // Not before its pause is over.
        try await dispatcher.dispatch()
        #expect(holders.requests.count { $0.holder == .passkey } == 1)

        holders.refuse(.passkey, nil)
        holders.refuse(.mfaSMS, nil)
        fixture.clock.advance(by: .seconds(1))
        try await dispatcher.dispatch()
        #expect(try await Self.waiting(fixture) == 0)
        try await dispatcher.outbox.measure(at: fixture.clock.now)
        #expect(Self.metric(fixture, pending, .passkey) == 0)
        for holder in AccountDataHolder.allCases { #expect(holders.accounts(toldTo: holder) == [id]) }
    }

    @Test(arguments: StoreEngine.shared) func requestsAreBounded(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let holders = Holders()
        let limit = DeletedAccountOutbox.maximumAccounts
        let ids = (0...(2 * limit)).map { AccountID("account-\($0)") }
        let now = fixture.clock.now
        try await fixture.store.write { transaction in
            for id in ids {
                try transaction.execute(
                    DeletedAccountTable.saving, SQLRecord(id, in: IdentityFixture.realm) + [.deletedAt: now])
            }
        }
        var dispatcher = Dispatcher(fixture, holders)
        try await dispatcher.dispatch()
        #expect(holders.requests.filter { $0.holder == .passkey }.map(\.accounts.count) == [limit, limit, 1])
        for holder in AccountDataHolder.allCases { #expect(holders.accounts(toldTo: holder) == Set(ids)) }
        #expect(try await Self.waiting(fixture) == 0)
    }

    /// The reply to an earlier deletion of the same ID says nothing about the later one.
    @Test(arguments: StoreEngine.allCases) func laterDeletionIsNotAcknowledgedByEarlierOne(engine: StoreEngine)
        async throws
    {
        let fixture = try await IdentityFixture(engine)
        let id = AccountID("ada")
        let (first, second) = (fixture.clock.now, fixture.clock.now + .seconds(1))
        for deletedAt in [first, second] {
            try await fixture.store.write { transaction in
                try transaction.execute(
                    DeletedAccountTable.saving, SQLRecord(id, in: IdentityFixture.realm) + [.deletedAt: deletedAt])
            }
        }
        try await fixture.store.acknowledge(
            [DeletedAccount(id: id, deletedAt: first)], of: IdentityFixture.realm, by: .passkey)
        let left = try await fixture.store.deletedAccounts(unknownTo: .passkey, limit: 10)
        #expect(left == [IdentityFixture.realm: [DeletedAccount(id: id, deletedAt: second)]])
    }

    /// A service that an installation does not run never replies.
    @Test func rowsExpire() async throws {
        let fixture = try await IdentityFixture()
        let id = try await fixture.signUp().account.id
        _ = try await fixture.send(Identity.DeleteAccount(realm: IdentityFixture.realm, accountID: id))
        fixture.clock.advance(by: .seconds(30 * 86_400))
        try await fixture.store.sweep(at: fixture.clock.now)
        #expect(try await Self.waiting(fixture) == AccountDataHolder.allCases.count)
        fixture.clock.advance(by: .milliseconds(1))
        try await fixture.store.sweep(at: fixture.clock.now)
        #expect(try await Self.waiting(fixture) == 0)
    }

    // MARK: What is deleted

    @Test(arguments: StoreEngine.allCases)
    func sessionsOfDeletedAccountSayNothingAboutItsOwner(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let session = try await fixture.providerSession(
            IdentityFixture.person(attributes: #"{"groups":["a"]}"#))
        let other = try await fixture.providerSession(
            IdentityFixture.person("7", email: "eve@example.com", attributes: #"{"groups":["b"]}"#))
        // One session has ended before.
        try await fixture.store.write { transaction in
            try transaction.execute("UPDATE sessions SET claims = '{\"plan\":\"gold\"}', device = 'Firefox'")
            try transaction.execute(
                SessionTable.endOfAccount,
                SQLRecord(session.account.id, in: IdentityFixture.realm) + [.endedAt: Moment(milliseconds: 5)])
        }
        _ = try await fixture.providerSession(IdentityFixture.person(attributes: #"{"groups":["a"]}"#))
        let id = session.account.id
        _ = try await fixture.send(Identity.DeleteAccount(realm: IdentityFixture.realm, accountID: id))
        let rows = try await fixture.store.read { transaction in
            try transaction.rows(
                "SELECT account_id, claims, sign_in_attributes, client_address, device, ended_at FROM sessions")
        }
        #expect(rows.count == 3)
        for row in rows {
            let texts: [String?] = [
                try row.getIfPresent("claims"), try row.getIfPresent("sign_in_attributes"),
                try row.getIfPresent("client_address"), try row.getIfPresent("device"),
            ]
            let endedAt: Int64? = try row.getIfPresent("ended_at")
            if try row.get("account_id") == id.rawValue {
                #expect(texts == [nil, nil, nil, nil])
                #expect(endedAt == 5 || endedAt == fixture.clock.now.milliseconds)
            } else {
                #expect(texts[0] == #"{"plan":"gold"}"# && texts[1] != nil)
                #expect(texts[2] == "192.0.2.1" && texts[3] == "Firefox")
            }
        }
        // Their tokens are recognized.
        await #expect(throws: ServiceError(.accountNotFound)) {
            try await fixture.refresh(session.tokens.refreshToken)
        }
        _ = try await fixture.refresh(other.tokens.refreshToken)
    }

    /// A link for a sign-in belongs to an address, and a proof of a number to whoever has verified it.
    @Test func unownedCodesOfAddressAndNumberAreDeleted() async throws {
        let fixture = try await IdentityFixture()
        let id = try await fixture.signUp().account.id
        _ = try await fixture.change(id, .init(phoneNumber: "+12025550101"))
        try await fixture.send(.emailSignIn)
        try await fixture.send(.emailSignIn, "eve@example.com")
        let expiry = fixture.clock.now + .seconds(600)
        try await fixture.store.write { transaction in
            for number in ["+12025550101", "+12025550102"] {
                try transaction.execute(
                    TemporaryProofTable.insertion,
                    SQLRecord(IdentityFixture.realm) + [
                        .proofHash: Array(number.utf8), .phoneNumber: number, .expiresAt: expiry,
                    ])
            }
        }
        _ = try await fixture.send(Identity.DeleteAccount(realm: IdentityFixture.realm, accountID: id))
        let (emails, numbers) = try await fixture.store.read { transaction in
            (
                try transaction.rows("SELECT email FROM action_codes").map { try $0.get("email") as String },
                try transaction.rows("SELECT phone_number FROM temporary_proofs").map {
                    try $0.get("phone_number") as String
                }
            )
        }
        #expect(emails == ["eve@example.com"] && numbers == ["+12025550102"])
    }

    // MARK: Who may delete

    /// A session of before the enrollment has not shown the factor.
    @Test func sessionWithoutEnrolledFactorDoesNotDeleteTheAccount() async throws {
        let fixture = try await IdentityFixture()
        let before = try await fixture.signUpVerified()
        let enrolled = try await fixture.enrollTOTP(before.tokens)
        await #expect(throws: ServiceError(.secondFactorRequired)) {
            try await fixture.send(
                Identity.DeleteOwnAccount(realm: IdentityFixture.realm, idToken: before.tokens.idToken))
        }
        _ = try await fixture.lookUp(enrolled.tokens.idToken)
        _ = try await fixture.send(
            Identity.DeleteOwnAccount(realm: IdentityFixture.realm, idToken: enrolled.tokens.idToken))
    }

    // MARK: Repetition

    /// The person behind a request may have changed the network when it comes again.
    @Test func repetitionFromAnotherClientGetsTheRecordedReply() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUpVerified()
        let key = String(repeating: "a", count: 32)
        func enroll(_ address: String, _ name: String = "app") async throws -> TokenSet {
            try await fixture.send(
                Identity.EnrollFactor(
                    realm: IdentityFixture.realm, idToken: made.tokens.idToken, factorID: FactorID("f"), kind: .totp,
                    displayName: name, client: ClientContext(ipAddress: address)), idempotencyKey: key
            ).tokens
        }
        let first = try await enroll("192.0.2.1")
        #expect(try await enroll("192.0.2.2").refreshToken == first.refreshToken)
        await #expect(throws: ServiceError(.idempotencyKeyReused)) { _ = try await enroll("192.0.2.1", "other") }
    }
}
