import Contracts
import SQL
import Vocabulary

/// The devices that the hosted sign-in asks for no second factor. They are deleted with their account, and when its sessions
/// end.
enum RememberedDeviceTable: String, AccountKeyTable {
    case project, tenant, device
    case accountID = "account_id"
    case secretHash = "secret_hash"
    case signInID = "sign_in_id"
    case createdAt = "created_at"
    case lastUsedAt = "last_used_at"
    case expiresAt = "expires_at"

    static let table = "remembered_devices"
    static let key = [project, tenant, accountID, secretHash]
    static let expiry = SQLExpiry.at(Self.expiresAt)

    static let insertion = insert()
    static let byKey = select()
    static let use = update([device, signInID, lastUsedAt])
    static let ofAccount = select(
        where: [project, tenant, accountID], "ORDER BY last_used_at DESC, secret_hash")
    static let removal = delete()
    static let removalOfAccount = delete(where: [project, tenant, accountID])
    static let removalOfSignIn = delete(where: [project, tenant, accountID, signInID])
    /// Deletes those whose last sign-in was another than the argument.
    static let removalOfOthers = delete(where: [project, tenant, accountID], "AND sign_in_id <> $1")
    /// Deletes the devices of an account but the last used ones, as many as the argument.
    static let trimming = SQLStatement<Self>(
        """
        DELETE FROM remembered_devices
        WHERE project = :project AND tenant = :tenant AND account_id = :account_id AND secret_hash NOT IN (
            SELECT secret_hash FROM remembered_devices
            WHERE project = :project AND tenant = :tenant AND account_id = :account_id
            ORDER BY last_used_at DESC, secret_hash LIMIT $1)
        """)
}

extension RememberedDevice {
    /// The columns besides those of the account.
    var columns: SQLRecord<RememberedDeviceTable> {
        [
            .secretHash: secretHash, .device: device, .signInID: signInID.bytes, .createdAt: createdAt,
            .lastUsedAt: lastUsedAt, .expiresAt: expiresAt,
        ]
    }

    init(_ row: SQLTableRow<RememberedDeviceTable>) throws {
        self.init(
            secretHash: try row.get(.secretHash), device: try row.getIfPresent(.device),
            signInID: SessionID(bytes: try row.get(.signInID)), createdAt: try row.get(.createdAt),
            lastUsedAt: try row.get(.lastUsedAt), expiresAt: try row.get(.expiresAt))
    }
}
