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
    /// Imported hashes without a time among the next accounts, in the order of their keys.
    /// - Parameters:
    ///   - last: the end of the previous page.
    ///   - limit: accounts that are looked at. Few have such a hash, and other long reads wait for this one.
    /// - Returns: also the last account that was looked at; nil behind the last one of all.
    func unmeasuredHashes(
        after last: (realm: Realm, id: AccountID)?, among limit: Int
    ) async throws -> (hashes: [UnmeasuredHash], last: (realm: Realm, id: AccountID)?) {
        let start = SQLRecord<AccountTable>(
            last?.id ?? AccountID(""), in: last?.realm ?? Realm(project: ProjectID("")))
        return try await database.longRead { transaction in
            let rows = try transaction.rows(
                AccountTable.unmeasuredHashes, start, "\(ImportedPasswordRecord.prefix)%", Int64(limit))
            let hashes = try rows.compactMap { row in
                try (row.getIfPresent(computed: "unmeasured") as String?).map { record in
                    UnmeasuredHash(realm: try row.realm(), accountID: try row.get(.accountID), record: record)
                }
            }
            return (hashes, try rows.last.map { (try $0.realm(), try $0.get(.accountID)) })
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
