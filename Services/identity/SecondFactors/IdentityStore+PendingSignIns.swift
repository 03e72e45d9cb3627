import Contracts
import SQL
import Vocabulary

/// The result of a verified first factor.
enum SignInResult: Codable, Sendable {
    case opened(OpenedSession)
    case pending(account: Account, PendingSecondFactor)

    var account: Account {
        switch self {
        case .opened(let opened): opened.account
        case .pending(let account, _): account
        }
    }
}

extension SQLTransaction {
    /// Completes a first factor: opens the session, or stores a pending sign-in (REST 2, MP6). The account is the one
    /// that this transaction has read or inserted.
    /// - Parameters:
    ///   - decision: of `policy`.
    ///   - audit: of the sign-in; without its second factor it is recorded as `firstFactor`.
    /// - Throws: the refusal of the policy, `accountDisabled`, and errors of `BlockingFunctionResponses.apply`.
    borrowing func completeFirstFactor(
        _ firstFactor: PreparedSignIn, of stored: StoredAccount, _ decision: SessionPolicy.Decision,
        _ policy: SessionPolicy, _ audit: AuditEntry
    ) throws -> SignInResult {
        var (stored, audit) = (stored, audit)
        let account = stored.account
        switch decision {
        case .refuse(let error): throw error
        case .awaitSecondFactor:
            _ = try SessionPolicy.signedIn(firstFactor.session.authentication, to: account, firstFactor.notice?.client)
            var pending = firstFactor.pending
            pending.accountID = account.id
            try executeLater(PendingSignInTable.insertion, try pending.columns)
            audit.action = .firstFactor
            try append(audit)
            return .pending(
                account: account,
                PendingSecondFactor(
                    pendingCredential: Secret(firstFactor.credential.text),
                    factors: policy.requestedFactors(of: account),
                    remainingRecoveryCodes: try remainingRecoveryCodes(of: account.id, in: account.realm)))
        case .open(let authentication):
            var session = firstFactor.session
            session.accountID = account.id
            session.authentication = authentication
            let opened = try open(
                session, firstFactor.refreshToken, of: &stored, firstFactor.responses, firstFactor.notice)
            try append(audit)
            return .opened(opened)
        }
    }

    /// Opens the session of a sign-in, with the changes that its blocking function requests, and stores its notice.
    /// - Parameter notice: nil for a sign-in that has none.
    /// - Throws: `accountDisabled`, and errors of `BlockingFunctionResponses.apply`.
    borrowing func open(
        _ session: Session, _ refreshToken: RefreshToken, of stored: inout StoredAccount,
        _ responses: BlockingFunctionResponses, _ notice: SignInNotice?
    ) throws -> OpenedSession {
        var session = session
        let before = stored.account
        session.authentication = try SessionPolicy.signedIn(session.authentication, to: before, notice?.client)
        try boundRevocation(of: &stored, at: session.createdAt)
        try apply(responses, to: .beforeSignIn, &stored, &session.authentication, at: session.createdAt)
        // A first factor that changes the account has stored the times with the change.
        let read = stored.account
        stored.account.recordSignIn(at: session.createdAt)
        if stored.account != read { try recordSignIn(of: stored.account) }
        try open(session)
        try notice?.enqueue(after: session, of: before, self)
        return OpenedSession(
            account: stored.account, authentication: session.authentication, refreshToken: refreshToken.text)
    }
}

extension IdentityStore {
    /// The pending sign-in of a credential, with its account.
    /// - Parameter realm: without a tenant, that of the credential applies.
    /// - Throws: `invalidPendingCredential`, `tenantMismatch`, `pendingCredentialExpired`, `accountDisabled`.
    func pendingSignIn(
        _ credential: PendingCredential, in realm: Realm, at now: Moment
    ) async throws -> (pending: PendingSignIn, stored: StoredAccount) {
        try await read { transaction in try transaction.pendingSignIn(credential, in: realm, at: now) }
    }

    /// Redeems a credential and opens the session of the verified factor, in one transaction.
    /// - Parameters:
    ///   - realm: of the credential, with whose configuration `policy` decides.
    ///   - audit: of the sign-in, without its account.
    ///   - opening: the session of the pending sign-in with its factor.
    ///   - mails: stored with the session.
    /// - Throws: those of `pendingSignIn`, `factorNotFound`.
    func complete(
        _ credential: PendingCredential, of realm: Realm, factorID: FactorID, at now: Moment, _ policy: SessionPolicy,
        _ responses: BlockingFunctionResponses, _ notice: SignInNotice, audit: AuditEntry,
        idempotency: IdempotentCall?,
        opening: @Sendable @escaping (PendingSignIn, SecondFactor) -> (Session, RefreshToken),
        mails: @Sendable @escaping (_ before: Account, _ after: Account) -> [NewEmail]
    ) async throws -> OpenedSession {
        try await write(idempotency: idempotency) { [self] transaction in
            let (pending, stored) = try transaction.pendingSignIn(credential, in: realm, at: now)
            guard pending.realm == realm else { throw ServiceError(.invalidPendingCredential) }
            guard let factor = policy.requestedFactors(of: stored.account).first(where: { $0.id == factorID }) else {
                throw ServiceError(.factorNotFound)
            }
            var audit = audit
            audit.actor = .account(pending.accountID)
            audit.accountID = pending.accountID
            try transaction.append(audit)
            let (session, refreshToken) = opening(pending, factor)
            let opened = try transaction.redeem(
                pending, opening: session, refreshToken, of: stored, responses, notice)
            try enqueue(mails(stored.account, opened.account), transaction)
            return opened
        }
    }
}

// MARK: - Rows

extension SQLTransaction {
    /// Ends a pending sign-in whose second factor was verified: the credential is void, and the session is open.
    borrowing func redeem(
        _ pending: PendingSignIn, opening session: Session, _ refreshToken: RefreshToken, of stored: StoredAccount,
        _ responses: BlockingFunctionResponses, _ notice: SignInNotice
    ) throws -> OpenedSession {
        try executeLater(PendingSignInTable.removal, [.credentialHash: pending.credentialHash])
        var stored = try pending.identity.map { try link($0, to: stored, at: session.createdAt) } ?? stored
        return try open(session, refreshToken, of: &stored, responses, notice)
    }

    borrowing func pendingSignIn(
        _ credential: PendingCredential, in realm: Realm, at now: Moment
    ) throws -> (pending: PendingSignIn, stored: StoredAccount) {
        guard
            let row = try firstRow(
                PendingSignInTable.byCredential, [.credentialHash: credential.hash, .project: realm.project])
        else { throw ServiceError(.invalidPendingCredential) }
        let pending = try PendingSignIn(row)
        try pending.checkTenant(realm.tenant)
        try pending.checkAge(at: now)
        guard let stored = try account(pending.accountID, in: pending.realm) else {
            throw ServiceError(.invalidPendingCredential)
        }
        guard !stored.account.disabled else { throw ServiceError(.accountDisabled) }
        return (pending, stored)
    }
}
