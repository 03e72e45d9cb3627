import Contracts
import MasterKey
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import MFATOTPService

@Suite struct FactorFillingTests {
    private static let realm = Realm(project: ProjectID("demo"))
    private static let secret = Array("secret of every app ".utf8)

    private static func factors(_ numbers: Range<Int>) -> [MFATOTP.ImportedFactor] {
        numbers.map {
            .init(accountID: AccountID("a\($0)"), factorID: FactorID("f\($0)"), secret: Secret(OctetString(secret)))
        }
    }

    /// SQLite inserts by statements, PostgreSQL by `COPY`.
    @Test(arguments: [StoreEngine.memory, .postgres])
    func filledFactorsVerifyCodes(engine: StoreEngine) async throws {
        let place = try await StoreLocation(engine, name: "mfa-totp", migrations: TOTPStore.migrations)
        let database = try await place.open()
        let keys = try ReloadingMasterKeyRing(.variable(.init(.random())))
        let insert = try await FactorFilling.open(Self.realm, database, keys: keys)
        // The second begins again with a batch that the first has inserted in part.
        for numbers in [0..<0, 0..<2, 0..<5, 5..<6] { try await insert(Self.factors(numbers)) }
        let store = try await TOTPStore(database, keys: keys)
        let now = Moment(milliseconds: 1_700_000_000_000)
        let code = TOTPCode(secret: Self.secret, step: now.timestamp.seconds / 30)
        for factor in Self.factors(0..<6) {
            let key = TOTPFactorKey(
                owner: TOTPAccountKey(realm: Self.realm, accountID: factor.accountID), id: factor.factorID)
            #expect(try await store.verify(code, of: key, window: 0, at: now)?.result == .accepted)
        }
        await database.close()
    }
}
