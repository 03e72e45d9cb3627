import Contracts
import SQL
import Vocabulary

/// A sign-in by link with all possible inputs, prepared before the transaction that decides.
struct PreparedEmailLinkSignIn: Sendable {
    var email: EmailAddress
    /// The address is added to this account; nil: the account that has the address signs in.
    var linkingPrincipal: Principal?
    /// The authentication context of the session of `linkingPrincipal`.
    var presented: AuthenticationContext?
    /// Inserted if no account has the address.
    var newAccount: StoredAccount
    /// The prepared results for the account that signs in.
    var firstFactor: PreparedSignIn
    var policy: SessionPolicy
}

extension IdentityStore {
    /// Redeems a sign-in code: finds or creates the account of its address, and opens a session or stores a pending
    /// sign-in, in one transaction.
    /// - Parameters:
    ///   - authorize: checks the account that would sign in.
    ///   - mails: stored with the sign-in; not called for a new account.
    ///   - reply: gets the result, and the account as it was before; nil for a new account.
    /// - Throws: `invalidActionCode`, `expiredActionCode`, `emailMismatch`, `emailExists`, `accountDisabled`,
    ///   `sessionExpired`, what `authorize` throws.
    func signIn<Reply: Codable & Sendable>(
        byLink text: ActionCode.Text, _ signIn: PreparedEmailLinkSignIn, at now: Moment, audit: AuditEntry,
        idempotency: IdempotentCall?,
        authorize: @Sendable @escaping (_ account: StoredAccount, _ isNew: Bool) throws -> Void,
        mails: @escaping EmailsOfChange,
        reply: @Sendable @escaping (_ result: SignInResult, _ before: Account?) -> Reply
    ) async throws -> ChangeResult<Reply> {
        try await write(idempotency: idempotency) { [self] transaction in
            let realm = signIn.firstFactor.session.realm
            let code = try transaction.actionCode(text, in: realm)
            guard code.purpose == .emailSignIn else { throw ServiceError(.invalidActionCode) }
            try code.validate(at: now)
            guard code.email.folded == signIn.email.folded else { throw ServiceError(.emailMismatch) }
            let currentOwner = try transaction.account(email: code.email, in: realm)
            let before: StoredAccount?
            var stored: StoredAccount
            var operation = SessionOperation.emailLinkSignIn
            if let linkingPrincipal = signIn.linkingPrincipal {
                guard let requestingAccount = try transaction.account(linkingPrincipal.accountID, in: realm) else {
                    throw ServiceError(.accountNotFound)
                }
                try requestingAccount.requireActive(tokenIssuedAt: linkingPrincipal.issuedAt)
                guard currentOwner == nil || currentOwner?.account.id == requestingAccount.account.id else {
                    throw ServiceError(.emailExists)
                }
                before = requestingAccount
                // Another request may have given the account its first method since the handler looked.
                try requestingAccount.requireRecentSignIn(of: linkingPrincipal, at: now)
                stored = requestingAccount
                operation = currentOwner == nil ? .emailLinkAddition : .emailLinkReauthentication
                stored.linkEmail(code.email, at: now)
            } else {
                before = currentOwner
                stored = currentOwner ?? signIn.newAccount
                guard !stored.account.disabled else { throw ServiceError(.accountDisabled) }
                stored.signInByLink(at: now)
            }
            try authorize(stored, before == nil)
            var revokesSessions = false
            if let before {
                revokesSessions = try transaction.update(stored, insteadOf: before, at: now).requiresEvent
                try enqueue(try mails(before, stored), transaction)
            } else {
                try transaction.create(
                    &stored, signIn.firstFactor.responses, signIn.firstFactor.session.authentication, at: now)
            }
            try transaction.delete(text)
            let decision = signIn.policy.decide(
                .init(
                    operation: operation, stored: stored, authentication: signIn.firstFactor.session.authentication,
                    presented: signIn.presented,
                    upgradesAnonymous: before?.isAnonymousUser(of: signIn.presented?.signInProvider) ?? false))
            let result = try transaction.completeFirstFactor(signIn.firstFactor, of: stored, decision, signIn.policy)
            var audit = audit
            if case .pending = result { audit.action = .firstFactor }
            audit.actor = .account(stored.account.id)
            audit.accountID = stored.account.id
            try transaction.append(audit)
            return ChangeResult(reply: reply(result, before?.account), revokesSessions: revokesSessions)
        }
    }
}
