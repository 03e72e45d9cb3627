import Contracts
import SQL
import Vocabulary

extension IdentityStore {
    /// Stores a code.
    /// - Throws: `sessionExpired` if the sign-in on the page has ended.
    func insert(
        _ code: AuthorizationCode, at now: Moment, idempotency: IdempotentCall?,
        reply: Identity.IssueAuthorizationCode.Reply
    ) async throws -> Identity.IssueAuthorizationCode.Reply {
        try await write(idempotency: idempotency) { transaction in
            guard try transaction.page(of: code, at: now) != nil else { throw ServiceError(.sessionExpired) }
            try transaction.execute(AuthorizationCodeTable.insertion, code.columns)
            return reply
        }
    }

    /// The code of a text, presented or not.
    func authorizationCode(_ text: AuthorizationCodeText) async throws -> AuthorizationCode? {
        try await read { transaction in try transaction.authorizationCode(text.hash) }
    }

    /// The result of a redemption.
    struct CodeRedemption: Codable, Sendable {
        /// Nil: the code was refused.
        var opened: OpenedSession?
        var nonce: String?
    }

    /// Judges a code and opens the session of its application, in one transaction. A refusal is stored, too.
    /// - Parameters:
    ///   - session: prepared for the code's account.
    ///   - audit: of an action of the account.
    func redeem(
        _ text: AuthorizationCodeText, _ presentation: AuthorizationCode.Presentation, _ policy: SessionPolicy,
        opening session: Session, _ refreshToken: RefreshToken, idempotency: IdempotentCall?,
        audit: @Sendable @escaping (AuditEntry.Action) -> AuditEntry
    ) async throws -> CodeRedemption {
        let now = session.createdAt
        return try await write(idempotency: idempotency) { transaction in
            guard let code = try transaction.authorizationCode(text.hash) else { return CodeRedemption() }
            switch code.judge(presentation, at: now) {
            case .ended: break
            case .replayed(let opened):
                try transaction.end(opened, of: code, at: now)
                try transaction.append(audit(.authorizationCodeReplayed).refused)
            case .refused:
                try transaction.end(code, opening: nil, at: now)
                try transaction.append(audit(.authorizationCodeRefused).refused)
            case .accepted:
                guard let opened = try transaction.open(session, refreshToken, for: code, policy) else {
                    try transaction.end(code, opening: nil, at: now)
                    try transaction.append(audit(.authorizationCodeRefused).refused)
                    return CodeRedemption()
                }
                try transaction.end(code, opening: session.id, at: now)
                try transaction.append(audit(.signIn))
                return CodeRedemption(opened: opened, nonce: code.nonce)
            }
            return CodeRedemption()
        }
    }
}

extension AuditEntry {
    fileprivate var refused: Self {
        var entry = self
        entry.outcome = .refused
        return entry
    }
}

// MARK: - Rows

extension SQLTransaction {
    fileprivate borrowing func authorizationCode(_ hash: [UInt8]) throws -> AuthorizationCode? {
        try firstRow(AuthorizationCodeTable.byKey, [.codeHash: hash]).map { try AuthorizationCode($0, hash: hash) }
    }

    fileprivate borrowing func end(_ code: AuthorizationCode, opening session: SessionID?, at now: Moment) throws {
        try execute(
            AuthorizationCodeTable.end,
            [.codeHash: code.hash, .endedAt: now, .openedSessionID: session?.bytes])
    }

    /// Ends the session that a code has opened, with those that have continued it.
    fileprivate borrowing func end(_ session: SessionID, of code: AuthorizationCode, at now: Moment) throws {
        try execute(
            SessionTable.endOfSignIn, SQLRecord(code.accountID, in: code.realm) + [.endedAt: now], session.bytes)
    }

    /// The session of the page, if it can go on.
    fileprivate borrowing func page(of code: AuthorizationCode, at now: Moment) throws -> Session? {
        let row = try firstRow(
            SessionTable.newestOfSignIn, SQLRecord(code.accountID, in: code.realm), code.signInID.bytes)
        let page = try row.map { try Session($0, id: SessionID(bytes: try $0.get(.sessionID))) }
        return page.flatMap { $0.isActive(at: now) ? $0 : nil }
    }

    /// Opens the session of an application beside that of the page. The sign-in has its event from the page.
    /// - Returns: nil if the page's session has ended, or its account or project permits no other.
    fileprivate borrowing func open(
        _ session: Session, _ refreshToken: RefreshToken, for code: AuthorizationCode, _ policy: SessionPolicy
    ) throws -> OpenedSession? {
        let now = session.createdAt
        guard let page = try page(of: code, at: now), var stored = try account(code.accountID, in: code.realm) else {
            return nil
        }
        var session = session
        do throws(ServiceError) {
            try stored.requireActive(tokenIssuedAt: page.authentication.authenticatedAt)
            session.authentication = try policy.authenticationContext(
                for: .init(
                    operation: .authorizationCode, stored: stored, authentication: page.authentication,
                    presented: page.authentication))
        } catch {
            return nil
        }
        // The application is another client than the page.
        session.authentication.signInID = nil
        try insert(session)
        stored.account.lastRefreshAt = now
        try execute(AccountTable.refresh, SQLRecord(code.accountID, in: code.realm) + [.lastRefreshAt: now])
        return OpenedSession(
            account: stored.account, authentication: session.authentication, refreshToken: refreshToken.text)
    }
}
