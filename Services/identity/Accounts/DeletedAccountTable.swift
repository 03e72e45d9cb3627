import Contracts
import SQL
import Vocabulary

/// A service that stores something about accounts, and is told when they are deleted.
package enum AccountDataHolder: String, CaseIterable, Sendable {
    case passkey
    case mfaTOTP = "mfa-totp"
    case mfaSMS = "mfa-sms"
}

extension AccountDataHolder: SQLConvertible {}

/// The deleted accounts of which a service does not know yet: one row for each service. A row outlives its tenant.
enum DeletedAccountTable: String, AccountKeyTable {
    case service, project, tenant
    case accountID = "account_id"
    case deletedAt = "deleted_at"

    static let table = "deleted_accounts"
    static let key = [service, project, tenant, accountID]
    /// A service that is not part of the installation never replies.
    static let expiry = SQLExpiry.after(Self.deletedAt, lifetime: .seconds(30 * 24 * 60 * 60))

    private static let replacement =
        "ON CONFLICT (service, project, tenant, account_id) DO UPDATE SET deleted_at = excluded.deleted_at"

    /// Inserts the rows of an account.
    static let saving = SQLStatement<Self>(
        """
        INSERT INTO deleted_accounts (service, project, tenant, account_id, deleted_at) VALUES
            \(services { "(\($0), :project, :tenant, :account_id, :deleted_at)" }.joined(separator: ", "))
        \(replacement)
        """)
    /// Inserts the rows of the accounts that `AccountTable.deletionOfRealm` deletes, as many as the argument.
    static let savingOfRealm = SQLStatement<Self>(
        """
        INSERT INTO deleted_accounts (service, project, tenant, account_id, deleted_at)
        SELECT s.service, a.project, a.tenant, a.account_id, :deleted_at
        FROM (\(services { "SELECT \($0) AS service" }.joined(separator: " UNION ALL "))) AS s
        CROSS JOIN (SELECT project, tenant, account_id FROM accounts
            WHERE project = :project AND tenant = :tenant ORDER BY account_id LIMIT $1) AS a
        WHERE a.account_id <> ''
        \(replacement)
        """)
    static let any = select([accountID], where: [], "LIMIT 1")
    static let first = select(
        [project, tenant, accountID, deletedAt], where: [service],
        "ORDER BY deleted_at, project, tenant, account_id LIMIT $1")
    /// Not the row of an account that was deleted again since.
    static let acknowledgement = delete(where: key + [deletedAt])
    static let backlog = SQLStatement<Self>(
        "SELECT service, COUNT(*) AS count, MIN(deleted_at) AS oldest FROM deleted_accounts GROUP BY service")

    private static func services(_ text: (_ literal: String) -> String) -> [String] {
        AccountDataHolder.allCases.map { text("'\($0.rawValue)'") }
    }
}
