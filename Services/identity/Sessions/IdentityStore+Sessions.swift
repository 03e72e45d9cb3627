import Contracts
import Crypto
import SQL
import Vocabulary

extension IdentityStore {
    /// The result of a refresh.
    enum RefreshResult: Sendable {
        case refreshed(StoredAccount, AuthenticationContext, RefreshToken)
        case refused(ServiceError)
    }

    /// Redeems a refresh token: verifies it, advances the session and reads the account, in one transaction. A token
    /// that was redeemed before ends its session, with an entry in the audit log.
    func redeem(
        _ token: RefreshToken, of project: ProjectID, at now: Moment, salt: [UInt8],
        grace: Duration = Session.defaultGrace, traceID: String
    ) async throws -> RefreshResult {
        try await write { transaction in
            guard var session = try transaction.session(token.sessionID), session.realm.project == project else {
                return .refused(ServiceError(.invalidRefreshToken))
            }
            let redemption = session.redeem(token, at: now, salt: salt, grace: grace)
            guard redemption != .unknown else { return .refused(ServiceError(.invalidRefreshToken)) }
            guard var stored = try transaction.account(session.accountID, in: session.realm) else {
                return .refused(ServiceError(.accountNotFound))
            }
            switch redemption {
            case .unknown: return .refused(ServiceError(.invalidRefreshToken))
            case .expired: return .refused(ServiceError(.sessionExpired))
            case .replayed:
                try transaction.update(session)
                try transaction.forgetDevice(
                    signedInAs: session.signInID, of: session.accountID, in: session.realm)
                try transaction.append(
                    AuditEntry(
                        at: now, realm: session.realm, action: .sessionReuse, outcome: .refused, actor: .anonymous,
                        accountID: session.accountID, traceID: traceID))
                return .refused(ServiceError(.sessionExpired))
            case .successor(let successor, let rotated):
                do throws(ServiceError) {
                    try stored.requireActive(
                        tokenIssuedAt: session.authentication.authenticatedAt, in: session.authentication.scope)
                } catch {
                    // The token was not redeemed, so a client can use it when the account is enabled again.
                    return .refused(error)
                }
                if rotated { try transaction.update(session) }
                stored.account.lastRefreshAt = now
                try transaction.executeLater(
                    AccountTable.refresh,
                    SQLRecord(session.accountID, in: session.realm) + [.lastRefreshAt: now])
                return .refreshed(stored, session.authentication, successor)
            }
        }
    }
}

// MARK: - Administration

extension IdentityStore {
    /// The sessions of an account that can be refreshed while the account is enabled, the latest used first: at most
    /// `limit`, and fewer if some of these are void.
    /// - Throws: `accountNotFound`.
    func activeSessions(
        of id: AccountID, in realm: Realm, at now: Moment, limit: Int
    ) async throws -> (sessions: [Session], hasMore: Bool) {
        try await read { transaction in
            guard let stored = try transaction.account(id, in: realm) else { throw ServiceError(.accountNotFound) }
            return try transaction.activeSessions(of: stored.account, at: now, limit: limit)
        }
    }

    /// The active sessions of the account that the ID token of one of them identifies, as the other `activeSessions`.
    /// - Throws: `accountNotFound`, `sessionExpired` where the session of the token has ended.
    func activeSessions(
        ofOwner principal: Principal, signedInAs signIn: SessionID?, at now: Moment, limit: Int
    ) async throws -> (sessions: [Session], hasMore: Bool) {
        try await read { transaction in
            let stored = try transaction.owner(principal, signedInAs: signIn)
            return try transaction.activeSessions(of: stored.account, at: now, limit: limit)
        }
    }

    /// Ends sessions of an account by its owner.
    /// - Throws: `accountNotFound`, `accountDisabled`, `sessionExpired` where the session of the token has ended;
    ///   `sessionNotFound` if none of the listed sessions is one of the account that has not ended.
    func endSessions(
        _ selected: OwnSessions.Selection, ofOwner principal: Principal, signedInAs signIn: SessionID, at now: Moment,
        audit: AuditEntry, idempotency: IdempotentCall?
    ) async throws {
        _ = try await write(idempotency: idempotency) { transaction in
            let stored = try transaction.owner(principal, signedInAs: signIn)
            let key = SQLRecord<SessionTable>(principal.accountID, in: principal.realm) + [.endedAt: now]
            let hasEnded: Bool
            switch selected {
            case .all:
                var after = stored
                after.endEarlierSessions(at: now)
                _ = try transaction.update(after, insteadOf: stored, at: now)
                hasEnded = true
            case .others:
                try transaction.execute(SessionTable.endOfOthers, key, signIn.bytes)
                hasEnded = transaction.changes > 0
                try transaction.forgetDevices(exceptOf: signIn, of: principal.accountID, in: principal.realm)
            case .listed(let ids):
                var count = 0
                for id in ids {
                    try transaction.execute(SessionTable.endOfSignIn, key, id.bytes)
                    count += transaction.changes
                    // Whoever signs out here comes back on the same device.
                    if id == signIn { continue }
                    try transaction.forgetDevice(signedInAs: id, of: principal.accountID, in: principal.realm)
                }
                guard count > 0 else { throw ServiceError(.sessionNotFound) }
                hasEnded = true
            }
            if hasEnded { try transaction.append(audit) }
            return EmptyReply()
        }
    }

    /// Ends one session.
    /// - Throws: `sessionNotFound`.
    func endSession(
        _ session: SessionID, of id: AccountID, in realm: Realm, at now: Moment, audit: AuditEntry,
        idempotency: IdempotentCall?
    ) async throws {
        _ = try await write(idempotency: idempotency) { transaction in
            if let ended = try transaction.session(session) {
                try transaction.forgetDevice(signedInAs: ended.signInID, of: id, in: realm)
            }
            try transaction.execute(
                SessionTable.end, SQLRecord(id, in: realm) + [.sessionID: session.bytes, .endedAt: now])
            guard transaction.changes == 1 else { throw ServiceError(.sessionNotFound) }
            try transaction.append(audit)
            return EmptyReply()
        }
    }
}

// MARK: - Rows

extension IdentityStore {
    /// The session claims of the active sessions of an account that began as `authentication` says, the largest first.
    func claims(ofSessionsLike authentication: AuthenticationContext, of id: AccountID, in realm: Realm) async throws
        -> [String]
    {
        try await read { transaction in
            try transaction.rows(
                SessionTable.runningClaims,
                SQLRecord(id, in: realm) + [
                    .authenticatedAt: authentication.authenticatedAt, .signInProvider: authentication.signInProvider,
                ]
            ).map { try $0.get(.claims) as String }.sorted { $0.utf8.count > $1.utf8.count }
        }
    }
}

extension SQLTransaction {
    /// As `IdentityStore.activeSessions`.
    fileprivate borrowing func activeSessions(
        of account: Account, at now: Moment, limit: Int
    ) throws -> (sessions: [Session], hasMore: Bool) {
        let rows = try rows(
            SessionTable.ofAccount,
            SQLRecord(account.id, in: account.realm) + [.lastUsedAt: now - Session.idleLifetime], Int64(limit) + 1)
        let sessions = try rows.prefix(limit).map { row in
            try Session(row, id: SessionID(bytes: try row.get(.sessionID)))
        }
        return (
            sessions.filter { $0.isActive(at: now) && $0.authentication.authenticatedAt >= account.validSince },
            rows.count > limit
        )
    }

    /// The account of an ID token, which outlives its session: a client whose session the owner has ended must not end
    /// the others.
    /// - Parameter signIn: of the token; nil in one of a former version, which is not checked.
    /// - Throws: `accountNotFound`, `accountDisabled`, `sessionExpired`.
    borrowing func owner(_ principal: Principal, signedInAs signIn: SessionID?) throws -> StoredAccount {
        guard let stored = try account(principal.accountID, in: principal.realm) else {
            throw ServiceError(.accountNotFound)
        }
        try stored.requireActive(tokenIssuedAt: principal.issuedAt)
        if let signIn {
            let session = try firstRow(
                SessionTable.ofSignIn, SQLRecord(principal.accountID, in: principal.realm), signIn.bytes)
            guard session != nil else { throw ServiceError(.sessionExpired) }
        }
        return stored
    }

    /// Stores a session that a sign-in opens, and its event.
    borrowing func open(_ session: Session) throws {
        try insert(session)
        guard let signIn = AccountEventDraft.signIn(session) else { return }
        try record([signIn], of: session.accountID, in: session.realm, at: session.createdAt)
    }

    /// Stores a session without an event: for one that replaces a session, and `open`.
    borrowing func insert(_ session: Session) throws {
        try executeLater(SessionTable.insertion, session.columns)
    }

    /// Stores the state of the refresh-token family. The rest of a session never changes.
    borrowing func update(_ session: Session) throws {
        try executeLater(SessionTable.redemption, session.key + session.redemption)
    }

    /// Ends every session of an account.
    borrowing func endSessions(of account: Account, at now: Moment) throws {
        try execute(SessionTable.endOfAccount, SQLRecord(account.id, in: account.realm) + [.endedAt: now])
    }

    borrowing func session(_ id: SessionID) throws -> Session? {
        try firstRow(SessionTable.byKey, [.sessionID: id.bytes]).map { try Session($0, id: id) }
    }
}
