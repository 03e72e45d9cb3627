import Contracts
import Crypto
import DatabaseService
import MasterKey
import SQL
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import PasskeyService

/// Requirements on the store, tested on every engine.
@Suite struct PasskeyStoreTests {
    /// Security rules WR15 and WR24.
    @Test(arguments: StoreEngine.allCases)
    func credentialsAndCeremoniesAreReadBack(engine: StoreEngine) async throws {
        let fixture = try await PasskeyFixture(engine)
        for (owner, purpose) in [
            (Ceremony.Owner.anyAccount, Ceremony.Purpose.authentication), (.noAccount, .authentication),
            (.account(AccountID("a")), .registration),
        ] {
            for realm in [PasskeyFixture.realm, Realm(project: ProjectID("demo"), tenant: TenantID("t"))] {
                let challenge = Challenge(bytes: Random.bytes(32))
                let ceremony = Ceremony(
                    challengeDigest: challenge.digest, realm: realm, purpose: purpose, owner: owner,
                    userVerification: .preferred, isConditional: true, createdAt: fixture.clock.now)
                try await fixture.store.insert(ceremony)
                #expect(try await fixture.store.ceremony(of: challenge) == ceremony)
            }
        }
        var device = try await fixture.enrolled()
        try await fixture.signIn(&device)
        let stored = try #require(try await fixture.stored(device))
        let other = try await fixture.store.credential(device.credentialID, in: ProjectID("other"))
        #expect(other == nil && stored.id == device.credentialID)
        await fixture.store.close()
    }

    /// "ceremonies.created_at": a ceremony that began while the clock was ahead has expired when it is right again.
    @Test(arguments: [(0, true), (200, true), (700, false), (365 * 86_400, false)] as [(Int64, Bool)])
    func lifetimeThatBeginsInTheFutureIsOver(seconds: Int64, isOpen: Bool) {
        let ceremony = Ceremony(
            challengeDigest: [1], realm: PasskeyFixture.realm, purpose: .authentication, owner: .anyAccount,
            userVerification: .preferred, createdAt: Moment(milliseconds: 1_700_000_000_000))
        let before = ceremony.createdAt - .seconds(seconds)
        do throws(ServiceError) {
            try ceremony.check(.authentication, in: PasskeyFixture.realm, at: before)
            #expect(isOpen)
        } catch {
            #expect(!isOpen)
        }
    }

    /// The longest credential ID, and one that differs in its last byte.
    @Test(arguments: StoreEngine.allCases)
    func longCredentialIDsAreKept(engine: StoreEngine) async throws {
        let fixture = try await PasskeyFixture(engine)
        var bytes = Random.bytes(1023)
        for _ in 0..<2 {
            let id = try #require(CredentialID(bytes))
            var device = try await fixture.enrolled { $0.credentialID = id }
            try await fixture.signIn(&device)
            bytes[1022] ^= 1
        }
        #expect(try await fixture.credentialCount() == 2)
        await fixture.store.close()
    }

    // MARK: Concurrency

    /// The results of requests that several processes with one database get at the same time.
    private func outcomes(
        _ fixture: PasskeyFixture, count: Int, _ request: @escaping @Sendable (Int, PasskeyService) async throws -> Void
    ) async throws -> [String: Int] {
        let second = try await fixture.secondService()
        let services = [fixture.service, second.service]
        let outcomes = await withTaskGroup { group in
            for number in 0..<count {
                group.addTask {
                    await errorCode { try await request(number, services[number % 2]) }?.rawValue ?? "done"
                }
            }
            return await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        }
        await second.store.close()
        return outcomes
    }

    /// A busy database may refuse some requests.
    private static let busy: Set<String> = ["unavailable", "overloaded"]

    @Test(arguments: StoreEngine.shared)
    func oneOfFiftyParallelEnrollmentsRedeemsChallenge(engine: StoreEngine) async throws {
        let fixture = try await PasskeyFixture(engine)
        let options = try await fixture.startEnrollment()
        let responses = try (0..<50).map { _ in
            var device = try SoftwareAuthenticator()
            return try device.register(options)
        }
        let outcomes = try await outcomes(fixture, count: 50) { number, service in
            try await fixture.finishEnrollment(responses[number], of: service)
        }
        #expect(outcomes["done"] == 1, "\(outcomes)")
        #expect(Set(outcomes.keys).subtracting(Self.busy) == ["done", "invalidAuthenticatorResponse"], "\(outcomes)")
        #expect(try await fixture.credentialCount() == 1)
        #expect(fixture.identity.passkeys(of: "ada").count == 1)
        await fixture.store.close()
    }

    @Test(arguments: StoreEngine.shared)
    func oneOfFiftyParallelSignInsRedeemsChallenge(engine: StoreEngine) async throws {
        let fixture = try await PasskeyFixture(engine)
        var device = try await fixture.enrolled()
        let response = try device.authenticate(try await fixture.startSignIn())
        let outcomes = try await outcomes(fixture, count: 50) { _, service in
            try await fixture.finishSignIn(response, of: service)
        }
        #expect(outcomes["done"] == 1, "\(outcomes)")
        #expect(Set(outcomes.keys).subtracting(Self.busy) == ["done", "invalidAuthenticatorResponse"], "\(outcomes)")
        #expect(fixture.identity.state.withLock { $0.signIns.count } == 1)
        await fixture.store.close()
    }

    /// Security rule WA10: copies of a credential sign different challenges with the same counter.
    @Test(arguments: StoreEngine.shared)
    func oneOfTwentyEqualCountersSignsIn(engine: StoreEngine) async throws {
        let fixture = try await PasskeyFixture(engine)
        var device = try await fixture.enrolled { $0.signCount = 1 }
        device.signCount = 2
        var responses: [Passkey.AuthenticationResponse] = []
        for _ in 0..<20 { responses.append(try device.authenticate(try await fixture.startSignIn())) }
        let outcomes = try await outcomes(fixture, count: 20) { [responses] number, service in
            try await fixture.finishSignIn(responses[number], of: service)
        }
        #expect(outcomes["done"] == 1, "\(outcomes)")
        #expect(try await fixture.stored(device)?.signCount == 2)
        await fixture.store.close()
    }

    /// Security rule WR22: two accounts register the same credential ID.
    @Test(arguments: StoreEngine.shared)
    func oneOfTwentyParallelRegistrationsGetsCredentialID(engine: StoreEngine) async throws {
        let fixture = try await PasskeyFixture(engine)
        let id = try #require(CredentialID(Random.bytes(20)))
        var responses: [Passkey.RegistrationResponse] = []
        for number in 0..<20 {
            fixture.identity.add("user\(number)")
            var device = try SoftwareAuthenticator(credentialID: id)
            responses.append(try device.register(try await fixture.startEnrollment("user\(number)")))
        }
        let outcomes = try await outcomes(fixture, count: 20) { [responses] number, service in
            try await fixture.finishEnrollment(responses[number], by: "user\(number)", of: service)
        }
        #expect(outcomes["done"] == 1, "\(outcomes)")
        #expect(Set(outcomes.keys).subtracting(Self.busy) == ["done", "passkeyExists"], "\(outcomes)")
        #expect(try await fixture.credentialCount() == 1)
        let listed = fixture.identity.state.withLock { $0.accounts.values.filter { !$0.passkeys.isEmpty }.map(\.id) }
        #expect(try await fixture.store.listing.keys(after: nil, limit: 9).map(\.accountID) == listed)
        await fixture.store.close()
    }

    // MARK: Secrets

    /// User handles and false credentials stay the same after a restart and after a rotation of the master key.
    @Test(arguments: StoreEngine.shared)
    func masterKeyRotationKeepsDerivedIdentifiers(engine: StoreEngine) async throws {
        let place = try await StoreLocation(engine, name: "passkey")
        let (old, new) = (MasterKey.random(), MasterKey.random())
        let account = AccountID("a")
        var store = try await PasskeyStore(
            try await place.open(), keys: try ReloadingMasterKeyRing(.variable(.init(old))))
        let handle = store.identifiers.userHandle(of: account, in: PasskeyFixture.realm)
        await store.close()

        let both = try ReloadingMasterKeyRing(.variable(.init(new, former: [old])))
        store = try await PasskeyStore(try await place.open(), keys: both)
        #expect(try await store.sealedRecords.reseal().resealed == 1)
        await store.close()

        store = try await PasskeyStore(
            try await place.open(), keys: try ReloadingMasterKeyRing(.variable(.init(new))))
        #expect(store.identifiers.userHandle(of: account, in: PasskeyFixture.realm) == handle)
        await store.close()
        let last = try await place.open()
        let unknown = try ReloadingMasterKeyRing(.variable(.init(.random())))
        await #expect(throws: MasterKeyError.self) { try await PasskeyStore(last, keys: unknown) }
        await last.close()
    }

    /// A copy of the database completes no ceremony.
    @Test func databaseContainsNoChallenge() async throws {
        let fixture = try await PasskeyFixture(.file)
        let challenge = try await fixture.startSignIn().challenge.reveal().bytes
        let digests: [[UInt8]] = try await fixture.store.database.read { transaction in
            try transaction.rows("SELECT challenge_digest FROM ceremonies").map { try $0.get("challenge_digest") }
        }
        #expect(digests == [SHA2.sha256(challenge)])
        await fixture.store.close()
    }
}
