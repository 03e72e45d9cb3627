package import Contracts
package import MasterKey
package import SQL
import Vocabulary

/// Opens secrets for the operator's export (security rule TO5), also while the service uses the database. It changes
/// nothing.
package enum SecretExport {
    /// - Returns: the TOTP factors that the accounts list, with their secrets.
    /// - Throws: `MasterKeyError.unknownKey` or `CryptoError.authenticationFailed` with other master keys than those of the
    ///   service.
    package static func factors(
        of accounts: [Account], in database: any SQLDatabase, keys: ReloadingMasterKeyRing
    ) async throws -> [MFATOTP.ImportedFactor] {
        let sealingKeys = SealingKeys(keys, of: .mfaTOTP)
        return try await database.read { transaction in
            var factors: [MFATOTP.ImportedFactor] = []
            for account in accounts {
                for factor in account.secondFactors where factor.kind == .totp {
                    let key = TOTPFactorKey(
                        owner: TOTPAccountKey(realm: account.realm, accountID: account.id), id: factor.id)
                    guard let row = try transaction.firstRow(FactorTable.byKey, SQLRecord(key)) else { continue }
                    let secret = try sealingKeys.open(
                        row.get(.sealedSecret), binding: TOTPStore.factorSecret.binding(SQLRecord<FactorTable>(key)))
                    factors.append(
                        .init(accountID: account.id, factorID: factor.id, secret: Secret(OctetString(secret))))
                }
            }
            return factors
        }
    }
}
