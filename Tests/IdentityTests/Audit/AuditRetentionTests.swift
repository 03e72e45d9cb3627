import Contracts
import Crypto
import MasterKey
import SQL
import ServiceRuntime
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// Aggregation of refusals and deletion of old rows.
@Suite(.serialized) struct AuditRetentionTests {
    private static let day = Duration.seconds(86_400)
    private static let retention = AuditRetention.standard

    private static func entry(
        at time: Moment, _ outcome: AuditEntry.Outcome = .succeeded, about account: String? = nil, trace: String = "t"
    ) -> AuditEntry {
        AuditEntry(
            at: time, realm: IdentityFixture.realm, action: .signIn, outcome: outcome, actor: .anonymous,
            accountID: account.map { AccountID($0) }, ipAddress: "192.0.2.1", traceID: trace)
    }

    private static func refusals(_ fixture: IdentityFixture) async throws -> [String] {
        try await fixture.store.read { transaction in
            try transaction.rows(
                """
                SELECT outcome, COALESCE(account_id, '-') AS subject, count, at FROM audit_log
                WHERE outcome <> 'done' ORDER BY at, outcome, subject
                """
            ).map { row in
                "\(try row.get("outcome") as String) \(try row.get("subject") as String) \(try row.get("count") as Int)"
            }
        }
    }

    @Test(arguments: StoreEngine.allCases)
    func refusalsAggregatePerMinuteSubjectAndKind(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        // The beginning of a minute.
        let start = Moment(milliseconds: (fixture.clock.now.milliseconds / 60_000 + 1) * 60_000)
        for number in 0..<90 {
            let time = start + .seconds(number)
            try await fixture.store.audit(Self.entry(at: time, .refused, about: "ada", trace: "a\(number)"))
            try await fixture.store.audit(Self.entry(at: time, .rateLimited, about: "ada"))
            try await fixture.store.audit(Self.entry(at: time, .refused, trace: "b\(number)"))
        }
        // Two seconds of the third minute: transactions from the second minute may still be running.
        try await fixture.store.closeRefusals(at: start + .seconds(120), batch: 20)
        #expect(try await Self.refusals(fixture) == ["limited ada 60", "refused - 60", "refused ada 60"].sorted())
        try await fixture.store.closeRefusals(at: start + .seconds(122), batch: 20)
        #expect(try await Self.refusals(fixture).count == 6)
        #expect(try await Self.refusals(fixture).suffix(3) == ["limited ada 30", "refused - 30", "refused ada 30"])
        try await fixture.store.linkAudit()
        #expect(try await fixture.store.verifyAudit().number == 8)
        // The count is part of the chain.
        try await fixture.store.write { try $0.execute("UPDATE audit_log SET count = 1 WHERE link = 3") }
        await #expect(throws: AuditError.altered(link: 3)) { try await fixture.store.verifyAudit() }
    }

    @Test(arguments: StoreEngine.shared)
    func concurrentProcessesCountTogether(engine: StoreEngine) async throws {
        let place = try await StoreLocation(engine, name: "identity")
        let keys = try ReloadingMasterKeyRing(.variable(.init(.random())))
        var stores: [IdentityStore] = []
        for _ in 0..<3 { stores.append(try await IdentityStore(try await place.open(), keys: keys)) }
        let start = Moment(milliseconds: 1_700_000_040_000)
        try await withThrowingTaskGroup { group in
            for store in stores {
                group.addTask {
                    for number in 0..<40 {
                        try await Self.inItsTurn {
                            try await store.audit(Self.entry(at: start, .refused, about: "ada"))
                        }
                        try await Self.inItsTurn {
                            try await store.audit(Self.entry(at: start, .refused, trace: "\(number)"))
                        }
                    }
                }
                group.addTask {
                    for _ in 0..<10 {
                        try await Self.inItsTurn { try await store.closeRefusals(at: start + .seconds(62)) }
                    }
                }
            }
            try await group.waitForAll()
        }
        try await stores[0].closeRefusals(at: start + .seconds(62))
        let total = try await stores[0].read { transaction in
            try transaction.rows("SELECT count FROM audit_log").map { try $0.get("count") as Int }.reduce(0, +)
        }
        #expect(total == 240)
    }

    /// SQLite has no queue of writers: under load one process may wait for longer than the limit.
    private static func inItsTurn(_ write: () async throws -> Void) async throws {
        while true {
            do { return try await write() } catch SQLError.busy {}
        }
    }

    /// Ten days, each with one action and one refusal.
    private static func tenDays(_ engine: StoreEngine) async throws -> (IdentityFixture, Moment) {
        let fixture = try await IdentityFixture(engine)
        let start = fixture.clock.now
        for number in 0..<10 {
            let time = start + .seconds(86_400 * number)
            try await fixture.store.audit(Self.entry(at: time))
            try await fixture.store.audit(Self.entry(at: time, .refused, about: "ada"))
            try await fixture.store.closeRefusals(at: time + .seconds(3600))
            try await fixture.store.linkAudit()
            _ = try await fixture.store.anchorAudit(at: time)
        }
        #expect(try await fixture.store.verifyAudit().number == 22)
        return (fixture, start)
    }

    private static func links(_ fixture: IdentityFixture) async throws -> [Int64] {
        try await fixture.store.read { transaction in
            try transaction.rows("SELECT link FROM audit_log ORDER BY link").map { try $0.get("link") }
        }
    }

    @Test(arguments: StoreEngine.allCases, [1, 3, 500])
    func oldRowsAreDeletedAndChainStillVerifies(engine: StoreEngine, batch: Int) async throws {
        let (fixture, start) = try await Self.tenDays(engine)
        let end = try await fixture.store.verifyAudit()
        // Refusals of the first five days; acts are kept. The fixture wrote links 1 and 2; after them acts are odd.
        let early = start + .seconds(86_400 * 5 + 1) + Self.retention.refusals
        try await fixture.store.deleteAudit(olderThan: Self.retention, at: early + (.zero - Self.day), batch: batch)
        #expect(try await Self.links(fixture) == [1, 2, 3, 5, 7, 9, 11] + Array(13...22))
        #expect(try await fixture.store.verifyAudit(batch: 2) == end)
        // Also acts of the first five days, so that cuts are merged; all refusals except the last link.
        let late = start + .seconds(86_400 * 4 + 1) + Self.retention.acts
        try await fixture.store.deleteAudit(olderThan: Self.retention, at: late, batch: batch)
        #expect(try await Self.links(fixture) == [13, 15, 17, 19, 21, 22])
        #expect(try await fixture.store.verifyAudit(batch: 2) == end)
        let cuts = try await fixture.store.read { transaction in
            try transaction.rows("SELECT first_link, last_link FROM audit_cuts ORDER BY first_link").map {
                "\(try $0.get("first_link") as Int)-\(try $0.get("last_link") as Int)"
            }
        }
        #expect(cuts == ["1-12", "14-14", "16-16", "18-18", "20-20"])
        // The log accepts further records.
        try await fixture.store.audit(Self.entry(at: late))
        try await fixture.store.linkAudit()
        #expect(try await fixture.store.verifyAudit().number == 23)
    }

    @Test(arguments: [StoreEngine.memory, .postgres])
    func otherDeletionsAreDetected(engine: StoreEngine) async throws {
        let (fixture, start) = try await Self.tenDays(engine)
        try await fixture.store.deleteAudit(
            olderThan: Self.retention, at: start + .seconds(86_400 * 4 + 1) + Self.retention.refusals)
        _ = try await fixture.store.verifyAudit()
        try await fixture.store.write { try $0.execute("DELETE FROM audit_log WHERE link = 5") }
        await #expect(throws: AuditError.missing(link: 5)) { try await fixture.store.verifyAudit() }
        // An extended cut cannot be decrypted, and neither can a moved one.
        for link in [6, 4] as [Int64] {
            try await fixture.store.write { transaction in
                try transaction.execute(
                    "UPDATE audit_cuts SET first_link = 5 WHERE first_link = $1", .integer(link))
                #expect(transaction.changes == 1)
            }
            await #expect(throws: (any Error).self) { try await fixture.store.verifyAudit() }
            try await fixture.store.write { transaction in
                try transaction.execute(
                    "UPDATE audit_cuts SET first_link = $1 WHERE first_link = 5", .integer(link))
            }
        }
    }

    @Test func lastLinkIsKeptRegardlessOfAge() async throws {
        let (fixture, start) = try await Self.tenDays(.memory)
        let end = try await fixture.store.verifyAudit()
        try await fixture.store.deleteAudit(
            olderThan: Self.retention, at: start + .seconds(86_400 * 30) + Self.retention.acts)
        #expect(try await Self.links(fixture) == [22])
        #expect(try await fixture.store.verifyAudit() == end)
    }

    @Test func maintenanceAppliesRetention() async throws {
        let (fixture, _) = try await Self.tenDays(.memory)
        fixture.clock.advance(by: .seconds(86_400 * 9) + Self.retention.refusals)
        try await fixture.service.runMaintenance(sweepAt: fixture.clock.now)
        #expect(try await Self.refusals(fixture).count <= 1)
        #expect(try await fixture.auditActions().count { $0 == "session.created" } >= 10)
        _ = try await fixture.store.verifyAudit()
    }

    @Test func retentionIsAtLeastOneDay() throws {
        let base = ["LATCHKEY_DATA": "/tmp/x", "LATCHKEY_BROKERS": "ipc:///tmp/none.sock", "LATCHKEY_DEV": "1"]
        let standard = try IdentitySettings(Environment(base), processors: 1)
        #expect(standard.auditRetention == .standard)
        let own = try IdentitySettings(
            Environment(
                base.merging(["LATCHKEY_AUDIT_RETENTION": "90d", "LATCHKEY_AUDIT_REFUSAL_RETENTION": "36h"]) { $1 }),
            processors: 1)
        #expect(own.auditRetention == .init(acts: .seconds(90 * 86_400), refusals: .seconds(36 * 3600)))
        for value in ["0d", "23h", "forever", "4000d"] {
            #expect(throws: SettingsError.self) {
                try IdentitySettings(
                    Environment(base.merging(["LATCHKEY_AUDIT_RETENTION": value]) { $1 }), processors: 1)
            }
        }
    }
}
