import Contracts
import SQL
import Vocabulary

/// A sign-in with a provider with all possible inputs, prepared before the transaction that decides.
struct PreparedProviderSignIn: Sendable {
    var realm: Realm
    var rules: ProviderSignIn
    /// Used for an unknown identity.
    var newAccount: StoredAccount
    var firstFactor: PreparedFirstFactor
}

/// The result of a verified identity.
enum ProviderSignInResult: Codable, Sendable {
    /// `isLinked`: an account that existed before got the identity.
    case opened(OpenedSession, isNewAccount: Bool, isLinked: Bool, isEmailRecycled: Bool)
    case pending(account: Account, PendingSecondFactor)
    case confirmation(Identity.ProviderSignInReply.Confirmation)
    case conflict(Identity.ProviderSignInReply.Conflict)
}

extension IdentityStore {
    /// Finds or creates the account of a verified identity, or links the identity to an account, and opens a session,
    /// in one transaction: of several concurrent sign-ins with a new identity, one creates the account and the others
    /// sign in to it.
    /// - Parameters:
    ///   - mails: stored with a change of an existing account.
    ///   - noticeOfRefusal: to the owner of an account that another identity of its provider has not joined.
    /// - Throws: errors of `ProviderSignIn.decide`, and what the policy refuses with.
    func signIn(
        byProvider prepared: PreparedProviderSignIn, audit: AuditEntry, idempotency: IdempotentCall?,
        mails: @escaping EmailsOfChange, noticeOfRefusal: @escaping @Sendable (StoredAccount) -> [NewEmail]
    ) async throws -> ChangeResult<ProviderSignInResult> {
        try await retryingCollisions {
            try await decide(
                prepared, audit: audit, idempotency: idempotency, mails: mails, noticeOfRefusal: noticeOfRefusal)
        }
    }

    private func decide(
        _ prepared: PreparedProviderSignIn, audit: AuditEntry, idempotency: IdempotentCall?,
        mails: @escaping EmailsOfChange, noticeOfRefusal: @escaping @Sendable (StoredAccount) -> [NewEmail]
    ) async throws -> ChangeResult<ProviderSignInResult> {
        try await write(idempotency: idempotency) { [self] transaction in
            let (rules, realm) = (prepared.rules, prepared.realm)
            let identityOwner = try transaction.account(of: rules.identity, in: realm)
            let email = rules.needsEmailOwner(besides: identityOwner) ? rules.email : nil
            let decision = try rules.decide(
                identityOwner: identityOwner,
                emailOwner: try email.flatMap { try transaction.account(email: $0, in: realm) },
                requestingAccount: try rules.principal.flatMap { try transaction.account($0.accountID, in: realm) },
                newAccount: prepared.newAccount)
            var audit = audit
            switch decision {
            case .confirm(let confirmation, let notified):
                audit.outcome = .refused
                audit.accountID = confirmation.accountID
                try transaction.append(audit)
                if let notified,
                    try reserveRefusalNotice(
                        of: confirmation.accountID, rules.identity.providerID, in: realm, at: audit.at, transaction)
                {
                    try enqueue(noticeOfRefusal(notified), transaction)
                }
                return ChangeResult(reply: .confirmation(confirmation), revokesSessions: false)
            case .conflict(let conflict):
                audit.action = .providerLinked
                audit.outcome = .refused
                audit.actor = rules.principal.map { .account($0.accountID) } ?? .anonymous
                audit.accountID = rules.principal?.accountID
                try transaction.append(audit)
                return ChangeResult(reply: .conflict(conflict), revokesSessions: false)
            case .open(let new):
                let result = try transaction.open(new, prepared.firstFactor, audit)
                let reply: ProviderSignInResult
                switch result.reply {
                case .pending(let account, let factors): reply = .pending(account: account, factors)
                case .opened(let opened):
                    if let before = new.before { try enqueue(try mails(before, new.account), transaction) }
                    reply = .opened(
                        opened, isNewAccount: new.isNewAccount, isLinked: new.isLinked,
                        isEmailRecycled: new.isEmailRecycled)
                }
                return ChangeResult(reply: reply, revokesSessions: result.revokesSessions)
            }
        }
    }
}

// MARK: - Rows

extension SQLTransaction {
    /// Stores the identity whose second factor was just verified.
    /// - Returns: the account afterwards.
    /// - Throws: `providerAccountExists` if another transaction has stored the identity meanwhile.
    borrowing func link(
        _ identity: ProviderIdentity, to stored: StoredAccount, at now: Moment
    ) throws -> StoredAccount {
        let identityOwner = try account(of: identity, in: stored.account.realm)
        guard let linked = ProviderSignIn.complete(identity, of: stored, identityOwner: identityOwner, at: now) else {
            return stored
        }
        _ = try update(linked, insteadOf: stored, at: now)
        return linked
    }

    fileprivate borrowing func account(of identity: ProviderIdentity, in realm: Realm) throws -> StoredAccount? {
        guard try realmExists(realm),
            let row = try firstRow(
                AccountTable.byIdentity, SQLRecord(realm), identity.providerID, identity.subject)
        else { return nil }
        return try storedAccount(row, in: realm)
    }
}
