import Contracts
import Crypto
import DatabaseService
import MasterKey
import SQL
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import MFATOTPService

/// Requirements on the store, tested on every engine.
@Suite struct TOTPStoreTests {
    @Test(arguments: StoreEngine.allCases)
    func storedFactorCompletesSignIn(engine: StoreEngine) async throws {
        let fixture = try await TOTPFixture(engine)
        let ada = try await fixture.enrolled()
        try await fixture.signIn(ada, fixture.code(ada.secret))
        await #expect(throws: ServiceError(.invalidCode)) { try await fixture.signIn(ada, fixture.code(ada.secret)) }
        let eve = try await fixture.enrolled("eve")
        let all = try await fixture.store.listing.keys(after: nil, limit: 10)
        #expect(all.map(\.id) == [ada.factorID, eve.factorID])
        #expect(try await fixture.store.listing.keys(after: all[0], limit: 10).map(\.id) == [eve.factorID])
        #expect(try await fixture.store.listing.keys(after: nil, limit: 1).map(\.id) == [ada.factorID])
    }

    /// "enrollments.created_at": an enrollment that began while the clock was ahead has expired when it is right again.
    @Test(arguments: [(0, true), (200, true), (700, false), (365 * 86_400, false)] as [(Int64, Bool)])
    func lifetimeThatBeginsInTheFutureIsOver(seconds: Int64, isOpen: Bool) {
        let enrollment = TOTPEnrollment(
            owner: TOTPAccountKey(realm: TOTPFixture.realm, accountID: AccountID("ada")), factorID: FactorID("f"),
            createdAt: Moment(milliseconds: 1_700_000_000_000))
        let before = enrollment.createdAt - .seconds(seconds)
        do throws(ServiceError) {
            try enrollment.checkOpen(of: [1], at: before)
            #expect(isOpen)
        } catch {
            #expect(!isOpen && error == ServiceError(.verificationSessionExpired))
        }
    }

    @Test(arguments: StoreEngine.allCases)
    func whatWasStoredBeforeTheDeletionIsForgotten(engine: StoreEngine) async throws {
        let fixture = try await TOTPFixture(engine)
        _ = try await fixture.enrolled()
        let eve = try await fixture.enrolled("eve")
        fixture.identity.unlist("ada")
        let open = try await fixture.start()
        let deletedAt = fixture.clock.now
        fixture.clock.advance(by: .seconds(60))
        // A new account has the same ID.
        let later = try await fixture.enrolled()
        let request = MFATOTP.ForgetAccounts(
            realm: TOTPFixture.realm, accounts: [.init(id: AccountID("ada"), deletedAt: deletedAt)])
        for _ in 0..<2 { _ = try await fixture.send(request) }
        #expect(
            try await fixture.store.listing.keys(after: nil, limit: 10).map(\.id) == [later.factorID, eve.factorID])
        await #expect(throws: ServiceError(.invalidVerificationSession)) {
            try await fixture.finish(open.sessionInfo, try fixture.code(open))
        }
        try await fixture.signIn(later, fixture.code(later.secret))
        await #expect(throws: ServiceError(.invalidRequest)) {
            _ = try await fixture.send(
                MFATOTP.ForgetAccounts(
                    realm: TOTPFixture.realm, accounts: [.init(id: AccountID(""), deletedAt: deletedAt)]))
        }
    }

    /// Identity opens one session for all of them.
    @Test(arguments: StoreEngine.shared) func equalRequestsFromSeveralAddressesHaveOneKey(engine: StoreEngine)
        async throws
    {
        let fixture = try await TOTPFixture(engine)
        let started = try await fixture.start()
        let code = try fixture.code(started)
        let errors = await withTaskGroup { group in
            for number in 0..<6 {
                group.addTask { () -> WireError.Code? in
                    do {
                        _ = try await fixture.send(
                            MFATOTP.FinishEnrollment(
                                realm: TOTPFixture.realm, idToken: Secret("ada"), sessionInfo: started.sessionInfo,
                                code: Secret(code), displayName: "app",
                                client: ClientContext(ipAddress: "192.0.2.\(number)")))
                        return nil
                    } catch {
                        return (error as? ServiceError)?.code ?? .internal
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(errors == Array(repeating: nil, count: 6))
        #expect(fixture.identity.state.withLock { Set($0.enrollmentKeys).count } == 1)
    }

    @Test(arguments: StoreEngine.allCases)
    func realmsAreIsolated(engine: StoreEngine) async throws {
        let fixture = try await TOTPFixture(engine)
        let realms = [nil, "t1", "t2"].map { Realm(project: ProjectID("p"), tenant: $0.map(TenantID.init)) }
        let now = fixture.clock.now
        let session = TOTPSession(secret: Random.bytes(32))
        let owner = TOTPAccountKey(realm: realms[0], accountID: AccountID("a"))
        let enrollment = TOTPEnrollment(owner: owner, factorID: FactorID("f"), createdAt: now)
        try await fixture.store.insert(enrollment, session, secret: Random.bytes(20))
        #expect(try await fixture.store.enrollment(session, of: owner) == enrollment)
        for realm in realms.dropFirst() {
            let other = TOTPAccountKey(realm: realm, accountID: AccountID("a"))
            #expect(try await fixture.store.enrollment(session, of: other) == nil)
            let key = TOTPFactorKey(owner: other, id: FactorID("f"))
            #expect(try await fixture.store.verify(nil, of: key, window: 1, at: now) == nil)
        }
    }

    /// Security rules, section 14: two processes share one database.
    /// Security rule TO3.
    @Test(arguments: StoreEngine.shared)
    func codeIsAcceptedOnceByConcurrentProcesses(engine: StoreEngine) async throws {
        let fixture = try await TOTPFixture(engine)
        let ada = try await fixture.enrolled()
        let second = try await TOTPStore(try await fixture.place.open(), keys: fixture.masterKeys)
        let services = [fixture.service(), fixture.service(on: second)]
        for round in 0..<3 {
            let code = fixture.code(ada.secret)
            let outcomes = await withTaskGroup { group in
                for number in 0..<50 {
                    group.addTask {
                        do {
                            try await fixture.signIn(ada, code, of: services[number % 2])
                            return "in"
                        } catch {
                            return (error as? ServiceError)?.code.rawValue ?? "\(error)"
                        }
                    }
                }
                return await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(outcomes["in"] == 1, "round \(round): \(outcomes)")
            // Attempts after the fifth are locked; a busy database may refuse some.
            #expect(outcomes["invalidCode", default: 0] <= 5, "\(outcomes)")
            #expect(
                Set(outcomes.keys).isSubset(of: ["in", "invalidCode", "quotaExceeded", "unavailable", "overloaded"]),
                "\(outcomes)")
            fixture.clock.advance(by: .seconds(330))
        }
        await second.close()
    }

    /// Security rules, section 14: two hundred wrong codes meet a limit of five attempts.
    @Test(arguments: StoreEngine.shared)
    func fiveOfTwoHundredParallelCodesAreVerified(engine: StoreEngine) async throws {
        let fixture = try await TOTPFixture(engine)
        let ada = try await fixture.enrolled()
        let second = try await TOTPStore(try await fixture.place.open(), keys: fixture.masterKeys)
        let services = [fixture.service(), fixture.service(on: second)]
        let wrong = fixture.wrong(ada.secret)
        let judged = await withTaskGroup { group in
            for number in 0..<200 {
                group.addTask {
                    do {
                        try await fixture.signIn(ada, wrong, of: services[number % 2])
                        return 100
                    } catch {
                        return (error as? ServiceError)?.code == .invalidCode ? 1 : 0
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(judged == 5)
        await second.close()
    }

    @Test(arguments: StoreEngine.shared)
    func parallelFinishesCreateOneFactor(engine: StoreEngine) async throws {
        let fixture = try await TOTPFixture(engine)
        let started = try await fixture.start()
        let code = try fixture.code(started)
        await withTaskGroup { group in
            for _ in 0..<10 {
                // `try?`: some are too late. The test checks the final state.
                group.addTask { _ = try? await fixture.finish(started.sessionInfo, code) }
            }
        }
        #expect(Set(fixture.identity.state.withLock { $0.enrolled.map(\.factorID) }).count == 1)
        #expect(try await fixture.factorCount() == 1)
    }

    // MARK: Sealed columns

    /// Changes stored rows with the statements of `change`.
    private func damage(
        _ fixture: TOTPFixture, _ change: @escaping @Sendable (borrowing SQLTransaction) throws -> Void
    ) async throws {
        let database = try await fixture.place.open()
        try await database.write(change)
        await database.close()
    }

    /// Security rule TO5.
    @Test func secretOfAnotherAccountDoesNotOpen() async throws {
        let fixture = try await TOTPFixture(.file)
        let (ada, eve) = (try await fixture.enrolled(), try await fixture.enrolled("eve"))
        try await damage(fixture) { transaction in
            try transaction.execute(
                """
                UPDATE factors SET sealed_secret =
                    (SELECT other.sealed_secret FROM factors AS other WHERE other.account_id = 'eve')
                WHERE account_id = 'ada'
                """)
        }
        await #expect(throws: CryptoError.authenticationFailed) {
            try await fixture.signIn(ada, fixture.code(eve.secret))
        }
        try await fixture.signIn(eve, fixture.code(eve.secret))
    }

    @Test func secretIsBoundToItsFactor() async throws {
        let fixture = try await TOTPFixture(.file)
        let ada = try await fixture.enrolled()
        try await damage(fixture) { transaction in
            try transaction.execute("UPDATE factors SET factor_id = 'another'")
        }
        fixture.identity.list(FactorID("another"), of: "ada")
        await #expect(throws: CryptoError.authenticationFailed) {
            try await fixture.signIn(ada, fixture.code(ada.secret), factorID: FactorID("another"))
        }
    }

    @Test func flippedBitPreventsOpening() async throws {
        let fixture = try await TOTPFixture(.file)
        let ada = try await fixture.enrolled()
        // Nonce, ciphertext and tag, one bit of each.
        for position in [5, 20, 40] {
            @Sendable func flip(_ transaction: borrowing SQLTransaction) throws {
                let row = try #require(try transaction.firstRow("SELECT sealed_secret FROM factors"))
                var record: [UInt8] = try row.get("sealed_secret")
                record[position] ^= 1
                try transaction.execute("UPDATE factors SET sealed_secret = $1", .blob(record))
            }
            try await damage(fixture, flip)
            await #expect(throws: CryptoError.authenticationFailed) {
                try await fixture.signIn(ada, fixture.code(ada.secret))
            }
            try await damage(fixture, flip)
        }
        try await fixture.signIn(ada, fixture.code(ada.secret))
    }

    @Test func databaseContainsNoPlainSecrets() async throws {
        let fixture = try await TOTPFixture(.file)
        let ada = try await fixture.enrolled()
        fixture.identity.add("bob")
        _ = try await fixture.start("bob")
        let database = try await fixture.place.open()
        let records: [[UInt8]] = try await database.read { transaction in
            try transaction.rows("SELECT sealed_secret FROM factors").map { try $0.get("sealed_secret") }
                + transaction.rows("SELECT session_digest FROM enrollments").map { try $0.get("session_digest") }
        }
        for record in records { #expect(!record.contains(ada.secret)) }
        // The verified secret is stored only once.
        let open = try await database.read { transaction in
            try transaction.rows("SELECT state FROM enrollments WHERE sealed_secret IS NOT NULL").map {
                try $0.get("state") as String
            }
        }
        #expect(open == ["open"])
        await database.close()
    }

    /// A sealed column that is not declared would be unreadable after the next rotation.
    @Test(arguments: StoreEngine.shared)
    func masterKeyRotationResealsEverySecret(engine: StoreEngine) async throws {
        let place = try await StoreLocation(engine, name: "mfa_totp")
        let (old, new) = (MasterKey.random(), MasterKey.random())
        let now = ManualClock().now
        let key = TOTPFactorKey(
            owner: TOTPAccountKey(realm: TOTPFixture.realm, accountID: AccountID("a")), id: FactorID("f"))
        let secret = Random.bytes(20)
        let step = TOTPCode.step(at: now)
        var store = try await TOTPStore(try await place.open(), keys: try ReloadingMasterKeyRing(.variable(.init(old))))
        let enrollment = TOTPEnrollment(owner: key.owner, factorID: key.id, createdAt: now)
        try await store.insert(enrollment, TOTPSession(secret: Random.bytes(32)), secret: secret)
        var open = enrollment
        open.factorID = FactorID("g")
        try await store.insert(open, TOTPSession(secret: Random.bytes(32)), secret: secret)
        let verified = try await store.verifyCode(
            TOTPCode(secret: secret, step: step), of: enrollment, window: 1, at: now)
        #expect(verified == .verified(step: step))
        await store.close()

        let database = try await place.open()
        let keys = try ReloadingMasterKeyRing(.variable(.init(new, former: [old])))
        let declared = try await SealedRecords.declared(in: database, keys: SealingKeys(keys, of: .mfaTOTP))
        #expect(declared?.columns.count == TOTPStore.sealedColumns.count + 1)
        await database.close()
        store = try await TOTPStore(try await place.open(), keys: keys)
        #expect(try await store.sealedRecords.reseal().resealed == 3)
        await store.close()

        store = try await TOTPStore(try await place.open(), keys: try ReloadingMasterKeyRing(.variable(.init(new))))
        let judged = try await store.verify(
            TOTPCode(secret: secret, step: step + 1), of: key, window: 1, at: now)
        #expect(judged?.result == .accepted)
        #expect(
            try await store.verifyCode(TOTPCode(secret: secret, step: step), of: open, window: 1, at: now)
                == .verified(step: step))
        await store.close()
        let foreign = try ReloadingMasterKeyRing(.variable(.init(.random())))
        let last = try await place.open()
        await #expect(throws: MasterKeyError.self) { try await TOTPStore(last, keys: foreign) }
        await last.close()
    }

    // MARK: Maintenance

    @Test(arguments: StoreEngine.allCases)
    func unlistedFactorsAreDeletedAfterOneDay(engine: StoreEngine) async throws {
        let fixture = try await TOTPFixture(engine)
        let ada = try await fixture.enrolled()
        _ = try await fixture.enrolled("eve")
        let tenant = Realm(project: ProjectID("demo"), tenant: TenantID("t"))
        let key = TOTPFactorKey(owner: TOTPAccountKey(realm: tenant, accountID: AccountID("ada")), id: ada.factorID)
        let enrollment = TOTPEnrollment(owner: key.owner, factorID: key.id, createdAt: fixture.clock.now)
        let secret = Random.bytes(20)
        try await fixture.store.insert(enrollment, TOTPSession(secret: Random.bytes(32)), secret: secret)
        _ = try await fixture.store.verifyCode(
            TOTPCode(secret: secret, step: TOTPCode.step(at: fixture.clock.now)), of: enrollment, window: 0,
            at: fixture.clock.now)
        #expect(try await fixture.factorCount() == 3)

        fixture.identity.unlist("eve")
        #expect(try await fixture.reconcile() == 0)
        fixture.clock.advance(by: .milliseconds(86_399_999))
        #expect(try await fixture.reconcile() == 0)
        fixture.clock.advance(by: .milliseconds(1))
        #expect(try await fixture.reconcile() == 2)
        #expect(try await fixture.store.listing.keys(after: nil, limit: 9).map(\.id) == [ada.factorID])
        try await fixture.signIn(ada, fixture.code(ada.secret))
    }

    @Test func relistedFactorIsKept() async throws {
        let fixture = try await TOTPFixture()
        let ada = try await fixture.enrolled()
        fixture.identity.unlist("ada")
        #expect(try await fixture.reconcile() == 0)
        fixture.clock.advance(by: .seconds(80_000))
        fixture.identity.list(ada.factorID, of: "ada")
        #expect(try await fixture.reconcile() == 0)
        fixture.identity.unlist("ada")
        fixture.clock.advance(by: .seconds(80_000))
        #expect(try await fixture.reconcile() == 0)
        #expect(try await fixture.factorCount() == 1)
    }

    @Test func factorsAreKeptWhileIdentityIsUnavailable() async throws {
        let fixture = try await TOTPFixture()
        _ = try await fixture.enrolled()
        for _ in 0..<3 {
            fixture.identity.refuse(.findAccounts, .unavailable)
            await #expect(throws: ServiceError(.unavailable)) { try await fixture.reconcile() }
            fixture.clock.advance(by: .seconds(90_000))
        }
        #expect(try await fixture.factorCount() == 1)
        // A deleted tenant is a valid reply.
        for _ in 0..<2 {
            fixture.identity.refuse(.findAccounts, .tenantNotFound)
            try await fixture.reconcile()
            fixture.clock.advance(by: .seconds(90_000))
        }
        #expect(try await fixture.factorCount() == 0)
    }

    @Test func reconciliationReadsFactorsInPages() async throws {
        let fixture = try await TOTPFixture()
        let now = fixture.clock.now
        for number in 0..<230 {
            let id = "u\(number)"
            fixture.identity.add(id)
            let secret = Random.bytes(20)
            let enrollment = TOTPEnrollment(
                owner: TOTPAccountKey(realm: TOTPFixture.realm, accountID: AccountID(id)), factorID: FactorID(id),
                createdAt: now)
            try await fixture.store.insert(enrollment, TOTPSession(secret: Random.bytes(32)), secret: secret)
            _ = try await fixture.store.verifyCode(
                TOTPCode(secret: secret, step: TOTPCode.step(at: now)), of: enrollment, window: 0, at: now)
            if number % 2 == 0 { fixture.identity.list(FactorID(id), of: id) }
        }
        try await fixture.reconcile()
        #expect(fixture.identity.state.withLock { $0.criteria } == [100, 100, 30])
        fixture.clock.advance(by: .seconds(86_400))
        #expect(try await fixture.reconcile() == 115)
        #expect(try await fixture.factorCount() == 115)
    }
}
