import Contracts
import Crypto
import DatabaseService
import MasterKey
import PhoneNumbers
import SQL
import SQLite
import TestSupport
import Testing
import Vocabulary

@testable import MFASMSService

/// Requirements on the store, tested on every engine.
@Suite struct SMSStoreTests {
    private func session(
        _ name: String, _ fixture: SMSFixture, _ purpose: CountedSend.Purpose = .signIn,
        number: String = SMSFixture.number, account: String? = nil, realm: Realm = SMSFixture.realm,
        isTest: Bool = false
    ) throws -> VerificationSession {
        let digests = fixture.store.digests
        let id = digests.session(name)
        return VerificationSession(
            id: id, realm: realm, purpose: purpose, number: try ParsedPhoneNumber(number),
            accountID: account.map { AccountID($0) }, factorID: account.map { _ in FactorID("f") }, isTest: isTest,
            codeDigest: digests.code("123456", of: id), createdAt: fixture.clock.now)
    }

    @discardableResult
    private func begin(_ session: VerificationSession, _ fixture: SMSFixture) async throws -> ServiceError? {
        try await fixture.store.insertSession(session, from: nil, devCode: nil, at: fixture.clock.now)
    }

    private func verifyCode(
        _ session: VerificationSession, _ code: String, _ fixture: SMSFixture, request: [UInt8] = [1]
    ) async throws -> SMSStore.AttemptResult {
        let claim = VerificationSession.Binding(
            realm: session.realm, purpose: session.purpose, accountID: session.accountID)
        let attempt = VerificationSession.Attempt(
            sessionID: session.id, codeDigest: fixture.store.digests.code(code, of: session.id), request: request)
        return try await fixture.store.verify(attempt, claim, at: fixture.clock.now).0
    }

    private func stored(_ session: VerificationSession, _ fixture: SMSFixture) async throws -> VerificationSession? {
        try await fixture.store.session(session.id, of: session.realm.project)
    }

    @Test(arguments: StoreEngine.allCases)
    func storedSessionRoundTrips(engine: StoreEngine) async throws {
        let fixture = try await SMSFixture(engine)
        let realm = Realm(project: ProjectID("p"), tenant: TenantID("t"))
        let session = try session("s", fixture, .secondFactor, account: "ada", realm: realm)
        #expect(try await begin(session, fixture) == nil)
        #expect(try await stored(session, fixture) == session)
        #expect(try await fixture.store.session(session.id, of: ProjectID("q")) == nil)
    }

    @Test(arguments: StoreEngine.allCases)
    func sessionsOfDeletedAccountAreForgotten(engine: StoreEngine) async throws {
        let fixture = try await SMSFixture(engine)
        let (before, other) = (
            try session("before", fixture, .secondFactor, account: "ada"), try session("other", fixture)
        )
        for session in [before, other] { try await begin(session, fixture) }
        let deletedAt = fixture.clock.now
        fixture.clock.advance(by: .milliseconds(1))
        // A new account has the same ID.
        let later = try session("later", fixture, .enrollment, account: "ada")
        try await begin(later, fixture)
        _ = try await fixture.send(
            MFASMS.ForgetAccounts(
                realm: SMSFixture.realm, accounts: [.init(id: AccountID("ada"), deletedAt: deletedAt)]))
        #expect(try await stored(before, fixture) == nil)
        #expect(try await stored(later, fixture) == later)
        #expect(try await stored(other, fixture) == other)
        await #expect(throws: ServiceError(.invalidRequest)) {
            try await fixture.send(
                MFASMS.ForgetAccounts(
                    realm: SMSFixture.realm, accounts: [.init(id: AccountID(""), deletedAt: deletedAt)]))
        }
    }

    @Test(arguments: StoreEngine.allCases)
    func newSessionReplacesOnlyLastSessionOfItsKind(engine: StoreEngine) async throws {
        let fixture = try await SMSFixture(engine)
        let tenant = Realm(project: ProjectID("p"), tenant: TenantID("t"))
        let others = [
            try session("tenant", fixture, realm: tenant), try session("purpose", fixture, .enrollment, account: "ada"),
            try session("number", fixture, number: "+12025550144"),
            try session("account", fixture, .enrollment, account: "eve"),
            try session("project", fixture, realm: Realm(project: ProjectID("q"))),
        ]
        let first = try session("first", fixture)
        for session in others + [first] { try await begin(session, fixture) }
        let second = try session("second", fixture)
        try await begin(second, fixture)
        #expect(try await stored(first, fixture) == nil)
        for session in others + [second] { #expect(try await stored(session, fixture) == session) }
        #expect(try await verifyCode(first, "123456", fixture) == .refused(ServiceError(.invalidVerificationSession)))
    }

    /// Security rules, section 14.
    @Test(arguments: StoreEngine.allCases)
    func correctCodeIsRedeemedOnceUnderConcurrency(engine: StoreEngine) async throws {
        let fixture = try await SMSFixture(engine)
        let session = try session("s", fixture)
        try await begin(session, fixture)
        let results = try await all(50) { number in
            try await verifyCode(session, "123456", fixture, request: [UInt8(number % 2)])
        }
        #expect(results.filter { if case .accepted = $0 { true } else { false } }.count == 1)
        #expect(results.filter { $0 == .refused(ServiceError(.invalidVerificationSession)) }.count == 49)
    }

    /// Security rules, section 14 and RL4.
    @Test(arguments: StoreEngine.allCases)
    func fiveOfTwoHundredWrongCodesAreVerified(engine: StoreEngine) async throws {
        let fixture = try await SMSFixture(engine)
        let session = try session("s", fixture)
        try await begin(session, fixture)
        let results = try await all(200) { number in
            try await verifyCode(
                session, SentMessage.wrong("123456", by: number + 1), fixture, request: [UInt8(number)])
        }
        #expect(results.filter { $0 == .refused(ServiceError(.invalidCode)) }.count == 5)
        #expect(results.filter { $0 == .refused(ServiceError(.verificationSessionExpired)) }.count == 195)
        #expect(try await stored(session, fixture)?.failures == 5)
        #expect(try await verifyCode(session, "123456", fixture) == .refused(ServiceError(.verificationSessionExpired)))
    }

    private func all<Result: Sendable>(
        _ count: Int, _ body: @escaping @Sendable (Int) async throws -> Result
    ) async throws -> [Result] {
        try await withThrowingTaskGroup(of: Result.self) { group in
            for number in 0..<count { group.addTask { try await body(number) } }
            var results: [Result] = []
            for try await result in group { results.append(result) }
            return results
        }
    }

    /// Security rule RL2: the count of failed attempts continues across sessions and restarts.
    @Test(arguments: [StoreEngine.file, .postgres])
    func failedAttemptsAccumulateOverSessionsAndRestarts(engine: StoreEngine) async throws {
        var fixture = try await SMSFixture(engine)
        for round in 0..<4 {
            let session = try session("\(round)", fixture, .secondFactor, account: "ada")
            #expect(try await begin(session, fixture) == nil)
            for _ in 0..<5 {
                #expect(try await verifyCode(session, "000000", fixture) == .refused(ServiceError(.invalidCode)))
            }
            try await fixture.restart()
        }
        let until = fixture.clock.now + .seconds(900)
        let locked = try session("locked", fixture, .secondFactor, account: "ada")
        #expect(try await begin(locked, fixture) == .limited(by: .smsCodeAttempts, until: until))
        // The lock also applies to another number of the account, and to another account with the number.
        for (number, account) in [("+12025550144", "ada"), (SMSFixture.number, "eve")] {
            let session = try session("other", fixture, .secondFactor, number: number, account: account)
            #expect(try await begin(session, fixture) == .limited(by: .smsCodeAttempts, until: until))
        }
        // Sign-in with the number as first factor, and its enrollment, have their own counts.
        #expect(try await begin(try session("sign-in", fixture), fixture) == nil)
        #expect(try await begin(try session("enrol", fixture, .enrollment, account: "ada"), fixture) == nil)
        fixture.clock.advance(by: .seconds(900))
        let free = try session("free", fixture, .secondFactor, account: "ada")
        #expect(try await begin(free, fixture) == nil)
    }

    @Test(arguments: StoreEngine.allCases)
    func lockAppliesToOpenSessions(engine: StoreEngine) async throws {
        let fixture = try await SMSFixture(engine)
        let waiting = try session("waiting", fixture, .secondFactor, number: "+12025550144", account: "ada")
        try await begin(waiting, fixture)
        for round in 0..<4 {
            let session = try session("\(round)", fixture, .secondFactor, account: "ada")
            try await begin(session, fixture)
            for _ in 0..<5 { _ = try await verifyCode(session, "000000", fixture) }
        }
        let until = fixture.clock.now + .seconds(900)
        #expect(
            try await verifyCode(waiting, "123456", fixture)
                == .refused(ServiceError.limited(by: .smsCodeAttempts, until: until)))
        #expect(try await stored(waiting, fixture)?.failures == 0)
    }

    @Test(arguments: StoreEngine.allCases)
    func correctCodeResetsFailedAttempts(engine: StoreEngine) async throws {
        let fixture = try await SMSFixture(engine)
        for round in 0..<8 {
            let session = try session("\(round)", fixture, .secondFactor, account: "ada")
            #expect(try await begin(session, fixture) == nil)
            for _ in 0..<4 { _ = try await verifyCode(session, "000000", fixture) }
            guard case .accepted = try await verifyCode(session, "123456", fixture) else {
                Issue.record("round \(round)")
                return
            }
        }
    }

    @Test(arguments: StoreEngine.allCases)
    func verifiedSessionIsReleasedOnlyByItsRequest(engine: StoreEngine) async throws {
        let fixture = try await SMSFixture(engine)
        let session = try session("s", fixture)
        try await begin(session, fixture)
        guard case .accepted(let proved) = try await verifyCode(session, "123456", fixture) else {
            Issue.record("not proved")
            return
        }
        try await fixture.store.release(proved, at: fixture.clock.now)
        #expect(
            try await verifyCode(session, "123456", fixture, request: [2])
                == .refused(ServiceError(.invalidVerificationSession)))
        guard case .accepted(let resumed) = try await verifyCode(session, "123456", fixture) else {
            Issue.record("not resumed")
            return
        }
        // The first request is late: it no longer has the lease.
        fixture.clock.advance(by: .seconds(1))
        try await fixture.store.release(
            VerificationSession(
                id: proved.id, realm: proved.realm, purpose: proved.purpose, number: proved.number, accountID: nil,
                factorID: nil, isTest: false, codeDigest: [], createdAt: proved.createdAt,
                proof: .init(request: [1], leasedUntil: fixture.clock.now)), at: fixture.clock.now)
        #expect(try await verifyCode(session, "123456", fixture) == .refused(ServiceError(.invalidVerificationSession)))
        try await fixture.store.deleteSession(resumed)
        #expect(try await stored(session, fixture) == nil)
    }

    @Test(arguments: StoreEngine.allCases)
    func expiredRowsAreSwept(engine: StoreEngine) async throws {
        let fixture = try await SMSFixture(engine)
        let old = try session("old", fixture)
        try await begin(old, fixture)
        #expect(try await verifyCode(old, "000000", fixture) == .refused(ServiceError(.invalidCode)))
        fixture.clock.advance(by: .seconds(300 + 3600))
        let new = try session("new", fixture, number: "+12025550144")
        try await begin(new, fixture)
        try await fixture.store.sweep(at: fixture.clock.now)
        #expect(try await stored(old, fixture) != nil, "an hour it is told from one that never was")
        fixture.clock.advance(by: .seconds(1))
        try await fixture.store.sweep(at: fixture.clock.now)
        #expect(try await stored(old, fixture) == nil)
        #expect(try await stored(new, fixture) != nil)
        #expect(try await failures(fixture) == 1)
        fixture.clock.advance(by: FailedCodeAttempts.memory)
        try await fixture.store.sweep(at: fixture.clock.now)
        #expect(try await failures(fixture) == 0)
    }

    private func failures(_ fixture: SMSFixture) async throws -> Int {
        try await fixture.store.database.read { transaction in
            try transaction.firstRow("SELECT COUNT(*) AS count FROM failed_guesses")?.get("count") ?? -1
        }
    }

    @Test(arguments: StoreEngine.allCases)
    func openCodesAreListedInOrder(engine: StoreEngine) async throws {
        let fixture = try await SMSFixture(engine)
        for (place, number) in ["+12025550144", "+12025550145", "+12025550146"].enumerated() {
            let session = try session("\(place)", fixture, number: number)
            _ = try await fixture.store.insertSession(
                session, from: nil, devCode: DevCode(code: Secret("00000\(place)"), sessionInfo: Secret("\(place)")),
                at: fixture.clock.now)
            fixture.clock.advance(by: .seconds(100))
        }
        func listed() async throws -> [String] {
            try await fixture.store.openCodes(in: SMSFixture.realm, at: fixture.clock.now).map { $0.code.reveal() }
        }
        #expect(try await listed() == ["000001", "000002"])
        #expect(
            try await fixture.store.openCodes(in: Realm(project: ProjectID("q")), at: fixture.clock.now).isEmpty)
        _ = try await verifyCode(try session("1", fixture, number: "+12025550145"), "123456", fixture)
        #expect(try await listed() == ["000002"])
    }

    /// Security rule SE1: sealed columns survive a rotation and open under no other key.
    @Test func storeIsReadableAfterMasterKeyRotation() async throws {
        let (old, new) = (MasterKey.random(), MasterKey.random())
        let fixture = try await SMSFixture(.file, .init(old))
        let session = try session("s", fixture)
        _ = try await fixture.store.insertSession(
            session, from: nil, devCode: DevCode(code: Secret("123456"), sessionInfo: Secret("s")),
            at: fixture.clock.now)
        await fixture.store.close()

        let rotated = try await SMSStore(
            fixture.place.open(), keys: ReloadingMasterKeyRing(.variable(.init(new, former: [old]))),
            policy: SendingPolicy())
        #expect(try await rotated.sealedRecords.reseal().resealed == 5)
        await rotated.close()
        let after = try await SMSStore(
            fixture.place.open(), keys: ReloadingMasterKeyRing(.variable(.init(new))), policy: SendingPolicy())
        #expect(try await after.session(session.id, of: ProjectID("p")) == session)
        #expect(try await after.openCodes(in: SMSFixture.realm, at: fixture.clock.now).count == 1)
        await after.close()
        await #expect(throws: MasterKeyError.self) {
            _ = try await SMSStore(
                fixture.place.open(), keys: ReloadingMasterKeyRing(.variable(.init(.random()))), policy: SendingPolicy()
            )
        }
    }
}
