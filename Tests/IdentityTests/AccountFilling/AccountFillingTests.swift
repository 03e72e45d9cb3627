import Contracts
import SQL
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

@Suite struct AccountFillingTests {
    private struct Interruption: Error {}

    /// - Returns: the number of new accounts, and the authenticator apps that they have.
    private func fill(
        _ count: Int, of fixture: IdentityFixture, in realm: Realm = IdentityFixture.realm
    ) async throws -> (added: Int, apps: [MFATOTP.ImportedFactor]) {
        let apps = Mutex<[MFATOTP.ImportedFactor]>([])
        let progress = Mutex<[Int]>([])
        let added = try await AccountFilling.run(
            count, in: realm, fixture.store.database, keys: fixture.masterKeys, at: fixture.clock.now,
            factors: { batch in apps.withLock { $0 += batch } },
            added: { done in progress.withLock { $0.append(done) } })
        #expect(progress.withLock { $0.first == count - added && $0.last == count })
        return (added, apps.withLock { $0 })
    }

    private func count(_ table: String, in fixture: IdentityFixture) async throws -> Int {
        try await fixture.store.read { transaction in
            try transaction.firstRow("SELECT COUNT(*) AS count FROM \(table)")?.get("count") ?? 0
        }
    }

    /// SQLite inserts by statements, PostgreSQL by `COPY`.
    @Test(arguments: [StoreEngine.memory, .postgres])
    func filledAccountsAreAsOthers(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let before = try await count("audit_log", in: fixture)
        let (added, apps) = try await fill(45, of: fixture)
        #expect(added == 45)
        let span = SampleAccount.Span(end: fixture.clock.now, count: 45)
        var (records, sessions, totals) = (before, 0, Set<String>())
        for number in 0..<45 {
            let sample = SampleAccount(number, in: IdentityFixture.realm, passwordRecord: "", span: span)
            let id = sample.stored.account.id
            let (found, its) = try await fixture.store.read { transaction in
                (
                    try transaction.account(id, in: IdentityFixture.realm),
                    try transaction.rows(SessionTable.everyOfAccount, SQLRecord(id, in: IdentityFixture.realm), 100)
                )
            }
            let stored = try #require(found)
            #expect(stored.account == sample.stored.account)
            #expect(stored.linkTimes == sample.stored.linkTimes)
            #expect((stored.passwordRecord != nil) == sample.stored.account.hasPassword)
            #expect(its.count == sample.sessions.count)
            for session in sample.sessions { #expect(session.isActive(at: fixture.clock.now)) }
            let listed = stored.account.secondFactors.filter { $0.kind == .totp }.map(\.id)
            #expect(listed == apps.filter { $0.accountID == id }.map(\.factorID))
            records += sample.entries.count
            sessions += sample.sessions.count
            totals.insert(sample.sessions[0].authentication.signInProvider)
            if !stored.account.secondFactors.isEmpty { totals.insert("second factor") }
        }
        #expect(totals == ["password", "google.com", "phone", "anonymous", "second factor"])
        #expect(try await count("sessions", in: fixture) == sessions)
        // The log is linked, anchored, and goes on.
        #expect(try await fixture.store.verifyAudit().number == Int64(records - before))
        try await fixture.store.audit(
            AuditEntry(
                at: fixture.clock.now, realm: IdentityFixture.realm, action: .accountUpdated, actor: .system,
                traceID: "next"))
        try await fixture.service.refreshState()
        #expect(try await fixture.store.verifyAudit().number == Int64(records + 1))
    }

    @Test func interruptedFillGoesOn() async throws {
        let fixture = try await IdentityFixture()
        await #expect(throws: Interruption.self) {
            _ = try await AccountFilling.run(
                8, in: IdentityFixture.realm, fixture.store.database, keys: fixture.masterKeys, at: fixture.clock.now,
                factors: { _ in throw Interruption() }, added: { _ in })
        }
        #expect(try await count("accounts", in: fixture) == 0)
        for (target, missing) in [(5, 5), (5, 0), (3, 0), (12, 7)] {
            #expect(try await fill(target, of: fixture).added == missing)
        }
        #expect(try await count("accounts", in: fixture) == 12)
        _ = try await fixture.store.verifyAudit()
    }

    @Test func projectMustExist() async throws {
        let fixture = try await IdentityFixture()
        let missing = ProjectID("missing")
        await #expect(throws: AccountFillingError.noProject(missing)) {
            _ = try await fill(1, of: fixture, in: Realm(project: missing))
        }
    }
}
