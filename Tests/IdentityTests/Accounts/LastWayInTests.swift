import Contracts
import MasterKey
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// A removal that keeps the last way in is decided in its transaction.
@Suite(.serialized) struct LastWayInTests {
    private typealias Plan = Interleavings<IdentityStore, EmptyReply>

    private static let now = Moment(milliseconds: 1_700_000_000_000)
    private static let realm = Realm(project: ProjectID("p"))
    private static let ada = AccountID("ada")

    private static func entry(_ action: AuditEntry.Action) -> AuditEntry {
        AuditEntry(at: now, realm: realm, action: action, actor: .account(ada), traceID: "test")
    }

    /// An account with two passkeys, and no other way in.
    private static func plan() throws -> Plan {
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
                let account = PreparedImport(
                    imported: .init(
                        id: ada,
                        profile: .init(
                            email: "ada@example.com", validSince: Timestamp(seconds: 0), createdAt: now)))
                _ = try await store.importAccounts(
                    [.success(account)], in: realm, allowsOverwrite: true, isDryRun: false,
                    audit: entry(.accountsImported), idempotency: nil)
                _ = try await store.change(ada, in: realm, audit: entry(.accountUpdated), idempotency: nil) { stored in
                    stored.account.passkeys = [PasskeyTests.passkey(1), PasskeyTests.passkey(2)]
                    return EmptyReply()
                }
                return EmptyReply()
            },
            invariants: [
                .init(
                    "an account keeps a way in",
                    violations: """
                        SELECT COUNT(*) AS count FROM accounts WHERE NOT EXISTS (SELECT 1 FROM passkeys
                            WHERE passkeys.account_id = accounts.account_id)
                        """)
            ],
            masking: ["audit_log.*", "account_events.event_id", "account_events.position"], keeping: ["projects"])
    }

    private static func removing(_ number: UInt8) -> Plan.Method {
        .init("remove passkey \(number)") { store, _ in
            let authentication = AuthenticationContext(authenticatedAt: now.timestamp, signInProvider: "password")
            let change = OwnerChange(
                changes: .init(removals: [.passkey(PasskeyTests.id(number))], keepsWayIn: true),
                principal: Principal(
                    accountID: ada, realm: realm, issuedAt: now.timestamp, authenticatedAt: now.timestamp,
                    signInProvider: "password"),
                presented: authentication, policy: .init(allowsPasswords: true, wantsNewEmailVerified: false),
                now: now)
            _ = try await store.change(ada, in: realm, audit: entry(.accountUpdated), idempotency: nil) { stored in
                try change.apply(to: &stored, passwordRecord: nil)
                return EmptyReply()
            }
            return "removed"
        }
    }

    @Test(arguments: StoreEngine.shared) func twoRemovalsLeaveAWayIn(engine: StoreEngine) async throws {
        let report = try await Self.plan().run(Self.removing(1), Self.removing(2), on: engine, switches: 1)
        #expect(report.failures.isEmpty, "\(report.failures.first ?? "")")
    }

    /// REST calls do not ask to keep it, as in production.
    @Test func onlyWhoAsksKeepsTheLastWayIn() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        await #expect(throws: ServiceError(.onlyWayIn)) {
            try await fixture.changeOwn(ada.tokens, .init(removals: [.password], keepsWayIn: true))
        }
        let kept = try await fixture.enroll(PasskeyTests.passkey(1), ada.tokens)
        let removed = try await fixture.changeOwn(kept.tokens, .init(removals: [.password], keepsWayIn: true))
        #expect(!removed.account.hasPassword)
        let passkey = Identity.AccountChanges.Removal.passkey(PasskeyTests.id(1))
        await #expect(throws: ServiceError(.onlyWayIn)) {
            try await fixture.changeOwn(removed.tokens, .init(removals: [passkey], keepsWayIn: true))
        }
        let last = try await fixture.changeOwn(removed.tokens, .init(removals: [passkey]))
        #expect(last.account.passkeys.isEmpty)
    }
}
