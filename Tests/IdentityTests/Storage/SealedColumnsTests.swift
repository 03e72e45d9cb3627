import Contracts
import Crypto
import DatabaseService
import MasterKey
import SQL
import SQLite
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// The sealed columns of identity remain readable after a rotation of the master key.
struct SealedColumnsTests {
    private let directory: TemporaryDirectory
    private let old = MasterKey.random()
    private let new = MasterKey.random()

    init() throws { directory = try TemporaryDirectory() }

    private var keyFile: String { directory.appending("master.key") }

    private func openDatabase() throws -> SQLiteDatabase {
        try SQLiteDatabase(.file(directory.appending("identity.sqlite")))
    }

    private func openStore(_ ring: MasterKeyRing) async throws -> IdentityStore {
        try await IdentityStore(try openDatabase(), keys: ReloadingMasterKeyRing(.variable(ring)))
    }

    /// A database of the first release: records without IDs, and secrets derived from the master key.
    private func makeFirstReleaseDatabase() async throws -> SigningKeyID {
        let database = try openDatabase()
        try await database.migrate(Array(IdentityMigrations.all.prefix(1)))
        let id = SigningKeyID("feedface")
        let sealing = try #require(SealingKey(old.key(for: "identity sealing")))
        let der = try TestKey.rsa().pkcs8DER
        let sealed = try sealing.seal(der, binding: Array("signing_keys/private_key/\(id)".utf8))
        let reply = try sealing.seal(Array("{}".utf8), binding: Array("recorded_replies/key/1".utf8))
        try await database.write { transaction in
            try transaction.execute(
                """
                INSERT INTO signing_keys (
                    key_id, purpose, activates_at, created_at, sealed_private_key, certificate, modulus, exponent)
                VALUES ($1, 'idToken', 0, 0, $2, '', '', '')
                """, .text(id.rawValue), .blob(sealed))
            try transaction.execute(
                """
                INSERT INTO recorded_replies (idempotency_key, params_digest, sealed_reply, recorded_at)
                VALUES ('key/1', $1, $2, 0)
                """, .blob([]), .blob(reply))
        }
        await database.close()
        return id
    }

    @Test func firstReleaseDatabaseSurvivesRotation() async throws {
        let id = try await makeFirstReleaseDatabase()
        var store = try await openStore(MasterKeyRing(old))
        func check(_ store: IdentityStore) async throws {
            #expect(store.pepper.id == old.id)
            #expect(store.pepper.key == old.key(for: "password pepper"))
            #expect(store.formerPeppers.isEmpty)
            #expect(store.digest([1]) == HMAC.sha256(key: old.key(for: "identity digests"), message: [1]))
            #expect(try await store.signingKeys(.idToken).map(\.id) == [id])
        }
        try await check(store)
        #expect(try await store.sealedRecords.countRecords() == .init(found: [old.id: 3], legacyCount: 2))
        await store.close()

        store = try await openStore(MasterKeyRing(new, former: [old]))
        #expect(try await store.sealedRecords.reseal().resealed == 5)
        #expect(try await store.sealedRecords.reseal() == .init(found: [new.id: 5]))
        await store.close()

        store = try await openStore(MasterKeyRing(new))
        try await check(store)
        await store.close()
    }

    @Test func wrongMasterKeyIsDetectedOnOpening() async throws {
        _ = try await makeFirstReleaseDatabase()
        await #expect(throws: CryptoError.authenticationFailed) { try await openStore(MasterKeyRing(new)) }
        await (try await openStore(MasterKeyRing(old))).close()
        await #expect(throws: MasterKeyError.unknownKey(id: old.id, place: "LATCHKEY_MASTER_KEY")) {
            try await openStore(MasterKeyRing(new))
        }
    }

    @Test func newDatabaseHasItsOwnSecrets() async throws {
        let store = try await openStore(MasterKeyRing(old))
        let again = try await openStore(MasterKeyRing(old))
        #expect(store.pepper.key == again.pepper.key)
        #expect(store.digest([1]) == again.digest([1]))
        #expect(store.pepper.key != old.key(for: "password pepper"))
        let other = try await IdentityStore(
            try SQLiteDatabase(.memory), keys: ReloadingMasterKeyRing(.variable(MasterKeyRing(old))))
        #expect(store.pepper.key != other.pepper.key)
        #expect(store.digest([1]) != other.digest([1]))
    }

    /// A sealed column that is not declared would be unreadable after the next rotation.
    @Test func everySealedColumnIsDeclared() async throws {
        let store = try await openStore(MasterKeyRing(old))
        let declared = try await SealedRecords.declared(in: store.database, keys: store.sealingKeys)
        #expect(declared?.columns.count == IdentityStore.sealedColumns.count + 1)
    }

    @Test func rotationIsAudited() async throws {
        let fixture = try await IdentityFixture()
        try await fixture.store.write { try fixture.service.masterKeyRotated(in: $0) }
        let last = try await fixture.store.read { transaction in
            try transaction.firstRow("SELECT action, actor FROM audit_log ORDER BY sequence DESC LIMIT 1")
        }
        #expect(try last?.get("action") == "master-key.rotated")
        #expect(try last?.get("actor") == "system")
    }

    @Test func passwordIsVerifiedWithPepperOfItsRecord() async throws {
        let peppers = ["first", "second", "third"].map { PasswordHasher.Pepper(id: $0, key: Random.bytes(32)) }
        let clock = ManualClock()
        func hasher(_ pepper: PasswordHasher.Pepper, former: [PasswordHasher.Pepper] = []) -> PasswordHasher {
            PasswordHasher(
                threads: 1, maximumWaiting: 1,
                parameters: .init(memoryKiB: 64, iterations: 1, parallelism: 1, tagBytes: 32),
                pepper: pepper, formerPeppers: former, now: { clock.now }, randomBytes: Random.bytes)
        }
        let password = try #require(Password("correct horse"))
        let deadline = clock.now + .seconds(5)
        let record = try await hasher(peppers[0]).record(of: password, by: deadline)
        let later = hasher(peppers[1], former: [peppers[0]])
        #expect(
            try await later.compare(password, with: record, refusingAfter: .none, by: deadline)
                == .equal(replacement: nil))
        #expect(
            try await later.compare(try #require(Password("wrong")), with: record, refusingAfter: .none, by: deadline)
                == .different)
        #expect(try await later.record(of: password, by: deadline).contains("keyid=second"))
        #expect(
            try await hasher(peppers[2]).compare(password, with: record, refusingAfter: .none, by: deadline)
                == .different)
    }
}
