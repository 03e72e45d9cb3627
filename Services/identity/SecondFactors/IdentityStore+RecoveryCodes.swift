import Contracts
import SQL
import Vocabulary

/// A sign-in with a recovery code.
struct RecoveryCodeSignInAttempt: Sendable {
    var credential: PendingCredential
    /// nil for a malformed code.
    var codeDigest: [UInt8]?
    /// The session to open, for the account of the credential.
    var session: Session
    var refreshToken: RefreshToken
    /// Stored with the session.
    var mails: @Sendable (Account) throws -> [NewMail]
    /// The entry of the audit log, for any outcome.
    var audit: AuditEntry
}

extension IdentityStore {
    /// Replaces the codes of an account. Failed attempts stay counted.
    /// - Throws: `accountNotFound`, and what `permit` throws.
    func replaceRecoveryCodes(
        _ digests: [[UInt8]], of id: AccountID, in realm: Realm, audit: AuditEntry,
        permit: @Sendable @escaping (StoredAccount) throws -> Void
    ) async throws {
        try await write { transaction in
            guard let stored = try transaction.account(id, in: realm) else { throw IdentityError.accountNotFound }
            try permit(stored)
            try transaction.removeRecoveryCodes(of: id, in: realm)
            for digest in digests {
                try transaction.execute(
                    """
                    INSERT INTO recovery_codes (project, tenant, account_id, code_digest, created_at)
                    VALUES ($1, $2, $3, $4, $5)
                    """, .text(realm.project.rawValue), .text(realm.tenantColumn), .text(id.rawValue), .blob(digest),
                    .integer(audit.at.milliseconds))
            }
            try transaction.append(audit)
        }
    }

    /// - Returns: nil if none were ever generated.
    func recoveryCodesLeft(of id: AccountID, in realm: Realm) async throws -> Int? {
        try await read { transaction in try transaction.recoveryCodesLeft(of: id, in: realm) }
    }

    /// Counts an attempt, verifies the code, redeems it with the credential and opens the session, in one transaction:
    /// only one of several concurrent uses of a code, or of a credential, succeeds.
    /// - Returns: the session, and the number of unused codes.
    /// - Throws: those of `pendingSignIn`; `quotaExceeded`, uncounted; `invalidCode`.
    func signIn(_ signIn: RecoveryCodeSignInAttempt) async throws -> (OpenedSession, left: Int) {
        let verdict: Result<(OpenedSession, left: Int), IdentityError> = try await write { [self] transaction in
            let (id, realm, now) = (signIn.session.accountID, signIn.session.realm, signIn.session.createdAt)
            let (_, stored) = try transaction.pendingSignIn(signIn.credential, in: realm, at: now)
            var audit = signIn.audit
            var attempts = try transaction.recoveryAttempts(of: id, in: realm) ?? .none(at: now)
            do throws(IdentityError) {
                try attempts.reserve(at: now)
            } catch {
                audit.outcome = .rateLimited
                try transaction.append(audit)
                return .failure(error)
            }
            guard let digest = signIn.codeDigest, try transaction.redeem(digest, of: id, in: realm, at: now) else {
                // Returned, not thrown, so that the count is stored.
                try transaction.upsert(attempts, of: id, in: realm)
                audit.outcome = .refused
                try transaction.append(audit)
                return .failure(.invalidCode)
            }
            try transaction.deleteRecoveryAttempts(of: id, in: realm)
            audit.actor = .account(id)
            try transaction.append(audit)
            let opened = try transaction.redeem(
                signIn.credential, opening: signIn.session, signIn.refreshToken, of: stored.account)
            try enqueue(try signIn.mails(opened.account), transaction)
            return .success((opened, try transaction.recoveryCodesLeft(of: id, in: realm) ?? 0))
        }
        return try verdict.get()
    }
}

// MARK: - Rows

extension SQLTransaction {
    /// - Returns: nil if none were ever generated.
    borrowing func recoveryCodesLeft(of id: AccountID, in realm: Realm) throws -> Int? {
        let row = try firstRow(
            """
            SELECT COUNT(*) AS made, COUNT(used_at) AS used FROM recovery_codes
            WHERE project = $1 AND tenant = $2 AND account_id = $3
            """, .text(realm.project.rawValue), .text(realm.tenantColumn), .text(id.rawValue))
        guard let made: Int = try row?.get("made"), let used: Int = try row?.get("used"), made > 0 else { return nil }
        return made - used
    }

    borrowing func removeRecoveryCodes(of id: AccountID, in realm: Realm) throws {
        try execute(
            "DELETE FROM recovery_codes WHERE project = $1 AND tenant = $2 AND account_id = $3",
            .text(realm.project.rawValue), .text(realm.tenantColumn), .text(id.rawValue))
    }

    /// - Returns: whether it was an unused code of the account.
    fileprivate borrowing func redeem(
        _ digest: [UInt8], of id: AccountID, in realm: Realm, at now: Moment
    ) throws -> Bool {
        try execute(
            """
            UPDATE recovery_codes SET used_at = $5
            WHERE project = $1 AND tenant = $2 AND account_id = $3 AND code_digest = $4 AND used_at IS NULL
            """, .text(realm.project.rawValue), .text(realm.tenantColumn), .text(id.rawValue), .blob(digest),
            .integer(now.milliseconds))
        return changes == 1
    }

    fileprivate borrowing func recoveryAttempts(of id: AccountID, in realm: Realm) throws -> RecoveryAttempts? {
        try firstRow(
            """
            SELECT failures, failures_in_window, window_began_at FROM recovery_attempts
            WHERE project = $1 AND tenant = $2 AND account_id = $3
            """, .text(realm.project.rawValue), .text(realm.tenantColumn), .text(id.rawValue)
        ).map { row in
            RecoveryAttempts(
                failures: try row.get("failures"), failuresInWindow: try row.get("failures_in_window"),
                windowBeganAt: Moment(milliseconds: try row.get("window_began_at")))
        }
    }

    fileprivate borrowing func upsert(_ attempts: RecoveryAttempts, of id: AccountID, in realm: Realm) throws {
        try execute(
            """
            INSERT INTO recovery_attempts (
                project, tenant, account_id, failures, failures_in_window, window_began_at)
            VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (project, tenant, account_id) DO UPDATE SET
                failures = excluded.failures, failures_in_window = excluded.failures_in_window,
                window_began_at = excluded.window_began_at
            """, .text(realm.project.rawValue), .text(realm.tenantColumn), .text(id.rawValue),
            .integer(Int64(attempts.failures)), .integer(Int64(attempts.failuresInWindow)),
            .integer(attempts.windowBeganAt.milliseconds))
    }

    fileprivate borrowing func deleteRecoveryAttempts(of id: AccountID, in realm: Realm) throws {
        try execute(
            "DELETE FROM recovery_attempts WHERE project = $1 AND tenant = $2 AND account_id = $3",
            .text(realm.project.rawValue), .text(realm.tenantColumn), .text(id.rawValue))
    }
}
