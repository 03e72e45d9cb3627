package import Contracts
import DatabaseService
package import MasterKey
package import SQL
package import Vocabulary

/// Fills the database of mfa-totp with the factors of accounts for measurements: `latchkey bench fill`.
package enum FactorFilling {
    package typealias Insertion = @Sendable ([MFATOTP.ImportedFactor]) async throws -> Void

    /// - Returns: inserts factors, of which a fill that was interrupted may have inserted some. Identity lists them afterwards.
    /// - Throws: `SQLError`, `MasterKeyError`, `CryptoError`.
    package static func open(
        _ realm: Realm, _ database: any SQLDatabase, keys: ReloadingMasterKeyRing
    ) async throws -> Insertion {
        let store = try await TOTPStore(database, keys: keys)
        let tables = try await database.read { try $0.tables() }
        return { factors in try await store.fill(with: factors, in: realm, tables) }
    }
}

extension TOTPStore {
    fileprivate func fill(
        with factors: [MFATOTP.ImportedFactor], in realm: Realm, _ tables: [SQLTable]
    ) async throws {
        guard let first = factors.first else { return }
        @Sendable func key(_ factor: MFATOTP.ImportedFactor) -> TOTPFactorKey {
            TOTPFactorKey(owner: TOTPAccountKey(realm: realm, accountID: factor.accountID), id: factor.factorID)
        }
        try await database.write { [self] transaction in
            // What an interrupted fill has inserted are the first ones of a batch.
            if try transaction.firstRow(FactorTable.byKey, SQLRecord(key(first))) != nil {
                for factor in factors { try transaction.execute(FactorTable.removal, SQLRecord(key(factor))) }
            }
            var rows = WholeRows<FactorTable>(tables)
            for factor in factors {
                let key = key(factor)
                rows.append(
                    SQLRecord(key) + TOTPFactor.unused.verification + [
                        .sealedSecret: try seal(factor.secret.reveal().bytes, Self.factorSecret, key),
                        .unlistedSince: nil,
                    ])
            }
            try rows.insert(into: transaction)
        }
    }
}
