import Contracts
import Crypto
import MasterKey
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// Two methods of identity's store beside each other, in every order of their statements.
@Suite(.serialized) struct IdentityInterleavingTests {
    private typealias Plan = Interleavings<IdentityStore, OpenSession>

    /// The session of the account `ada`.
    private struct OpenSession: Sendable {
        var id: SessionID
        var token: RefreshToken
    }

    private static let now = Moment(milliseconds: 1_700_000_000_000)
    private static let later = now + .seconds(60)
    private static let realm = Realm(project: ProjectID("p"))
    private static let ada = AccountID("ada")
    private static let eve = AccountID("eve")

    private static func entry(_ action: AuditEntry.Action) -> AuditEntry {
        AuditEntry(at: later, realm: realm, action: action, actor: .administrator, traceID: "test")
    }

    private static func imported(_ id: AccountID, email: String, phone: String? = nil) -> Result<
        PreparedImport, ServiceError
    > {
        .success(
            PreparedImport(
                imported: .init(
                    id: id,
                    profile: .init(
                        email: email, emailVerified: true, phoneNumber: phone, validSince: Timestamp(seconds: 0),
                        createdAt: now))))
    }

    private static func store(
        _ accounts: [Result<PreparedImport, ServiceError>], in store: IdentityStore, overwriting: Bool = true
    ) async throws -> String {
        let result = try await store.importAccounts(
            accounts, in: realm, allowsOverwrite: overwriting, isDryRun: false, audit: entry(.accountsImported),
            idempotency: nil)
        return "\(result.rejections.map(\.reason.code.rawValue)) \(result.replaced.map(\.rawValue))"
    }

    /// Two accounts, of which one has a session.
    /// - Parameter isScheduled: `ada` is to be deleted.
    private static func plan(isScheduled: Bool = false) throws -> Plan {
        let keys = try ReloadingMasterKeyRing(.variable(.init(.random())))
        return Plan(
            open: { database in
                let store = try await IdentityStore(database, keys: keys)
                let project = Project.new(realm.project, apiKey: "the-key", isDev: true) { count in
                    Array(repeating: 1, count: count)
                }
                _ = try await store.createProject(project, at: now, audit: entry(.projectCreated))
                return store
            },
            prepare: { store in
                _ = try await Self.store(
                    [imported(ada, email: "ada@example.com"), imported(eve, email: "eve@example.com")], in: store)
                _ = try await store.createApplication(
                    application, audit: entry(.applicationCreated), idempotency: nil)
                let (session, token) = Session.open(
                    for: ada, in: realm,
                    authentication: AuthenticationContext(
                        authenticatedAt: now.timestamp, signInProvider: "password"), at: now
                ) { count in Array(repeating: 7, count: count) }
                try await store.write { try $0.open(session) }
                _ = try await store.insert(code(of: session), at: now, idempotency: nil, reply: .init(code: Secret("")))
                if isScheduled {
                    _ = try await store.change(ada, in: realm, audit: entry(.deletionScheduled), idempotency: nil) {
                        stored in
                        stored.scheduleDeletion(at: now, now: now)
                        return EmptyReply()
                    }
                }
                return OpenSession(id: session.id, token: token)
            },
            invariants: [
                .init(
                    "an address belongs to one account",
                    violations: """
                        SELECT COUNT(*) AS count FROM accounts AS a WHERE EXISTS (SELECT 1 FROM accounts AS b
                            WHERE b.project = a.project AND b.tenant = a.tenant AND b.account_id <> a.account_id
                            AND b.email_folded = a.email_folded)
                        """),
                .init(
                    "a session that can be refreshed belongs to an account",
                    violations: """
                        SELECT COUNT(*) AS count FROM sessions WHERE ended_at IS NULL AND NOT EXISTS (SELECT 1
                            FROM accounts WHERE accounts.account_id = sessions.account_id)
                        """),
            ],
            // Numbers and random IDs; the entries of the audit log are linked later.
            masking: [
                "known_clients.client_digest", "audit_log.*", "account_events.event_id", "account_events.position",
                "applications.application_id",
            ],
            keeping: ["projects"])
    }

    private static func changing(
        _ name: String, _ id: AccountID = ada, _ change: @Sendable @escaping (inout StoredAccount) throws -> Void
    ) -> Plan.Method {
        .init(name) { store, _ in
            let result = try await store.change(id, in: realm, audit: entry(.accountUpdated), idempotency: nil) {
                stored in
                try change(&stored)
                return EmptyReply()
            }
            return "\(result.revokesSessions)"
        }
    }

    private static let changeAddress = changing("change the address", eve) { stored in
        stored.changeEmail(to: try EmailAddress(checking: "new@example.com"), at: later)
    }
    private static let refresh = Plan.Method("refresh") { store, open in
        let result = try await store.redeem(
            open.token, of: realm.project, at: later, salt: Array(repeating: 3, count: 32), traceID: "test")
        switch result {
        case .refreshed(_, _, let token): return "\(token.generation)"
        case .refused(let error): return error.code.rawValue
        }
    }
    private static let delete = Plan.Method("delete") { store, _ in
        try await store.delete(ada, in: realm, at: later, audit: entry(.accountDeleted), idempotency: nil)
        return "deleted"
    }

    private static let deleteDue = Plan.Method("delete what is due") { store, _ in
        var deletions = 0
        for account in try await store.dueDeletions(at: later, limit: 10) {
            do {
                try await store.delete(
                    account.accountID, in: account.realm, at: later, audit: entry(.accountDeleted), idempotency: nil
                ) { try $0.requireDueDeletion(at: later) }
                deletions += 1
            } catch let error as ServiceError where error.code == .accountNotFound {}
        }
        return "\(deletions)"
    }
    private static let restore = changing("restore") { stored in
        try stored.requireActive(tokenIssuedAt: later.timestamp, in: .restoration)
        stored.cancelDeletion(at: later)
    }
    private static let schedule = changing("schedule the deletion") { stored in
        try stored.requireActive(tokenIssuedAt: later.timestamp)
        stored.scheduleDeletion(at: later, now: later)
    }

    private static let seeClient = Plan.Method("see a client") { store, _ in
        let client = ClientContext(ipAddress: "192.0.2.7", userAgent: "agent")
        return "\(try await store.write { try store.recordIfNew(client, of: ada, in: realm, at: later, $0) })"
    }

    private static func endingSessions(_ name: String, _ selection: OwnSessions.Selection) -> Plan.Method {
        .init(name) { store, open in
            let owner = Principal(
                accountID: ada, realm: realm, issuedAt: later.timestamp, authenticatedAt: now.timestamp,
                signInProvider: "password")
            try await store.endSessions(
                selection, ofOwner: owner, signedInAs: open.id, at: later, audit: entry(.sessionEnded), idempotency: nil
            )
            return ""
        }
    }

    private static let application = Identity.Application(
        id: ApplicationID("c"), project: realm.project,
        registration: .init(displayName: "Shop", kind: .web, redirectURLs: ["https://a.example/"]), apiKey: "the-key",
        createdAt: now, revision: 1)

    private static let codeText = AuthorizationCodeText(secret: Array(repeating: 9, count: 32))
    private static let verifier = String(repeating: "v", count: 43)

    private static func code(of session: Session) -> AuthorizationCode {
        AuthorizationCode(
            hash: codeText.hash, realm: realm, accountID: ada, signInID: session.id, application: application.id,
            redirectURL: "https://a.example/",
            challenge: .init(accepted: Base64URL.encode(SHA2.sha256(Array(verifier.utf8)))), nonce: nil,
            createdAt: later)
    }

    /// - Parameter byte: of the random bytes of its session.
    private static func redeeming(_ name: String, verifier: String, byte: UInt8) -> Plan.Method {
        .init(name) { store, _ in
            let (session, token) = Session.open(
                for: ada, in: realm,
                authentication: AuthenticationContext(authenticatedAt: later.timestamp, signInProvider: ""), at: later
            ) { count in Array(repeating: byte, count: count) }
            let redeem = {
                try await store.redeem(
                    codeText,
                    .init(application: application.id, redirectURL: "https://a.example/", verifier: verifier),
                    SessionPolicy(), opening: session, token, idempotency: nil, audit: { entry($0) }
                ).opened != nil
            }
            do {
                return "\(try await redeem())"
            } catch SQLError.uniqueViolation {
                // Beside itself: both have the same session, which random bytes never have.
                return "\(try await redeem())"
            }
        }
    }

    private static let redeem = redeeming("redeem a code", verifier: verifier, byte: 8)
    private static let redeemAgain = redeeming("redeem the code again", verifier: verifier, byte: 9)
    private static let endSession = Plan.Method("end the session") { store, open in
        try await store.endSession(
            open.id, of: ada, in: realm, at: later, audit: entry(.accountUpdated), idempotency: nil)
        return ""
    }

    private static let addActivity = Plan.Method("add activity") { store, _ in
        let increments = ActivityIncrement.all(
            of: [.init(project: realm.project, counter: .signUp(.password), amount: 2, ageSeconds: 0)], at: later)
        _ = try await store.add(increments, idempotency: nil)
        return ""
    }

    private static let methods: [Plan.Method] = [
        changeAddress,
        changing("take the address") { stored in
            stored.changeEmail(to: try EmailAddress(checking: "new@example.com"), at: later)
        },
        changing("rename") { stored in try stored.setProfile(displayName: "Ada", photoURL: nil) },
        changing("disable") { stored in stored.account.disabled = true },
        .init("import with the address") { store, _ in
            try await Self.store([imported(AccountID("joe"), email: "new@example.com")], in: store)
        },
        .init("import again") { store, _ in
            try await Self.store([imported(ada, email: "ada@example.com", phone: "+12025550170")], in: store)
        },
        .init("keep") { store, _ in
            try await Self.store([imported(AccountID("joe"), email: "joe@example.com")], in: store, overwriting: false)
        },
        refresh, delete,
        .init("delete all") { store, _ in
            let reply = try await store.delete(
                [eve, ada], in: realm, force: true, at: later, idempotency: nil, audit: { _ in entry(.accountDeleted) })
            return "\(reply.skippedIndices)"
        },
        .init("register an application") { store, _ in
            var another = application
            another.id = ApplicationID(Random.bytes(16).hexadecimal)
            _ = try await store.createApplication(another, audit: entry(.applicationCreated), idempotency: nil)
            return ""
        },
        .init("replace an application") { store, _ in
            let project = try #require(try await store.project(realm.project))
            let replaced = try await store.replaceApplication(
                application.id, of: project, application.registration, expectedRevision: 1,
                audit: entry(.applicationChanged), idempotency: nil)
            return "\(replaced.revision)"
        },
        .init("delete an application") { store, _ in
            _ = try await store.deleteApplication(
                application.id, of: realm.project, audit: entry(.applicationDeleted), idempotency: nil)
            return ""
        },
        .init("remember a device") { store, open in
            let secret = DeviceSecret(secret: Array(repeating: 5, count: DeviceSecret.secretBytes))
            let owner = Principal(
                accountID: ada, realm: realm, issuedAt: later.timestamp, authenticatedAt: now.timestamp,
                signInProvider: "password")
            try await store.remember(
                RememberedDevice(secret, days: 30, device: nil, signInID: open.id, at: later), inPlaceOf: [secret],
                ofOwner: owner, audit: entry(.deviceRemembered), authorize: { _ in })
            return ""
        },
        addActivity,
        endSession, redeem,
        redeeming("redeem a stolen code", verifier: String(repeating: "w", count: 43), byte: 10), seeClient,
        endingSessions("end the others", .others), endingSessions("end all", .all), schedule, restore,
    ]

    @Test(arguments: StoreEngine.shared) func addressHasOneAccount(engine: StoreEngine) async throws {
        let plan = try Self.plan()
        for other in [Self.methods[1], Self.methods[4]] {
            let report = try await plan.run(Self.changeAddress, other, on: engine, switches: 1)
            #expect(report.failures.isEmpty, "\(report.failures.first ?? "")")
        }
    }

    @Test(arguments: StoreEngine.shared) func deletedAccountHasNoSession(engine: StoreEngine) async throws {
        let report = try await Self.plan().run(Self.refresh, Self.delete, on: engine, switches: 1)
        #expect(report.failures.isEmpty, "\(report.failures.first ?? "")")
    }

    /// Restored or deleted, and its owner is told which.
    @Test(arguments: StoreEngine.shared) func scheduledAccountIsRestoredOrDeleted(engine: StoreEngine) async throws {
        let plan = try Self.plan(isScheduled: true)
        for other in [Self.restore, Self.schedule, Self.delete, Self.deleteDue] {
            let report = try await plan.run(Self.deleteDue, other, on: engine, switches: 1)
            #expect(report.failures.isEmpty, "\(other.name): \(report.failures.first ?? "")")
        }
    }

    /// So that its owner gets one notice.
    @Test(arguments: StoreEngine.shared) func clientIsNewOnce(engine: StoreEngine) async throws {
        let report = try await Self.plan().run(Self.seeClient, Self.seeClient, on: engine, switches: 1)
        #expect(report.failures.isEmpty, "\(report.failures.first ?? "")")
    }

    /// Two cells add at once.
    @Test(arguments: StoreEngine.shared) func noIncrementIsLost(engine: StoreEngine) async throws {
        let report = try await Self.plan().run(Self.addActivity, Self.addActivity, on: engine, switches: 1)
        #expect(report.failures.isEmpty, "\(report.failures.first ?? "")")
    }

    @Test(arguments: StoreEngine.shared) func codeIsRedeemedOnce(engine: StoreEngine) async throws {
        let plan = try Self.plan()
        for other in [Self.redeemAgain, Self.endSession] {
            let report = try await plan.run(Self.redeem, other, on: engine, switches: 1)
            #expect(report.failures.isEmpty, "\(report.failures.first ?? "")")
        }
    }

    /// Each pair of methods, also of one with itself. `make test-interleavings` runs it.
    @Test(.enabled(if: Interleaving.isFullTest), arguments: StoreEngine.shared)
    func everyPairEndsLikeASerialOrder(engine: StoreEngine) async throws {
        let report = try await Self.plan().runAllPairs(of: Self.methods, on: engine)
        for failure in report.failures { Issue.record("\(failure)") }
        print("\(engine): \(report.orders) orders")
    }
}
