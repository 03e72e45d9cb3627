import SQL
import Vocabulary

// Credentials belong to apps, which belong to a project and not to one of its tenants: the tenant is empty in each row.

/// The pairs of receipt and secret that were sent to devices.
enum DevicePairTable: String, SQLTableDescription {
    case project, tenant
    case receiptHash = "receipt_hash"
    case bundleID = "bundle_id"
    /// For operators: which pushes went to one device. No decision depends on it.
    case deviceDigest = "device_digest"
    case secretHash = "secret_hash"
    case expiresAt = "expires_at"

    static let table = "app_check_pairs"
    static let key = [receiptHash]
    static let expiry = SQLExpiry.at(Self.expiresAt)

    static let insertion = insert()
    static let redemption = delete(where: [receiptHash, project], "RETURNING bundle_id, secret_hash, expires_at")
}

/// The tokens of the challenge page.
enum WebTokenTable: String, SQLTableDescription {
    case project, tenant
    case tokenHash = "token_hash"
    /// Null for a token that every app may present.
    case bundleID = "bundle_id"
    case expiresAt = "expires_at"

    static let table = "app_check_tokens"
    static let key = [tokenHash]
    static let expiry = SQLExpiry.at(Self.expiresAt)

    static let insertion = insert()
    static let redemption = delete(where: [tokenHash, project], "RETURNING bundle_id, expires_at")
}

/// The challenges that were solved.
enum SolvedChallengeTable: String, SQLTableDescription {
    case project, tenant
    case challengeHash = "challenge_hash"
    case expiresAt = "expires_at"

    static let table = "app_check_answers"
    static let key = [challengeHash]
    static let expiry = SQLExpiry.at(Self.expiresAt)

    static let insertion = insert("ON CONFLICT (challenge_hash) DO NOTHING")
}

/// How often devices and networks started app verification in an hour.
enum AppVerificationCountTable: String, SQLTableDescription {
    case project, tenant, count
    case scopeDigest = "scope_digest"
    case windowStart = "window_start"

    static let table = "app_check_counts"
    static let key = [project, tenant, scopeDigest, windowStart]
    static let expiry = SQLExpiry.after(Self.windowStart, lifetime: AppVerifier.window)

    static let byKey = select([count])
    static let increment = insert(
        """
        ON CONFLICT (project, tenant, scope_digest, window_start) DO UPDATE SET count = app_check_counts.count + 1
        RETURNING count
        """)
}
