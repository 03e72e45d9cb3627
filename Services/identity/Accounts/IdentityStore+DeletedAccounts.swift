import Contracts
import Delivery
import SQL
import Vocabulary

extension IdentityStore {
    func hasDeletedAccounts() async throws -> Bool {
        try await read { transaction in try transaction.firstRow(DeletedAccountTable.any) != nil }
    }

    /// The first deleted accounts of which a service does not know yet, by realm.
    func deletedAccounts(
        unknownTo holder: AccountDataHolder, limit: Int
    ) async throws -> [Realm: [DeletedAccount]] {
        try await read { transaction in
            let rows = try transaction.rows(DeletedAccountTable.first, [.service: holder], limit)
            return try rows.reduce(into: [:]) { accounts, row in
                accounts[try row.realm(), default: []].append(
                    DeletedAccount(id: try row.get(.accountID), deletedAt: try row.get(.deletedAt)))
            }
        }
    }

    /// Records that a service needs no further request about deleted accounts.
    func acknowledge(_ accounts: [DeletedAccount], of realm: Realm, by holder: AccountDataHolder) async throws {
        try await write { transaction in
            for account in accounts {
                try transaction.execute(
                    DeletedAccountTable.acknowledgement,
                    SQLRecord(account.id, in: realm) + [.service: holder, .deletedAt: account.deletedAt])
            }
        }
    }

    /// The rows that wait for each service.
    func deletionBacklog() async throws -> [AccountDataHolder: Backlog] {
        try await read { transaction in
            try transaction.rows(DeletedAccountTable.backlog).reduce(into: [:]) { backlog, row in
                // A later version may have more services.
                guard let holder = AccountDataHolder(rawValue: try row.get(.service)) else { return }
                backlog[holder] = try Backlog(row)
            }
        }
    }
}
