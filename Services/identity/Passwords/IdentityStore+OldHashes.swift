import Contracts
import SQL
import Vocabulary

/// An imported hash whose time was not measured.
struct UnmeasuredHash: Equatable, Sendable {
    var realm: Realm
    var accountID: AccountID
    var record: String
}

extension IdentityStore {
    /// Imported hashes without a time, in the order of their accounts.
    /// - Parameter last: the end of the previous page.
    func unmeasuredHashes(after last: UnmeasuredHash?, limit: Int) async throws -> [UnmeasuredHash] {
        let start = SQLRecord<AccountTable>(
            last?.accountID ?? AccountID(""), in: last?.realm ?? Realm(project: ProjectID("")))
        return try await database.longRead { transaction in
            try transaction.rows(
                AccountTable.unmeasuredHashes, start, "\(ImportedPasswordRecord.prefix)%", Int64(limit)
            ).map { row in
                UnmeasuredHash(
                    realm: try row.realm(), accountID: try row.get(.accountID), record: try row.get(.passwordRecord))
            }
        }
    }

    /// Stores the times of hashes that no sign-in has replaced meanwhile.
    func record(_ times: [(hash: UnmeasuredHash, milliseconds: Int64)]) async throws {
        try await write { transaction in
            for (hash, milliseconds) in times {
                try transaction.execute(
                    AccountTable.hashMeasurement,
                    SQLRecord(hash.accountID, in: hash.realm) + [
                        .passwordRecord: hash.record, .importedHashMilliseconds: milliseconds,
                    ])
            }
        }
    }
}

extension SQLTransaction {
    /// The time of the slowest imported hash of a realm, in milliseconds; nil without one.
    borrowing func slowestOldHash(in realm: Realm) throws -> Int64? {
        try firstRow(AccountTable.slowestImportedHash, SQLRecord(realm))?.get(.importedHashMilliseconds)
    }
}
