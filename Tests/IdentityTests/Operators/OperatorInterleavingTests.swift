import Contracts
import MasterKey
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// Two methods about operators beside each other, in every order of their statements.
@Suite(.serialized) struct OperatorInterleavingTests {
    private typealias Plan = Interleavings<IdentityStore, OperatorSession>

    private static let now = Moment(milliseconds: 1_700_000_000_000)
    private static let later = now + .seconds(60)

    private static func entry(_ action: AuditEntry.Action) -> AuditEntry {
        AuditEntry(at: later, realm: .operators, action: action, actor: .administrator, traceID: "test")
    }

    private static func email() throws -> EmailAddress { try EmailAddress(checking: "ola@example.com") }

    private static func grant(_ role: Identity.OperatorRole, in store: IdentityStore) async throws -> AccountID {
        var blank = StoredAccount(id: AccountID("ola"), in: .operators, at: now)
        try blank.apply(.init(email: "ola@example.com", emailVerified: true), passwordRecord: nil, at: now)
        return try await store.grant(.init(role: role), to: blank, email: email()) { _ in entry(.operatorGranted) }
            .operator.accountID
    }

    private static func session(_ number: UInt8, of id: AccountID) -> OperatorSession {
        OperatorSession(
            tokenHash: Array(repeating: number, count: 32), accountID: id, createdAt: now, lastUsedAt: now)
    }

    /// An operator with a session.
    private static func plan() throws -> Plan {
        let keys = try ReloadingMasterKeyRing(.variable(.init(.random())))
        return Plan(
            open: { database in
                let store = try await IdentityStore(database, keys: keys)
                let project = Project.new(.operators, isDev: false) { count in Array(repeating: 1, count: count) }
                _ = try await store.createProject(project, at: now, audit: entry(.projectCreated))
                return store
            },
            prepare: { store in
                let session = session(1, of: try await grant(.support, in: store))
                try await store.open(session, insteadOf: nil, audit: entry(.operatorSessionOpened))
                return session
            },
            invariants: [
                .init(
                    "a session belongs to an operator with a role",
                    violations: """
                        SELECT COUNT(*) AS count FROM operator_sessions WHERE NOT EXISTS (SELECT 1
                            FROM operator_grants WHERE operator_grants.account_id = operator_sessions.account_id)
                        """)
            ], masking: ["audit_log.*", "account_events.event_id", "account_events.position"], keeping: ["projects"])
    }

    private static let methods: [Plan.Method] = [
        .init("raise the role") { store, _ in try await grant(.administrator, in: store).rawValue },
        .init("lower the role") { store, _ in try await grant(.viewer, in: store).rawValue },
        .init("remove") { store, _ in
            try await store.removeOperator(email(), project: nil, idempotency: nil) { _ in entry(.operatorRemoved) }
            return ""
        },
        .init("reset") { store, _ in
            try await store.resetOperator(email()) { _ in entry(.operatorReset) }.rawValue
        },
        .init("open a session") { store, former in
            try await store.open(
                session(2, of: former.accountID), insteadOf: former.tokenHash, audit: entry(.operatorSessionOpened))
            return ""
        },
        .init("end the sessions") { store, session in
            try await store.endOperatorSessions(of: session.accountID, nil, audit: entry(.operatorSessionEnded))
            return ""
        },
        .init("use the session") { store, session in
            try await store.recordUse(of: session, at: later)
            return "\(try await store.operatorSession(session.tokenHash, at: later) != nil)"
        },
    ]

    @Test(arguments: StoreEngine.shared) func removedOperatorOpensNoSession(engine: StoreEngine) async throws {
        let report = try await Self.plan().run(Self.methods[2], Self.methods[4], on: engine, switches: 1)
        #expect(report.failures.isEmpty, "\(report.failures.first ?? "")")
    }

    /// `make test-interleavings` runs it.
    @Test(.enabled(if: Interleaving.isFullTest), arguments: StoreEngine.shared)
    func everyPairEndsLikeASerialOrder(engine: StoreEngine) async throws {
        let report = try await Self.plan().runAllPairs(of: Self.methods, on: engine)
        for failure in report.failures { Issue.record("\(failure)") }
    }
}
