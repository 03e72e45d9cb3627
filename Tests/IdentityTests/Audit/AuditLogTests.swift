import Contracts
import Crypto
import MasterKey
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// Serialized: each test uses several connections of the server.
@Suite(.serialized) struct AuditLogTests {
    private static func entry(_ number: Int) -> AuditEntry {
        AuditEntry(
            at: Moment(milliseconds: Int64(number)), realm: IdentityFixture.realm, action: .accountUpdated,
            actor: .account(AccountID("ada")), accountID: AccountID("ada"), ipAddress: "127.0.0.1",
            traceID: "trace-\(number)")
    }

    /// A log of six rows, linked and anchored. The fixture wrote two of them.
    private static func written(_ engine: StoreEngine) async throws -> IdentityFixture {
        let fixture = try await IdentityFixture(engine)
        for number in 1...4 { try await fixture.store.audit(Self.entry(number)) }
        try await fixture.store.linkAudit(batch: 4)
        #expect(try await fixture.store.verifyAudit().number == 6)
        #expect(try await fixture.store.anchorAudit(at: fixture.clock.now)?.number == 6)
        return fixture
    }

    private static func run(_ sql: String, on fixture: IdentityFixture) async throws {
        try await fixture.store.write { try $0.execute(sql) }
    }

    @Test(arguments: StoreEngine.allCases, [1, 2, 3, 6, 7, 500])
    func recordsAreLinkedOnceInOrder(engine: StoreEngine, batch: Int) async throws {
        let fixture = try await IdentityFixture(engine)
        for number in 1...4 { try await fixture.store.audit(Self.entry(number)) }
        #expect(try await fixture.store.verifyAudit() == .origin)
        try await fixture.store.linkAudit(batch: batch)
        let end = try await fixture.store.verifyAudit(batch: batch)
        #expect(end.number == 6)
        try await fixture.store.linkAudit(batch: batch)
        #expect(try await fixture.store.verifyAudit() == end)
        try await fixture.store.audit(Self.entry(5))
        try await fixture.service.refreshState()
        #expect(try await fixture.store.verifyAudit().number == 7)
    }

    @Test(arguments: [
        ("UPDATE audit_log SET at = at + 1 WHERE link = 3", AuditError.altered(link: 3)),
        ("UPDATE audit_log SET project = 'other' WHERE link = 3", .altered(link: 3)),
        ("UPDATE audit_log SET tenant = 'other' WHERE link = 3", .altered(link: 3)),
        ("UPDATE audit_log SET action = 'session.created' WHERE link = 3", .altered(link: 3)),
        ("UPDATE audit_log SET outcome = 'refused' WHERE link = 3", .altered(link: 3)),
        ("UPDATE audit_log SET actor = 'administrator' WHERE link = 3", .altered(link: 3)),
        ("UPDATE audit_log SET account_id = NULL WHERE link = 3", .altered(link: 3)),
        ("UPDATE audit_log SET ip_address = '127.0.0.2' WHERE link = 3", .altered(link: 3)),
        ("UPDATE audit_log SET trace = 'trace-x' WHERE link = 3", .altered(link: 3)),
        ("UPDATE audit_log SET chain = ip_address_bytes WHERE link = 3", .altered(link: 3)),
        ("DELETE FROM audit_log WHERE link = 3", .missing(link: 3)),
        ("DELETE FROM audit_log WHERE link = 1", .missing(link: 1)),
        ("DELETE FROM audit_log WHERE link = 6", .missing(link: 6)),
        ("DELETE FROM audit_log", .missing(link: 1)),
    ])
    func alteredRowIsDetected(sql: String, fault: AuditError) async throws {
        for engine in [StoreEngine.memory, .postgres] {
            let fixture = try await Self.written(engine)
            // The link of another row, which is valid only in its own row.
            let sql = sql.replacing("ip_address_bytes", with: "(SELECT o.chain FROM audit_log AS o WHERE o.link = 2)")
            try await Self.run(sql, on: fixture)
            await #expect(throws: fault) { try await fixture.store.verifyAudit() }
            await #expect(throws: fault) { try await fixture.store.verifyAudit(batch: 1) }
        }
    }

    /// Another value in any column but the sequence number, which gives the order of what is not linked yet. A column that
    /// is not part of the chain would not be tamper-evident.
    @Test(arguments: AuditLogTable.allCases.filter { $0 != .sequence })
    func everyColumnIsPartOfTheChain(column: AuditLogTable) async throws {
        let name = column.rawValue
        let numbers: [AuditLogTable] = [.at, .link, .count]
        let value =
            if column == .chain {
                "(SELECT o.chain FROM audit_log AS o WHERE o.link = 2)"
            } else {
                numbers.contains(column) ? "COALESCE(\(name), 0) + 1" : "'another'"
            }
        let fixture = try await Self.written(.memory)
        try await Self.run("UPDATE audit_log SET \(name) = \(value) WHERE link = 6", on: fixture)
        await #expect(throws: AuditError.self, "\(name)") { try await fixture.store.verifyAudit() }
    }

    @Test(arguments: 0..<32)
    func flippedBitInLinkIsDetected(byte: Int) async throws {
        let fixture = try await Self.written(.memory)
        try await fixture.store.write { transaction in
            var chain: [UInt8] = try transaction.firstRow("SELECT chain FROM audit_log WHERE link = 4")!.get("chain")
            chain[byte] ^= 0x04
            try transaction.execute("UPDATE audit_log SET chain = $1 WHERE link = 4", .blob(chain))
        }
        await #expect(throws: AuditError.altered(link: 4)) { try await fixture.store.verifyAudit() }
    }

    @Test(arguments: [StoreEngine.memory, .postgres])
    func swappedRowsAreDetected(engine: StoreEngine) async throws {
        let fixture = try await Self.written(engine)
        for sql in [
            "UPDATE audit_log SET link = 99 WHERE link = 3", "UPDATE audit_log SET link = 3 WHERE link = 4",
            "UPDATE audit_log SET link = 4 WHERE link = 99",
        ] { try await Self.run(sql, on: fixture) }
        await #expect(throws: AuditError.altered(link: 3)) { try await fixture.store.verifyAudit() }
    }

    /// Write access to the database is enough for a new chain, but not for its anchor.
    @Test(arguments: [StoreEngine.memory, .postgres])
    func rewrittenChainDoesNotMatchAnchor(engine: StoreEngine) async throws {
        let fixture = try await Self.written(engine)
        for sql in [
            "UPDATE audit_log SET link = NULL", "UPDATE audit_log SET outcome = 'refused' WHERE trace = 'trace-2'",
        ] { try await Self.run(sql, on: fixture) }
        try await fixture.store.linkAudit()
        await #expect(throws: AuditError.rewritten(link: 6)) { try await fixture.store.verifyAudit() }
        await #expect(throws: AuditError.rewritten(link: 6)) { try await fixture.store.verifyAudit(batch: 2) }
    }

    @Test func movedAnchorDoesNotOpen() async throws {
        let fixture = try await Self.written(.memory)
        try await Self.run("UPDATE audit_anchors SET link = 5", on: fixture)
        await #expect(throws: CryptoError.authenticationFailed) { try await fixture.store.verifyAudit() }
    }

    @Test(arguments: [StoreEngine.memory, .postgres])
    func chainEndIsAnchoredOnce(engine: StoreEngine) async throws {
        let fixture = try await Self.written(engine)
        #expect(try await fixture.store.anchorAudit(at: fixture.clock.now) == nil)
        try await fixture.store.audit(Self.entry(5))
        // Maintenance has created the key for session cookies.
        #expect(try await fixture.service.runMaintenance(sweepAt: fixture.clock.now)?.number == 8)
        #expect(try await fixture.store.verifyAudit().number == 8)
    }

    /// Two fixed anchors, of links 6 and 8, and a moving one of link 9.
    private static func continued(_ engine: StoreEngine) async throws -> IdentityFixture {
        let fixture = try await written(engine)
        for numbers in [5...6, 7...7] {
            for number in numbers { try await fixture.store.audit(entry(number)) }
            try await fixture.store.linkAudit()
            if numbers.count == 2 {
                #expect(try await fixture.store.anchorAudit(at: fixture.clock.now)?.number == 8)
            }
        }
        #expect(try await fixture.store.verifyAudit().number == 9)
        return fixture
    }

    @Test(
        arguments: [StoreEngine.memory, .postgres],
        [
            // The tail after the last fixed anchor, and the tail with its anchors.
            (["DELETE FROM audit_log WHERE link = 9"], AuditError.missing(link: 9)),
            (["DELETE FROM audit_log WHERE link > 8", "DELETE FROM audit_anchors WHERE link > 8"], .missing(link: 9)),
            (["DELETE FROM audit_log WHERE link > 6", "DELETE FROM audit_anchors WHERE link > 6"], .missing(link: 7)),
            (["DELETE FROM audit_log", "DELETE FROM audit_anchors"], .missingAnchor(link: 0)),
            // Anchors alone.
            (["DELETE FROM audit_anchors"], .missingAnchor(link: 9)),
            (["DELETE FROM audit_anchors WHERE link = 6"], .missingAnchor(link: 6)),
            (["DELETE FROM audit_anchors WHERE link = 8"], .missingAnchor(link: 8)),
            (["DELETE FROM audit_anchors WHERE link = 9"], .missingAnchor(link: 9)),
            (["DELETE FROM audit_anchors WHERE link > 6"], .missingAnchor(link: 9)),
        ] as [([String], AuditError)])
    func missingTailOrAnchorIsDetected(engine: StoreEngine, change: ([String], AuditError)) async throws {
        let fixture = try await Self.continued(engine)
        for sql in change.0 { try await Self.run(sql, on: fixture) }
        await #expect(throws: change.1) { try await fixture.store.verifyAudit() }
        // The log goes on, and the violation stays.
        for number in 8...12 {
            try await fixture.store.audit(Self.entry(number))
            try await fixture.store.linkAudit()
            _ = try await fixture.store.anchorAudit(at: fixture.clock.now)
        }
        await #expect(throws: AuditError.self) { try await fixture.store.verifyAudit() }
        await #expect(throws: AuditError.self) { try await fixture.store.verifyAudit(batch: 1) }
    }

    /// The chain is built anew, by the service itself, after all anchors were deleted: in the process that knows the former
    /// one, and in a new one.
    @Test(arguments: StoreEngine.shared, [false, true])
    func rebuiltChainIsDetected(engine: StoreEngine, isAnotherProcess: Bool) async throws {
        let fixture = try await Self.continued(engine)
        for sql in [
            "UPDATE audit_log SET link = NULL", "DELETE FROM audit_log WHERE trace = 'trace-2'",
            "DELETE FROM audit_anchors",
        ] { try await Self.run(sql, on: fixture) }
        let store =
            if isAnotherProcess {
                try await IdentityStore(try await fixture.place.open(), keys: fixture.masterKeys)
            } else {
                fixture.store
            }
        try await store.linkAudit()
        _ = try await store.anchorAudit(at: fixture.clock.now)
        await #expect(throws: AuditError.self) { try await store.verifyAudit() }
        try await store.audit(Self.entry(8))
        try await store.linkAudit()
        await #expect(throws: AuditError.self) { try await store.verifyAudit() }
    }

    /// A record that was added by hand with a link and its chain value.
    @Test(arguments: [StoreEngine.memory, .postgres])
    func addedRecordIsDetected(engine: StoreEngine) async throws {
        let fixture = try await Self.continued(engine)
        let last = try await fixture.store.verifyAudit()
        let record = Identity.AuditLogRecord(
            at: Moment(milliseconds: 1), project: "demo", tenant: "", action: "account.created", outcome: "done",
            actor: "system", accountID: "ada", ipAddress: nil, traceID: "t")
        let added = last.next(record)
        try await fixture.store.write { transaction in
            try transaction.execute(
                """
                INSERT INTO audit_log (at, project, tenant, action, outcome, actor, account_id, trace, chain, link)
                VALUES (1, 'demo', '', 'account.created', 'done', 'system', 'ada', 't', $1, 10)
                """, .blob(added.chain))
        }
        await #expect(throws: AuditError.missingAnchor(link: 10)) { try await fixture.store.verifyAudit() }
        try await fixture.store.audit(Self.entry(8))
        try await fixture.store.linkAudit()
        await #expect(throws: AuditError.missingAnchor(link: 10)) { try await fixture.store.verifyAudit() }
    }

    /// The tail is cut with its anchors while no process runs. A SQLite database has the last anchor in the file of its
    /// watermark, too.
    @Test func noteBesideTheDatabaseShowsAMissingTail() async throws {
        let fixture = try await Self.continued(.file)
        for sql in ["DELETE FROM audit_log WHERE link > 8", "DELETE FROM audit_anchors WHERE link > 8"] {
            try await Self.run(sql, on: fixture)
        }
        let store = try await IdentityStore(try await fixture.place.open(), keys: fixture.masterKeys)
        await #expect(throws: AuditError.missing(link: 9)) { try await store.verifyAudit() }
        try await store.audit(Self.entry(8))
        try await store.linkAudit()
        await #expect(throws: AuditError.self) { try await store.verifyAudit() }
    }

    /// After the restore of a backup.
    @Test func noteOfAnotherEpochSaysNothing() async throws {
        let fixture = try await Self.continued(.file)
        for sql in ["DELETE FROM audit_log WHERE link > 8", "DELETE FROM audit_anchors WHERE link > 8"] {
            try await Self.run(sql, on: fixture)
        }
        try await fixture.store.write { try $0.beginEpoch() }
        let store = try await IdentityStore(try await fixture.place.open(), keys: fixture.masterKeys)
        #expect(try await store.verifyAudit().number == 8)
    }

    /// Identity confirms the end of the log each minute, also while nothing happens.
    @Test(arguments: [StoreEngine.memory, .postgres])
    func anchorThatIsNotConfirmedIsOutdated(engine: StoreEngine) async throws {
        let fixture = try await Self.continued(engine)
        _ = try await fixture.store.anchorAudit(at: fixture.clock.now)
        let later = fixture.clock.now + AuditAnchor.maximumAge
        #expect(try await fixture.store.verifyAudit(at: later).number == 9)
        let tooLate = later + .milliseconds(1)
        await #expect(throws: AuditError.outdatedAnchor(link: 9)) { try await fixture.store.verifyAudit(at: tooLate) }
        #expect(try await fixture.store.anchorAudit(at: tooLate) == nil)
        #expect(try await fixture.store.verifyAudit(at: tooLate).number == 9)
    }

    @Test func anchorOfAnEmptyLogIsRequired() async throws {
        let store = try await IdentityStore(
            try await StoreLocation(.memory, name: "identity").open(),
            keys: ReloadingMasterKeyRing(.variable(.init(.random()))))
        #expect(try await store.verifyAudit() == .origin)
        #expect(try await store.anchorAudit(at: Moment(milliseconds: 1)) == nil)
        #expect(try await store.verifyAudit() == .origin)
        try await store.write { try $0.execute("DELETE FROM audit_anchors") }
        await #expect(throws: AuditError.missingAnchor(link: 0)) { try await store.verifyAudit() }
    }

    /// Processes that write and link in parallel extend one chain, without refusals.
    @Test(arguments: StoreEngine.shared)
    func concurrentProcessesWriteOneChain(engine: StoreEngine) async throws {
        let place = try await StoreLocation(engine, name: "identity")
        let masterKeys = try ReloadingMasterKeyRing(.variable(.init(.random())))
        var stores: [IdentityStore] = []
        for _ in 0..<3 { stores.append(try await IdentityStore(try await place.open(), keys: masterKeys)) }
        try await withThrowingTaskGroup { group in
            for store in stores {
                group.addTask { for number in 0..<40 { try await store.audit(Self.entry(number)) } }
                group.addTask { for _ in 0..<10 { try await store.linkAudit(batch: 7) } }
            }
            try await group.waitForAll()
        }
        try await stores[0].linkAudit()
        #expect(try await stores[1].verifyAudit().number == 120)
    }

    /// Rows of the first release already contain their links and stay unchanged.
    @Test(arguments: StoreEngine.shared)
    func firstReleaseChainIsContinued(engine: StoreEngine) async throws {
        let place = try await StoreLocation(engine, name: "identity")
        let former = try await place.open()
        try await former.migrate([IdentityMigrations.all[0]])
        let ends: [[UInt8]] = try await former.write { transaction in
            var link = AuditLink.origin
            var ends: [[UInt8]] = []
            for number: Int64 in 1...3 {
                link = link.next(
                    Identity.AuditLogRecord(
                        at: Moment(milliseconds: number), project: "demo", tenant: "", action: "account.created",
                        outcome: "done", actor: "system", accountID: "ada", ipAddress: nil, traceID: "t"))
                try transaction.execute(
                    """
                    INSERT INTO audit_log (at, project, tenant, action, outcome, actor, account_id, trace, chain)
                    VALUES ($1, 'demo', '', 'account.created', 'done', 'system', 'ada', 't', $2)
                    """, .integer(number), .blob(link.chain))
                ends.append(link.chain)
            }
            return ends
        }
        await former.close()
        let store = try await IdentityStore(
            try await place.open(), keys: ReloadingMasterKeyRing(.variable(.init(.random()))))
        #expect(try await store.verifyAudit() == AuditLink(number: 3, chain: ends[2]))
        try await store.audit(Self.entry(4))
        try await store.linkAudit()
        #expect(try await store.verifyAudit().number == 4)
    }

    /// As the first release computed it: SHA-256 over the previous link and each field with its length.
    @Test func linkFormatIsStable() {
        let record = Identity.AuditLogRecord(
            at: Moment(milliseconds: 1), project: "p", tenant: "", action: "a", outcome: "done", actor: "system",
            accountID: nil, ipAddress: nil, traceID: "t")
        let bytes = Array("1:1,1:p,0:,1:a,4:done,6:system,0:,0:,1:t,".utf8)
        let first = AuditLink.origin.next(record)
        #expect(first == AuditLink(number: 1, chain: SHA2.sha256(bytes)))
        #expect(first.next(record) == AuditLink(number: 2, chain: SHA2.sha256(first.chain + bytes)))
    }
}
