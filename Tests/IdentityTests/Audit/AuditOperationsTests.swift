import Contracts
import Crypto
import SQL
import Synchronization
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

    /// A new log, and that of a mesh that was stopped for some time: the operator asks before identity has confirmed its end.
    @Test(arguments: [Duration.zero, .seconds(3600)])
    func firstVerificationConfirmsTheEnd(stoppedFor pause: Duration) async throws {
        let fixture = try await IdentityFixture(.memory)
        if pause > .zero { try await fixture.service.runMaintenance(sweepAt: nil) }
        fixture.clock.advance(by: pause)
        fixture.store.auditEnd.withLock { $0 = nil }
        var reply = try await fixture.send(Identity.VerifyAuditLog())
        while !reply.isComplete { reply = try await fixture.send(Identity.VerifyAuditLog(after: reply.last)) }
        #expect(reply.violation == nil)
    }

    @Test(arguments: [
        Identity.AuditLogPosition(link: 0, chain: "AQ"), .init(link: -1, chain: "AQ"), .init(link: 1, chain: "%"),
    ])
    func malformedPositionIsRefused(position: Identity.AuditLogPosition) async throws {
        let fixture = try await written(.memory, records: 1)
        await #expect(throws: ServiceError.self) { try await fixture.send(Identity.VerifyAuditLog(after: position)) }
    }

    /// The chain values of an export as its readers compute them, from the documentation of `LinkedAuditRecord`.
    private func chain(of record: Identity.AuditLogRecord, after previous: [UInt8]) -> [UInt8] {
        let fields =
            [
                "\(record.at.milliseconds)", record.project, record.tenant, record.action, record.outcome, record.actor,
                record.accountID ?? "", record.ipAddress ?? "", record.traceID,
            ] + (record.count.map { ["\($0)"] } ?? [])
        return SHA2.sha256(previous + Array(fields.map { "\($0.utf8.count):\($0)," }.joined().utf8))
    }

    private func export(_ fixture: IdentityFixture, limit: Int) async throws -> [Identity.LinkedAuditRecord] {
        var all: [Identity.LinkedAuditRecord] = []
        while true {
            let request = Identity.ExportAuditRecords(afterLink: all.last?.link ?? 0, limit: limit)
            let records = try await fixture.send(request).records
            all += records
            if records.count < limit { return all }
        }
    }

    @Test(arguments: StoreEngine.allCases, [1, 3, 500])
    func exportHasVerifiableChain(engine: StoreEngine, limit: Int) async throws {
        let fixture = try await written(engine, records: 6)
        let records = try await export(fixture, limit: limit)
        #expect(records.map(\.link) == Array(1...Int64(records.count)) && records.count > 6)
        var previous: [UInt8] = []
        for linked in records {
            previous = chain(of: linked.record, after: previous)
            #expect(linked.chain == Base64URL.encode(previous) && linked.chainBefore == nil)
        }
        #expect(try await fixture.store.verifyAudit().chain == previous)
    }

    /// Old records were deleted, and the export names the chain value before the first record behind them.
    @Test(arguments: [1, 500]) func exportIsVerifiableBehindDeletedRecords(limit: Int) async throws {
        let fixture = try await written(.memory, records: 6)
        fixture.clock.advance(by: .seconds(10 * 365 * 86_400))
        try await fixture.store.audit(
            AuditEntry(
                at: fixture.clock.now, realm: IdentityFixture.realm, action: .accountUpdated, actor: .system,
                traceID: "new"))
        try await fixture.store.linkAudit()
        let old = try await export(fixture, limit: 500)
        try await fixture.store.deleteAudit(olderThan: .standard, at: fixture.clock.now)
        let records = try await export(fixture, limit: limit)
        #expect(records.count == 1)
        let first = try #require(records.first)
        #expect(first.chainBefore == old.dropLast().last?.chain)
        let before = try #require(first.chainBefore.flatMap { Base64URL.decode($0) })
        #expect(first.chain == Base64URL.encode(chain(of: first.record, after: before)))
    }

    @Test(arguments: [(-1, 1), (0, 0), (0, 501)] as [(Int64, Int)])
    func exportOutOfRangeIsRefused(after: Int64, limit: Int) async throws {
        let fixture = try await IdentityFixture()
        await #expect(throws: ServiceError.self) {
            try await fixture.send(Identity.ExportAuditRecords(afterLink: after, limit: limit))
        }
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
            await #expect(throws: ServiceError.self) { try await fixture.send(request) }
        }
    }

    // MARK: Changes of providers

    @Test(arguments: [
        (Identity.RecordProviderChange.Change.created, "provider.created"), (.replaced, "provider.changed"),
        (.deleted, "provider.deleted"),
    ])
    func changeOfProviderIsRecordedOnce(change: Identity.RecordProviderChange.Change, action: String) async throws {
        let fixture = try await IdentityFixture(.memory)
        let request = Identity.RecordProviderChange(
            change: change, realm: IdentityFixture.realm, at: Moment(milliseconds: 7),
            client: ClientContext(ipAddress: "192.0.2.1", operatorName: "ada"))
        for _ in 0..<2 { _ = try await fixture.send(request, idempotencyKey: "k") }
        let records = try await fixture.store.auditRecords(.init(limit: 10)).filter { $0.action == action }
        #expect(records.count == 1)
        let record = try #require(records.first)
        #expect(record.at == Moment(milliseconds: 7) && record.actor == "operator:ada" && record.outcome == "done")
        #expect(record.ipAddress == "192.0.2.1" && record.project == IdentityFixture.realm.project.rawValue)
    }

    @Test(arguments: [
        (Identity.RecordNotifierChange.Change.apnsKeyAdded, "apns-key.added"), (.apnsKeyRemoved, "apns-key.removed"),
        (.webhookReplayed, "webhook.replayed"),
    ])
    func changeInTheNotifierIsRecordedOnce(change: Identity.RecordNotifierChange.Change, action: String) async throws {
        let fixture = try await IdentityFixture(.memory)
        let request = Identity.RecordNotifierChange(
            change: change, realm: IdentityFixture.realm, at: Moment(milliseconds: 7),
            client: ClientContext(ipAddress: "192.0.2.1", operatorName: "ada"))
        for _ in 0..<2 { _ = try await fixture.send(request, idempotencyKey: "k") }
        let records = try await fixture.store.auditRecords(.init(limit: 10)).filter { $0.action == action }
        #expect(records.map(\.actor) == ["operator:ada"])
        #expect(records.map(\.project) == [IdentityFixture.realm.project.rawValue])
    }

    // MARK: Refusals of other services

    @Test(arguments: [
        (Identity.RecordRefusedSignIn.Reason.invalid, "session.created", "refused"),
        (.limited, "session.created", "limited"), (.counterRegression, "passkey.counter-regressed", "refused"),
    ])
    func refusalsOfOneMinuteAreOneRecord(
        reason: Identity.RecordRefusedSignIn.Reason, action: String, outcome: String
    ) async throws {
        let fixture = try await IdentityFixture(.memory)
        let request = Identity.RecordRefusedSignIn(
            realm: IdentityFixture.realm, accountID: AccountID("ada"), reason: reason,
            client: ClientContext(ipAddress: "192.0.2.1"))
        for _ in 0..<3 { _ = try await fixture.send(request) }
        fixture.clock.advance(by: .seconds(120))
        try await fixture.store.closeRefusals(at: fixture.clock.now)
        let records = try await fixture.store.auditRecords(.init(limit: 10)).filter { $0.outcome == outcome }
        #expect(records.count == 1)
        let record = try #require(records.first)
        #expect(record.action == action && record.count == 3 && record.accountID == "ada")
        #expect(record.actor == "anonymous" && record.ipAddress == "192.0.2.1")
    }

    @Test(arguments: [("edge", "process:edge"), (nil, "anonymous")] as [(String?, String)])
    func refusedCallerIsRecordedWithoutAProject(caller: String?, actor: String) async throws {
        let fixture = try await IdentityFixture(.memory)
        _ = try await fixture.send(
            Identity.RecordRefusedCaller(caller: caller, service: .notifier, refused: "sendSMS"))
        fixture.clock.advance(by: .seconds(120))
        try await fixture.store.closeRefusals(at: fixture.clock.now)
        let records = try await fixture.store.auditRecords(.init(limit: 10)).filter {
            $0.action == "bus.caller-refused"
        }
        #expect(records.map(\.actor) == [actor] && records.map(\.outcome) == ["refused"])
        #expect(records.map(\.project) == [""])
    }
}
