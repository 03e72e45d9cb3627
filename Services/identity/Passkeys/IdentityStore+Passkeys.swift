import Contracts
import SQL
import Vocabulary

/// A sign-in with a verified assertion, prepared before the transaction that decides.
struct PreparedPasskeySignIn: Sendable {
    var credentialID: CredentialID
    var isBackedUp: Bool
    var hasCounterRegression: Bool
    /// For the account that the passkey service has stored with the credential.
    var firstFactor: PreparedSignIn
}

extension IdentityStore {
    /// Opens the session of a passkey that its account lists, or a pending sign-in, and stores the use, in one
    /// transaction.
    /// - Throws: `passkeyNotFound`, also for a deleted account; `accountDisabled`, and what the policy refuses with.
    func signIn(
        byPasskey prepared: PreparedPasskeySignIn, _ policy: SessionPolicy, audit: AuditEntry,
        idempotency: IdempotentCall?
    ) async throws -> SignInResult {
        try await write(idempotency: idempotency) { transaction in
            let session = prepared.firstFactor.session
            guard var stored = try transaction.account(session.accountID, in: session.realm),
                let position = stored.account.passkeys.firstIndex(where: {
                    $0.credentialID == prepared.credentialID
                })
            else { throw ServiceError(.passkeyNotFound) }
            guard !stored.account.disabled else { throw ServiceError(.accountDisabled) }
            stored.account.passkeys[position].isBackedUp = prepared.isBackedUp
            stored.account.passkeys[position].lastUsedAt = session.createdAt
            try transaction.executeLater(
                PasskeyTable.use,
                [
                    .project: session.realm.project, .credentialID: prepared.credentialID.bytes,
                    .isBackedUp: prepared.isBackedUp, .lastUsedAt: session.createdAt,
                ])
            let decision = policy.decide(
                .init(operation: .passkeySignIn, stored: stored, authentication: session.authentication))
            if prepared.hasCounterRegression {
                var regression = audit
                regression.action = .passkeyCounterRegressed
                try transaction.append(regression)
            }
            return try transaction.completeFirstFactor(prepared.firstFactor, of: stored, decision, policy, audit)
        }
    }
}

// MARK: - Rows

extension SQLTransaction {
    borrowing func passkeys(of id: AccountID, in realm: Realm) throws -> [AccountPasskey] {
        try rows(PasskeyTable.ofAccount, SQLRecord(id, in: realm)).map { try AccountPasskey($0) }
    }

    borrowing func insertPasskeys(of account: Account) throws {
        for passkey in account.passkeys {
            try execute(PasskeyTable.insertion, SQLRecord(account.id, in: account.realm) + passkey.columns)
        }
    }

    borrowing func replacePasskeys(of account: Account) throws {
        try execute(PasskeyTable.removalOfAccount, SQLRecord(account.id, in: account.realm))
        try insertPasskeys(of: account)
    }
}
