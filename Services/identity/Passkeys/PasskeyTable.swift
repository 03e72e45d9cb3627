import Contracts
import SQL
import Vocabulary

/// The passkeys of accounts, without their public keys. They are deleted with their account.
enum PasskeyTable: String, AccountKeyTable {
    case project, tenant, name, aaguid
    case credentialID = "credential_id"
    case accountID = "account_id"
    case relyingPartyID = "relying_party_id"
    case userHandle = "user_handle"
    /// Null for false.
    case isModelVerified = "model_verified"
    case isBackedUp = "backed_up"
    case createdAt = "created_at"
    /// Null until the first sign-in.
    case lastUsedAt = "last_used_at"

    static let table = "passkeys"
    /// A credential belongs to one account of a project, whatever the tenant (security rule WR22).
    static let key = [project, credentialID]
    static let expiry = SQLExpiry<Self>.never

    static let insertion = insert()
    static let ownerByKey = select([project, tenant, accountID])
    static let ofAccount = select(where: [project, tenant, accountID], "ORDER BY created_at, credential_id")
    static let removalOfAccount = delete(where: [project, tenant, accountID])
    static let use = update([isBackedUp, lastUsedAt])
}

// MARK: - Records and rows

extension AccountPasskey {
    /// The columns besides those of the account.
    var columns: SQLRecord<PasskeyTable> {
        [
            .credentialID: credentialID.bytes, .name: name, .relyingPartyID: relyingPartyID,
            .userHandle: userHandle.bytes, .aaguid: aaguid, .isModelVerified: isModelVerified,
            .isBackedUp: isBackedUp, .createdAt: createdAt, .lastUsedAt: lastUsedAt,
        ]
    }

    /// - Throws: `SQLError.columnTypeMismatch`.
    init(_ row: SQLTableRow<PasskeyTable>) throws {
        guard let credentialID = CredentialID(try row.get(.credentialID)) else {
            throw SQLError.columnTypeMismatch(
                name: PasskeyTable.credentialID.rawValue, expected: "1 to 1023 bytes", found: "another length")
        }
        self.init(
            credentialID: credentialID, name: try row.get(.name), relyingPartyID: try row.get(.relyingPartyID),
            userHandle: OctetString(try row.get(.userHandle)), aaguid: try row.get(.aaguid),
            isModelVerified: try row.getIfPresent(.isModelVerified), isBackedUp: try row.get(.isBackedUp),
            createdAt: try row.get(.createdAt),
            lastUsedAt: try row.getIfPresent(.lastUsedAt))
    }
}
