import Contracts
import SQL
import Vocabulary

/// The registered public keys of service accounts.
enum ServiceAccountKeyTable: String, SQLTableDescription {
    case email, project
    case keyID = "key_id"
    /// DER SubjectPublicKeyInfo.
    case publicKey = "public_key"
    case createdAt = "created_at"

    static let table = "service_account_keys"
    static let key = [email, keyID]
    static let expiry = SQLExpiry<Self>.never

    static let insertion = insert()
    static let ofServiceAccount = select([keyID, project, publicKey], where: [email], "ORDER BY key_id")
    static let ofProject = select([email, keyID, publicKey], where: [project], "ORDER BY email, key_id")
    static let removal = delete()
}

/// The access tokens, by hash, with their grants.
enum AccessTokenTable: String, SQLTableDescription {
    case project
    case permissions = "rights"
    case tokenHash = "token_hash"
    case serviceAccount = "service_account"
    case keyID = "key_id"
    case expiresAt = "expires_at"

    static let table = "access_tokens"
    static let key = [tokenHash]
    static let expiry = SQLExpiry.at(Self.expiresAt)

    static let insertion = insert()
    static let byKey = select()
    static let removalOfKey = delete(where: [serviceAccount, keyID])
}

/// The assertions that an access token was issued for.
enum UsedAssertionTable: String, SQLTableDescription {
    case assertionDigest = "assertion_digest"
    case expiresAt = "expires_at"

    static let table = "used_assertions"
    static let key = [assertionDigest]
    static let expiry = SQLExpiry.at(Self.expiresAt)

    static let insertionIfAbsent = insert("ON CONFLICT (assertion_digest) DO NOTHING")
}

// MARK: - Records and rows

extension AccessGrant {
    /// The columns besides the token.
    var columns: SQLRecord<AccessTokenTable> {
        [
            .project: project, .serviceAccount: serviceAccount, .keyID: keyID,
            .permissions: permissions.map(\.rawValue).joined(separator: " "), .expiresAt: expiresAt,
        ]
    }

    init(_ row: SQLTableRow<AccessTokenTable>) throws {
        let permissions: String = try row.get(.permissions)
        self.init(
            project: try row.get(.project), serviceAccount: try row.get(.serviceAccount), keyID: try row.get(.keyID),
            permissions: permissions.pieces(at: " ").compactMap { Identity.AdminPermission(rawValue: String($0)) },
            expiresAt: try row.get(.expiresAt))
    }
}
