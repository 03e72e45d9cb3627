import Contracts
import SQL
import Vocabulary

/// A sign-in of the reader of an address with all possible inputs, prepared before the transaction that decides.
struct PreparedEmailSignIn: Sendable {
    /// The address is added to this account; nil: the account that has the address signs in.
    var linkingPrincipal: Principal?
    /// The authentication context of the session of `linkingPrincipal`.
    var presented: AuthenticationContext?
    /// Inserted, with the address, if no account has it.
    var newAccount: StoredAccount
    var allowsSelfSignUp: Bool
    /// The prepared results for the account that signs in.
    var firstFactor: PreparedSignIn
    var policy: SessionPolicy
    /// Stored with the sign-in; not called for a new account.
    var emails: EmailsOfChange
    var audit: AuditEntry

    /// The same with the responses of blocking functions.
    func with(_ responses: BlockingFunctionResponses) -> PreparedEmailSignIn {
        var copy = self
        copy.firstFactor = firstFactor.with(responses)
        return copy
    }
}

struct EmailSignInResult: Codable, Sendable {
    var result: SignInResult
    /// nil for a new account.
    var before: Account?
}

extension IdentityStore {
    /// Redeems the code of a link: finds or creates the account of its address, and opens a session or stores a pending
    /// sign-in, in one transaction.
    /// - Throws: `invalidActionCode`, `expiredActionCode`, `emailMismatch`, and errors of `complete`.
    func signIn(
        byLink text: ActionCode.Text, to email: EmailAddress, _ signIn: PreparedEmailSignIn, at now: Moment,
        idempotency: IdempotentCall?
    ) async throws -> ChangeResult<EmailSignInResult> {
        try await write(idempotency: idempotency) { [self] transaction in
            let code = try transaction.actionCode(text, in: signIn.firstFactor.session.realm)
            guard code.purpose == .emailSignIn else { throw ServiceError(.invalidActionCode) }
            try code.validate(at: now)
            guard code.email.folded == email.folded else { throw ServiceError(.emailMismatch) }
            return try complete(signIn, with: code, text.hash, at: now, transaction)
        }
    }

    /// The same with a typed code, which is counted when it is wrong.
    /// - Throws: errors of `complete`.
    func signIn(
        byCode typed: TypedEmailCode, _ signIn: PreparedEmailSignIn, at now: Moment, idempotency: IdempotentCall?
    ) async throws -> CountedResult<EmailSignInResult> {
        try await write(idempotency: idempotency) { [self] transaction in
            switch try evaluate(
                typed, for: .signIn, in: signIn.firstFactor.session.realm, at: now, audit: signIn.audit, transaction)
            {
            case .failure(let error): .refused(RecordedRefusal(error))
            case .success(let code): .accepted(try complete(signIn, with: code, typed.session, at: now, transaction))
            }
        }
    }

    /// Completes a sign-in, and deletes its code.
    /// - Throws: `emailExists`, `accountNotFound`, `accountDisabled`, `sessionExpired`, `adminOnlyOperation`.
    private func complete(
        _ signIn: PreparedEmailSignIn, with code: ActionCode, _ codeHash: [UInt8], at now: Moment,
        _ transaction: borrowing SQLTransaction
    ) throws -> ChangeResult<EmailSignInResult> {
        let realm = signIn.firstFactor.session.realm
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
            if before == nil { stored.account.email = code.email }
            guard !stored.account.disabled else { throw ServiceError(.accountDisabled) }
            stored.signInByLink(at: now)
        }
        guard before != nil || signIn.allowsSelfSignUp else { throw ServiceError(.adminOnlyOperation) }
        var revokesSessions = false
        if let before {
            revokesSessions = try transaction.update(stored, insteadOf: before, at: now).requiresEvent
            try enqueue(try signIn.emails(before, stored), transaction)
        } else {
            try transaction.create(
                &stored, signIn.firstFactor.responses, signIn.firstFactor.session.authentication, at: now)
        }
        try transaction.deleteActionCode(codeHash)
        let decision = signIn.policy.decide(
            .init(
                operation: operation, stored: stored, authentication: signIn.firstFactor.session.authentication,
                presented: signIn.presented,
                upgradesAnonymous: before?.isAnonymousUser(of: signIn.presented?.signInProvider) ?? false))
        var audit = signIn.audit
        audit.actor = .account(stored.account.id)
        audit.accountID = stored.account.id
        let result = try transaction.completeFirstFactor(
            signIn.firstFactor, of: stored, decision, signIn.policy, audit)
        return ChangeResult(
            reply: EmailSignInResult(result: result, before: before?.account), revokesSessions: revokesSessions)
    }
}
