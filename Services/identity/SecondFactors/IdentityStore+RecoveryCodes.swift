import Contracts
import SQL
import Vocabulary

/// A sign-in with a recovery code.
struct PreparedRecoveryCodeSignIn: Sendable {
    var credential: PendingCredential
    /// nil for a malformed code.
    var codeDigest: [UInt8]?
    /// The session to open, for the account of the credential.
    var session: Session
    var refreshToken: RefreshToken
    /// The responses of the blocking functions that this sign-in has called.
    var responses: BlockingFunctionResponses
    var notice: SignInNotice
    /// Stored with the session.
    var mails: @Sendable (_ before: Account, _ after: Account) -> [NewEmail]
    /// The entry of the audit log, for any outcome.
    var audit: AuditEntry
}

extension IdentityStore {
    /// Replaces the codes of an account. Failed attempts stay counted.
    /// - Throws: `accountNotFound`, and errors of `authorize`.
    func replaceRecoveryCodes(
        _ digests: [[UInt8]], of id: AccountID, in realm: Realm, audit: AuditEntry,
        authorize: @Sendable @escaping (StoredAccount) throws -> Void
    ) async throws {
        try await write { transaction in
            guard let stored = try transaction.account(id, in: realm) else { throw ServiceError(.accountNotFound) }
            try authorize(stored)
            try transaction.removeRecoveryCodes(of: id, in: realm)
            for digest in digests {
                try transaction.execute(
                    RecoveryCodeTable.insertion,
                    SQLRecord(id, in: realm) + [.codeDigest: digest, .createdAt: audit.at, .usedAt: nil])
            }
            try transaction.append(audit)
        }
    }

    /// - Returns: nil if none were ever generated.
    func remainingRecoveryCodes(of id: AccountID, in realm: Realm) async throws -> Int? {
        try await read { transaction in try transaction.remainingRecoveryCodes(of: id, in: realm) }
    }

    /// Counts an attempt, verifies the code, redeems it with the credential and opens the session, in one transaction:
    /// only one of several concurrent uses of a code, or of a credential, succeeds.
    /// - Returns: the session, and the number of unused codes.
    /// - Throws: those of `pendingSignIn`; `quotaExceeded`, uncounted; `invalidCode`.
    func signIn(_ signIn: PreparedRecoveryCodeSignIn) async throws -> (OpenedSession, remaining: Int) {
        let result: Result<(OpenedSession, remaining: Int), ServiceError> = try await write { [self] transaction in
            let (id, realm, now) = (signIn.session.accountID, signIn.session.realm, signIn.session.createdAt)
            let (pending, stored) = try transaction.pendingSignIn(signIn.credential, in: realm, at: now)
            var audit = signIn.audit
            var attempts = try transaction.recoveryAttempts(of: id, in: realm) ?? .none(at: now)
            do throws(ServiceError) {
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
                return .failure(ServiceError(.invalidCode))
            }
            try transaction.deleteRecoveryAttempts(of: id, in: realm)
            audit.actor = .account(id)
            try transaction.append(audit)
            let opened = try transaction.redeem(
                pending, opening: signIn.session, signIn.refreshToken, of: stored, signIn.responses, signIn.notice)
            try enqueue(signIn.mails(stored.account, opened.account), transaction)
            return .success((opened, try transaction.remainingRecoveryCodes(of: id, in: realm) ?? 0))
        }
        return try result.get()
    }
}

// MARK: - Rows

extension SQLTransaction {
    /// - Returns: nil if none were ever generated.
    borrowing func remainingRecoveryCodes(of id: AccountID, in realm: Realm) throws -> Int? {
        let row = try firstRow(RecoveryCodeTable.count, SQLRecord(id, in: realm))
        guard let made: Int = try row?.get(computed: "made"), let used: Int = try row?.get(computed: "used"), made > 0
        else { return nil }
        return made - used
    }

    borrowing func removeRecoveryCodes(of id: AccountID, in realm: Realm) throws {
        try execute(RecoveryCodeTable.removalOfAccount, SQLRecord(id, in: realm))
    }

    /// - Returns: whether it was an unused code of the account.
    fileprivate borrowing func redeem(
        _ digest: [UInt8], of id: AccountID, in realm: Realm, at now: Moment
    ) throws -> Bool {
        try execute(RecoveryCodeTable.redemption, SQLRecord(id, in: realm) + [.codeDigest: digest, .usedAt: now])
        return changes == 1
    }

    fileprivate borrowing func recoveryAttempts(of id: AccountID, in realm: Realm) throws -> RecoveryAttempts? {
        try firstRow(RecoveryAttemptTable.byKey, SQLRecord(id, in: realm)).map { try RecoveryAttempts($0) }
    }

    fileprivate borrowing func upsert(_ attempts: RecoveryAttempts, of id: AccountID, in realm: Realm) throws {
        try execute(RecoveryAttemptTable.replacement, SQLRecord(id, in: realm) + attempts.columns)
    }

    fileprivate borrowing func deleteRecoveryAttempts(of id: AccountID, in realm: Realm) throws {
        try execute(RecoveryAttemptTable.removal, SQLRecord(id, in: realm))
    }
}
