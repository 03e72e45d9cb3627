import Contracts
import SQL
import Vocabulary

/// A sign-in with a provider with all possible inputs, prepared before the transaction that decides.
struct PreparedProviderSignIn: Sendable {
    var realm: Realm
    var rules: ProviderSignIn
    var policy: SessionPolicy
    /// The authentication context of the request's ID token.
    var presented: AuthenticationContext?
    /// Used for an unknown identity.
    var newAccount: StoredAccount
    /// The prepared results for the account that signs in.
    var firstFactor: PreparedSignIn
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
        var collision = ServiceError(.providerAccountExists)
        for _ in 0..<Self.maximumCollisions {
            do {
                return try await decide(
                    prepared, audit: audit, idempotency: idempotency, mails: mails, noticeOfRefusal: noticeOfRefusal)
            } catch let error as IdentityTakenError {
                collision = error.collision
            }
        }
        throw collision
    }

    /// Maximum retries when other transactions store the identity or the address at the same time.
    private static let maximumCollisions = 5

    private func decide(
        _ prepared: PreparedProviderSignIn, audit: AuditEntry, idempotency: IdempotentCall?,
        mails: @escaping EmailsOfChange, noticeOfRefusal: @escaping @Sendable (StoredAccount) -> [NewEmail]
    ) async throws -> ChangeResult<ProviderSignInResult> {
        try await write(idempotency: idempotency) { [self] transaction in
            let (rules, realm) = (prepared.rules, prepared.realm)
            let decision = try rules.decide(
                identityOwner: try transaction.account(of: rules.identity, in: realm),
                emailOwner: try rules.email.flatMap { try transaction.account(email: $0, in: realm) },
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
            case .open(let opening):
                let result = try transaction.open(opening, prepared, audit)
                if case .opened = result.reply, let before = opening.before {
                    try enqueue(try mails(before, opening.account), transaction)
                }
                return result
            }
        }
    }
}

/// Another transaction has stored the identity or the address meanwhile, so the decision must be made again.
private struct IdentityTakenError: Error {
    var collision: ServiceError
}

// MARK: - Rows

extension SQLTransaction {
    /// Opens the session and stores the account, or stores only a pending sign-in.
    fileprivate borrowing func open(
        _ opening: ProviderSignIn.NewSession, _ prepared: PreparedProviderSignIn, _ audit: AuditEntry
    ) throws -> ChangeResult<ProviderSignInResult> {
        let decision = prepared.policy.decide(
            .init(
                operation: opening.operation, stored: opening.decisive,
                authentication: prepared.firstFactor.session.authentication, presented: prepared.presented,
                upgradesAnonymous: opening.before?.isAnonymousUser(of: prepared.presented?.signInProvider) ?? false))
        var opening = opening
        var revokesSessions = false
        switch decision {
        case .open: revokesSessions = try write(&opening, prepared.firstFactor, at: prepared.rules.now)
        // Nothing changes before the second factor is verified: neither links nor credentials.
        case .awaitSecondFactor, .refuse: break
        }
        let current = decision == .awaitSecondFactor ? opening.before ?? opening.account : opening.account
        let result = try completeFirstFactor(prepared.firstFactor, of: current, decision, prepared.policy)
        var audit = audit
        audit.action = opening.action
        audit.actor = .account(current.account.id)
        audit.accountID = current.account.id
        switch result {
        case .opened(let opened):
            try append(audit)
            return ChangeResult(
                reply: .opened(
                    opened, isNewAccount: opening.isNewAccount, isLinked: opening.isLinked,
                    isEmailRecycled: opening.isEmailRecycled),
                revokesSessions: revokesSessions)
        case .pending(let account, let factors):
            audit.action = .firstFactor
            try append(audit)
            return ChangeResult(reply: .pending(account: account, factors), revokesSessions: false)
        }
    }

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

    /// - Returns: whether the other processes must be informed.
    private borrowing func write(
        _ opening: inout ProviderSignIn.NewSession, _ firstFactor: PreparedSignIn, at now: Moment
    ) throws -> Bool {
        do {
            if let before = opening.before {
                return try update(opening.account, insteadOf: before, at: now).requiresEvent
            }
            try create(&opening.account, firstFactor.responses, firstFactor.session.authentication, at: now)
            return false
        } catch let error as ServiceError where Self.collisions.contains(error.code) {
            throw IdentityTakenError(collision: error)
        }
    }

    private static var collisions: Set<WireError.Code> { [.emailExists, .providerAccountExists] }

    fileprivate borrowing func account(of identity: ProviderIdentity, in realm: Realm) throws -> StoredAccount? {
        let criterion = Identity.FindAccounts.Criterion.provider(
            id: identity.providerID, accountID: identity.subject)
        guard let id = try accountIDs(criterion, in: realm).first else { return nil }
        return try account(id, in: realm)
    }
}
