import Contracts
import MasterKey
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// Two requests with codes of one address beside each other, in every order of their statements.
@Suite(.serialized) struct EmailCodeInterleavingTests {
    private typealias Plan = Interleavings<IdentityStore, TypedCodes>

    private struct TypedCodes: Sendable {
        var right: TypedEmailCode
        var wrong: TypedEmailCode
    }

    private static let now = Moment(milliseconds: 1_700_000_000_000)
    private static let realm = Realm(project: ProjectID("p"))
    private static let ada = AccountID("ada")

    private static func entry(_ action: AuditEntry.Action) -> AuditEntry {
        AuditEntry(at: now, realm: realm, action: action, actor: .anonymous, traceID: "test")
    }

    /// The code in a session whose bytes are `byte`.
    private static func issue(_ byte: UInt8, in store: IdentityStore) async throws -> TypedCodes {
        let session = store.sessionHash(of: ActionCode.Text(bytes: Array(repeating: byte, count: 32)))
        let digest = store.digest(of: Secret("123456"), in: session)
        let code = ActionCode(
            .verifyEmail, in: realm, accountID: ada, email: try EmailAddress(checking: "ada@example.com"),
            digits: EmailCode(digest: digest), at: now)
        _ = try await store.issue(
            NewActionCode(hash: session, code: code, owner: ada), from: EmailSender(), hidesAccounts: false,
            audit: entry(.actionCodeIssued)
        ) { _, _ in nil }
        func typed(_ code: String) -> TypedEmailCode {
            TypedEmailCode(
                session: session, digest: store.digest(of: Secret(code), in: session), client: .init(),
                network: ClientNetwork("192.0.2.1"))
        }
        return TypedCodes(right: typed("123456"), wrong: typed("654321"))
    }

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
                return try await issue(7, in: store)
            },
            invariants: [
                .init(
                    "a code admits five wrong ones",
                    violations: "SELECT COUNT(*) AS count FROM action_codes WHERE failures > 5"),
                .init(
                    "an address has one code of a purpose",
                    violations: """
                        SELECT COUNT(*) AS count FROM action_codes AS a WHERE EXISTS (SELECT 1 FROM action_codes AS b
                            WHERE b.email_folded = a.email_folded AND b.purpose = a.purpose AND b.sequence <> a.sequence)
                        """),
            ],
            // Numbers and random IDs; the entries of the audit log are linked later.
            masking: [
                "audit_log.*", "audit_refusals.*", "action_codes.sequence", "sending_quotas.sequence",
                "account_events.event_id", "account_events.position",
            ],
            keeping: ["projects"])
    }

    private static func typing(_ name: String, _ code: @Sendable @escaping (TypedCodes) -> TypedEmailCode)
        -> Plan.Method
    {
        .init(name) { store, codes in
            let result = try await store.verifyEmail(
                byCode: code(codes), in: realm, at: now, audit: entry(.emailVerified), idempotency: nil)
            return switch result {
            case .accepted(let changed): "\(changed.reply.emailVerified)"
            case .refused(let refusal): refusal.error.code.rawValue
            }
        }
    }

    private static let right = typing("right code") { $0.right }
    private static let wrong = typing("wrong code") { $0.wrong }
    private static let another = Plan.Method("another code") { store, _ in
        _ = try await issue(8, in: store)
        return ""
    }

    @Test(arguments: StoreEngine.shared) func everyPairEndsLikeASerialOrder(engine: StoreEngine) async throws {
        let plan = try Self.plan()
        let pairs = [
            (Self.right, Self.right), (Self.right, Self.wrong), (Self.wrong, Self.wrong), (Self.right, Self.another),
            (Self.wrong, Self.another), (Self.another, Self.another),
        ]
        for (one, other) in pairs {
            let report = try await plan.run(one, other, on: engine, switches: 1)
            #expect(report.failures.isEmpty, "\(report.failures.first ?? "")")
        }
    }
}
