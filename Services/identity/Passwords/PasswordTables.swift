import SQL
import Vocabulary

/// Attempts at the passwords of addresses, by budget.
enum SignInAttemptTable: String, TenantDataTable {
    case project, tenant, count
    /// The digest of the address, or of the client and the address.
    case addressDigest = "address_digest"
    case blockedUntil = "blocked_until"
    case lastAttemptAt = "last_attempt_at"

    static let table = "sign_in_attempts"
    static let key = [project, tenant, addressDigest]
    static let expiry = SQLExpiry.after(Self.lastAttemptAt, lifetime: SignInAttempts.memory)

    static let replacement = upsert()
    static let byKey = select([count, blockedUntil])
    static let removal = delete()
    static let deletionOfRealm = deleteInRealm()
}

/// The networks from which accounts have signed in, and the devices with which.
enum KnownClientTable: String, AccountKeyTable {
    case project, tenant
    case accountID = "account_id"
    case clientDigest = "client_digest"
    case lastSeenAt = "last_seen_at"

    static let table = "known_clients"
    static let key = [project, tenant, accountID, clientDigest]
    static let expiry = SQLExpiry.after(Self.lastSeenAt, lifetime: KnownClient.lifetime)

    /// The argument is the time before which a client is unknown again.
    static let ofAnyAccount = select(
        [accountID], where: [project, tenant, clientDigest], "AND last_seen_at > $1 LIMIT 1")
    /// As `ofAnyAccount`.
    static let ofAccount = select([accountID], "AND last_seen_at > $1")
    static let lastSeen = select([lastSeenAt])
    /// No row without the account, which a concurrent request may have deleted.
    static let replacement = SQLStatement<Self>(
        """
        INSERT INTO known_clients (project, tenant, account_id, client_digest, last_seen_at)
        SELECT project, tenant, account_id, :client_digest, :last_seen_at FROM accounts
        WHERE project = :project AND tenant = :tenant AND account_id = :account_id
        ON CONFLICT (project, tenant, account_id, client_digest) DO UPDATE SET last_seen_at = excluded.last_seen_at
        """)
    /// Deletes the clients of an account but the last ones, as many as the argument.
    static let trimming = SQLStatement<Self>(
        """
        DELETE FROM known_clients
        WHERE project = :project AND tenant = :tenant AND account_id = :account_id AND client_digest NOT IN (
            SELECT client_digest FROM known_clients
            WHERE project = :project AND tenant = :tenant AND account_id = :account_id
            ORDER BY last_seen_at DESC, client_digest LIMIT $1)
        """)
}

// MARK: - Records and rows

extension SignInAttempts {
    init(_ row: SQLTableRow<SignInAttemptTable>) throws {
        self.init(count: try row.get(.count), blockedUntil: try row.getIfPresent(.blockedUntil))
    }
}
