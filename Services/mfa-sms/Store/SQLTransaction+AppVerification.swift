import Contracts
import Crypto
import SQL
import Vocabulary

// Applications belong to a project, not to one of its tenants, so the tenant is empty in each row.

extension SQLTransaction {
    // MARK: Pairs

    /// - Parameter deviceDigest: for operators, to find the pushes to one device; no decision depends on it.
    borrowing func insertPair(
        receipt: String, secret: String, of device: PushDevice, deviceDigest: [UInt8], in project: ProjectID,
        until expiresAt: Moment
    ) throws {
        try execute(
            """
            INSERT INTO app_check_pairs (receipt_hash, project, tenant, bundle_id, device_digest, secret_hash,
                expires_at)
            VALUES ($1, $2, '', $3, $4, $5, $6)
            """, .blob(SHA2.sha256(Array(receipt.utf8))), .text(project.rawValue), .text(device.bundleID),
            .blob(deviceDigest), .blob(SHA2.sha256(Array(secret.utf8))), .integer(expiresAt.milliseconds))
    }

    /// Redeems a pair, whether the secret is right or not: only one attempt is allowed.
    borrowing func redeemPair(
        receipt: String, secret: String, bundleID: String?, in project: ProjectID, at now: Moment
    ) throws -> Bool {
        let row = try firstRow(
            """
            DELETE FROM app_check_pairs WHERE receipt_hash = $1 AND project = $2
            RETURNING bundle_id, secret_hash, expires_at
            """, .blob(SHA2.sha256(Array(receipt.utf8))), .text(project.rawValue))
        guard let row else { return false }
        let registered: String = try row.get("bundle_id")
        let isRight = constantTimeEquals(try row.get("secret_hash"), SHA2.sha256(Array(secret.utf8)))
        return try isRight && registered == bundleID && now.milliseconds <= row.get("expires_at")
    }

    // MARK: Tokens

    borrowing func insertToken(
        _ token: String, bundleID: String?, in project: ProjectID, until expiresAt: Moment
    ) throws {
        try execute(
            """
            INSERT INTO app_check_tokens (token_hash, project, tenant, bundle_id, expires_at)
            VALUES ($1, $2, '', $3, $4)
            """, .blob(SHA2.sha256(Array(token.utf8))), .text(project.rawValue), SQLValue(bundleID),
            .integer(expiresAt.milliseconds))
    }

    /// Redeems a token.
    borrowing func redeemToken(
        _ token: String, bundleID: String?, in project: ProjectID, at now: Moment
    ) throws -> Bool {
        let row = try firstRow(
            """
            DELETE FROM app_check_tokens WHERE token_hash = $1 AND project = $2 RETURNING bundle_id, expires_at
            """, .blob(SHA2.sha256(Array(token.utf8))), .text(project.rawValue))
        guard let row else { return false }
        let bound: String? = try row.getIfPresent("bundle_id")
        return try (bound == nil || bound == bundleID) && now.milliseconds <= row.get("expires_at")
    }

    // MARK: Challenges

    /// - Returns: false for a challenge that was already redeemed.
    borrowing func insertSolvedChallenge(_ challenge: ProofOfWorkChallenge, in project: ProjectID) throws -> Bool {
        try execute(
            """
            INSERT INTO app_check_answers (challenge_hash, project, tenant, expires_at) VALUES ($1, $2, '', $3)
            ON CONFLICT (challenge_hash) DO NOTHING
            """, .blob(SHA2.sha256(Array(challenge.text.utf8))), .text(project.rawValue),
            .integer((Moment(challenge.expiresAt) + .milliseconds(999)).milliseconds))
        return changes == 1
    }

    // MARK: Counts

    /// Increments the count of this hour.
    /// - Returns: the new count.
    borrowing func countAppVerification(_ scope: [UInt8], in project: ProjectID, at now: Moment) throws -> Int {
        let row = try firstRow(
            """
            INSERT INTO app_check_counts (project, tenant, scope_digest, window_start, count)
            VALUES ($1, '', $2, $3, 1)
            ON CONFLICT (project, tenant, scope_digest, window_start) DO UPDATE
                SET count = app_check_counts.count + 1
            RETURNING count
            """, .text(project.rawValue), .blob(scope), .integer(AppVerifier.windowStart(at: now).milliseconds))
        return try row?.get("count") ?? 0
    }

    borrowing func appVerificationCount(_ scope: [UInt8], in project: ProjectID, at now: Moment) throws -> Int {
        try firstRow(
            """
            SELECT count FROM app_check_counts
            WHERE project = $1 AND tenant = '' AND scope_digest = $2 AND window_start = $3
            """, .text(project.rawValue), .blob(scope), .integer(AppVerifier.windowStart(at: now).milliseconds))?
            .get("count") ?? 0
    }

    /// Deletes a batch of expired rows.
    /// - Returns: whether more expired rows remain.
    borrowing func sweepAppVerification(at now: Moment, batch: Int) throws -> Bool {
        var removed = 0
        for (table, key, column, before) in [
            ("app_check_pairs", "receipt_hash", "expires_at", now),
            ("app_check_tokens", "token_hash", "expires_at", now),
            ("app_check_answers", "challenge_hash", "expires_at", now),
            ("app_check_counts", "scope_digest", "window_start", AppVerifier.windowStart(at: now)),
        ] {
            try execute(
                """
                DELETE FROM \(table) WHERE \(key) IN (SELECT \(key) FROM \(table) WHERE \(column) < $1 LIMIT $2)
                    AND \(column) < $1
                """, .integer(before.milliseconds), .integer(Int64(batch)))
            removed = max(removed, changes)
        }
        return removed >= batch
    }
}
