import Contracts
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

@Suite struct AuditOperationsTests {
    /// A log with more records than one request verifies.
    private func written(_ engine: StoreEngine, records: Int) async throws -> IdentityFixture {
        let fixture = try await IdentityFixture(engine)
        for number in 0..<records {
            try await fixture.store.audit(
                AuditEntry(
                    at: Moment(milliseconds: Int64(number)), realm: IdentityFixture.realm, action: .accountUpdated,
                    actor: .system, accountID: AccountID(number % 2 == 0 ? "ada" : "bob"), traceID: "t\(number)"))
        }
        try await fixture.store.linkAudit()
        return fixture
    }

    @Test func verificationContinuesAfterLastPosition() async throws {
        let fixture = try await written(.memory, records: 8)
        let end = try await fixture.store.verifyAudit()
        var last = AuditLink.origin
        var batches = 0
        while true {
            let part = try await fixture.store.verifyAudit(after: last, count: 3)
            last = part.last
            batches += 1
            if part.end == .reached { break }
            #expect(part.end == .notReached)
        }
        #expect(last == end && batches > 3)
        let reply = try await fixture.send(Identity.VerifyAuditLog())
        #expect(reply.violation == nil && reply.last?.link == end.number && !reply.isComplete)
        #expect(try await fixture.send(Identity.VerifyAuditLog(after: reply.last)).isComplete)
    }

    @Test func changedRecordIsNamedWithLastIntactLink() async throws {
        let fixture = try await written(.memory, records: 4)
        try await fixture.store.write { try $0.execute("UPDATE audit_log SET actor = 'x' WHERE link = 3") }
        let reply = try await fixture.send(Identity.VerifyAuditLog())
        #expect(reply.violation == .alteredRecord && reply.violatedLink == 3 && reply.last?.link == 2)
        #expect(reply.isComplete)
    }

    @Test(arguments: [
        Identity.AuditLogPosition(link: 0, chain: "AQ"), .init(link: -1, chain: "AQ"), .init(link: 1, chain: "%"),
    ])
    func malformedPositionIsRefused(position: Identity.AuditLogPosition) async throws {
        let fixture = try await written(.memory, records: 1)
        await #expect(throws: WireError.self) { try await fixture.send(Identity.VerifyAuditLog(after: position)) }
    }

    @Test(arguments: StoreEngine.allCases) func recordsAreListedNewestFirst(engine: StoreEngine) async throws {
        let fixture = try await written(engine, records: 6)
        let project = IdentityFixture.realm.project
        let bob = AccountID("bob")
        let first = try await fixture.send(Identity.ListAuditRecords(project: project, accountID: bob, limit: 2))
            .records
        #expect(first.map(\.traceID) == ["t5", "t3"])
        let rest = try await fixture.send(
            Identity.ListAuditRecords(project: project, accountID: bob, before: first.last?.sequence, limit: 500)
        ).records
        #expect(rest.map(\.traceID) == ["t1"])
        #expect(try await fixture.send(Identity.ListAuditRecords(limit: 500)).records.count > 6)
        for request in [
            Identity.ListAuditRecords(limit: 0), .init(limit: 501), .init(accountID: bob, limit: 1),
        ] {
            await #expect(throws: WireError.self) { try await fixture.send(request) }
        }
    }
}
