package import Contracts
package import SQL
package import Vocabulary

/// Reads public keys for the operator's export, also while the service uses the database. It changes nothing.
package enum PublicKeyExport {
    /// - Returns: the records of the passkeys that the accounts list.
    package static func records(
        of accounts: [Account], in database: any SQLDatabase
    ) async throws -> [CredentialID: Passkey.PublicKeyRecord] {
        try await database.read { transaction in
            var records: [CredentialID: Passkey.PublicKeyRecord] = [:]
            for account in accounts {
                for passkey in account.passkeys {
                    let id = passkey.credentialID
                    let row = try transaction.firstRow(
                        CredentialTable.byKey, [.project: account.realm.project, .credentialID: id])
                    guard let credential = try row.map({ try PasskeyCredential($0) }),
                        credential.realm == account.realm, credential.accountID == account.id
                    else { continue }
                    records[id] = credential.publicKeyRecord
                }
            }
            return records
        }
    }
}
