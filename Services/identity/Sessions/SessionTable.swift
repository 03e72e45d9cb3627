import SQL
import Vocabulary

/// The sessions, each with the state of its refresh-token family. An ended session keeps its row, so that its tokens
/// are recognized.
///
/// Times are Unix milliseconds; `authenticated_at` has seconds, as in tokens.
enum SessionTable: String, AccountKeyTable, TenantDataTable {
    case project, tenant, generation, claims
    case sessionID = "session_id"
    case accountID = "account_id"
    case authenticatedAt = "authenticated_at"
    case signInProvider = "sign_in_provider"
    case secondFactorKind = "second_factor_kind"
    case secondFactorID = "second_factor_id"
    case createdAt = "created_at"
    case lastUsedAt = "last_used_at"
    /// When the sweeper looks whether the session has expired; 0 in rows of former versions.
    case expiryCheckAt = "expiry_check_at"
    case endedAt = "ended_at"
    case currentHash = "current_hash"
    case previousHash = "previous_hash"
    case successorSalt = "successor_salt"
    /// Null for `full`, in rows of former versions.
    case scope
    /// Null unless a passkey signed in.
    case isUserVerified = "user_verified"
    /// JSON text; null unless a provider with attributes signed in.
    case attributes = "sign_in_attributes"
    /// Null in rows of former versions and of ended sessions.
    case clientAddress = "client_address"
    /// As `clientAddress`; null for an unknown client, too.
    case device
    /// Null unless the first factor was an e-mail.
    case isByEmail = "by_email"
    /// Null unless a remembered device stood in for the second factor.
    case isDeviceRemembered = "device_remembered"
    /// Null for a session that continues no other.
    case signInID = "sign_in_id"

    static let table = "sessions"
    static let key = [sessionID]
    static let expiry = SQLExpiry.afterLastUse(
        Self.lastUsedAt, checkedAt: Self.expiryCheckAt, lifetime: Session.idleLifetime)

    static let insertion = insert()
    static let byKey = select()
    /// What a redemption changes; the rest of a session never changes.
    static let redemption = update(
        [lastUsedAt, endedAt, generation, currentHash, previousHash, successorSalt, clientAddress, device])
    static let endOfAccount = ending("")
    /// Ends the sessions whose sign-in was later than the argument.
    static let endAfter = ending("AND authenticated_at > $1")
    /// Ends the sessions of a sign-in.
    static let endOfSignIn = ending("AND COALESCE(sign_in_id, session_id) = $1")
    /// Ends the sessions of every other sign-in.
    static let endOfOthers = ending("AND COALESCE(sign_in_id, session_id) <> $1")
    static let end = ending("AND session_id = :session_id")
    /// A session of a sign-in that has not ended.
    static let ofSignIn = select(
        [sessionID], where: [project, tenant, accountID],
        "AND ended_at IS NULL AND COALESCE(sign_in_id, session_id) = $1 LIMIT 1")
    static let newestOfSignIn = select(
        where: [project, tenant, accountID],
        """
        AND ended_at IS NULL AND COALESCE(sign_in_id, session_id) = $1
        ORDER BY created_at DESC, session_id LIMIT 1
        """)
    /// Ends the sessions of a deleted account, and empties what they say about its owner. The rows stay, so that their
    /// tokens are recognized.
    static let erasureOfAccount = SQLStatement<Self>(
        """
        UPDATE sessions SET ended_at = COALESCE(ended_at, :ended_at), claims = NULL, sign_in_attributes = NULL,
            client_address = NULL, device = NULL
        WHERE project = :project AND tenant = :tenant AND account_id = :account_id
        """)
    static let runningClaims = SQLStatement<Self>(
        """
        SELECT DISTINCT claims FROM sessions
        WHERE project = :project AND tenant = :tenant AND account_id = :account_id
            AND authenticated_at = :authenticated_at AND sign_in_provider = :sign_in_provider
            AND claims IS NOT NULL AND ended_at IS NULL
        """)
    /// The sessions of an account that were used after the moment in the record and have not ended.
    static let ofAccount = select(
        where: [project, tenant, accountID],
        "AND ended_at IS NULL AND last_used_at > :last_used_at ORDER BY last_used_at DESC, session_id LIMIT $1")
    static let everyOfAccount = select(
        where: [project, tenant, accountID], "ORDER BY last_used_at DESC, session_id LIMIT $1")
    static let deletionOfRealm = deleteInRealm()

    /// Ends sessions of an account that have not ended, and empties what they say about their client.
    private static func ending(_ condition: String) -> SQLStatement<Self> {
        SQLStatement(
            """
            UPDATE sessions SET ended_at = :ended_at, client_address = NULL, device = NULL
            WHERE project = :project AND tenant = :tenant AND account_id = :account_id AND ended_at IS NULL \(condition)
            """)
    }
}

// MARK: - Records and rows

extension Session {
    var key: SQLRecord<SessionTable> { [.sessionID: id.bytes] }

    /// The columns that a redemption changes.
    var redemption: SQLRecord<SessionTable> {
        [
            .lastUsedAt: lastUsedAt, .endedAt: endedAt, .generation: Int64(generation), .currentHash: currentHash,
            .previousHash: previousHash, .successorSalt: successorSalt, .clientAddress: clientAddress,
            .device: device,
        ]
    }

    var columns: SQLRecord<SessionTable> {
        SQLRecord(accountID, in: realm) + key + redemption + [
            .authenticatedAt: authentication.authenticatedAt, .signInProvider: authentication.signInProvider,
            .secondFactorKind: authentication.secondFactor?.kind, .secondFactorID: authentication.secondFactor?.id,
            .createdAt: createdAt, .expiryCheckAt: lastUsedAt + Session.idleLifetime,
            .claims: authentication.claims, .scope: authentication.scope.rawValue,
            .isUserVerified: authentication.isUserVerified, .attributes: authentication.attributes,
            .isByEmail: authentication.isByEmail, .isDeviceRemembered: authentication.isDeviceRemembered,
            .signInID: authentication.signInID?.bytes,
        ]
    }

    init(_ row: SQLTableRow<SessionTable>, id: SessionID) throws {
        let factorKind: String? = try row.getIfPresent(.secondFactorKind)
        let factorID: FactorID? = try row.getIfPresent(.secondFactorID)
        let generation: Int64 = try row.get(.generation)
        // A scope of a later version is unknown here; the narrowest is safe.
        let scope = try row.getIfPresent(.scope).map { SessionScope(rawValue: $0) ?? .enrollment }
        self.init(
            id: id, realm: try row.realm(), accountID: try row.get(.accountID),
            authentication: AuthenticationContext(
                authenticatedAt: try row.get(.authenticatedAt), signInProvider: try row.get(.signInProvider),
                secondFactor: factorKind.map { .init(kind: $0, id: factorID) },
                claims: try row.getIfPresent(.claims), scope: scope ?? .full,
                isUserVerified: try row.getIfPresent(.isUserVerified),
                attributes: try row.getIfPresent(.attributes), isByEmail: try row.getIfPresent(.isByEmail),
                isDeviceRemembered: try row.getIfPresent(.isDeviceRemembered),
                signInID: try row.getIfPresent(.signInID).map { SessionID(bytes: $0) }),
            clientAddress: try row.getIfPresent(.clientAddress), device: try row.getIfPresent(.device),
            createdAt: try row.get(.createdAt),
            lastUsedAt: try row.get(.lastUsedAt),
            endedAt: try row.getIfPresent(.endedAt), generation: UInt32(truncatingIfNeeded: generation),
            currentHash: try row.get(.currentHash), previousHash: try row.getIfPresent(.previousHash),
            successorSalt: try row.getIfPresent(.successorSalt))
    }
}
