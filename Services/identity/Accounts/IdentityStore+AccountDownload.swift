import Contracts
import SQL
import Vocabulary

extension IdentityStore {
    /// What the tables say about the account of an ID token, without the audit log, which gets an entry.
    /// - Throws: `accountNotFound`, `accountDisabled`, `sessionExpired` where the session of the token has ended, and errors
    ///   of `authorize`.
    func download(
        _ principal: Principal, signedInAs signIn: SessionID?, audit: AuditEntry,
        authorize: @Sendable @escaping (StoredAccount) throws -> Void
    ) async throws -> Identity.DownloadOwnAccount.Reply {
        try await write { transaction in
            let stored = try transaction.owner(principal, signedInAs: signIn)
            try authorize(stored)
            try transaction.append(audit)
            let (id, realm) = (principal.accountID, principal.realm)
            let limit = Identity.DownloadOwnAccount.maximumSessions
            let rows = try transaction.rows(SessionTable.everyOfAccount, SQLRecord(id, in: realm), Int64(limit) + 1)
            let sessions = try rows.prefix(limit).map { row in
                try Session(row, id: SessionID(bytes: try row.get(.sessionID)))
            }
            return .init(
                account: stored.account, sessions: sessions.map(Identity.StoredSession.init),
                hasMoreSessions: rows.count > limit,
                remainingRecoveryCodes: try transaction.remainingRecoveryCodes(of: id, in: realm),
                rememberedDevices: try transaction.rememberedDevices(of: id, in: realm).map(
                    Identity.RememberedDevice.init),
                actionCodes: try ActionCode.Purpose.allCases.flatMap { purpose in
                    try transaction.rows(
                        ActionCodeTable.ofAccount, SQLRecord(id, in: realm) + [.purpose: purpose.rawValue]
                    ).map { Identity.StoredActionCode(try ActionCode($0)) }
                }, auditRecords: [], hasMoreAuditRecords: false)
        }
    }
}

extension Identity.StoredSession {
    fileprivate init(_ session: Session) {
        self.init(
            id: session.signInID.text, createdAt: session.createdAt, lastUsedAt: session.lastUsedAt,
            endedAt: session.endedAt, signInProvider: session.authentication.signInProvider,
            secondFactor: session.authentication.secondFactor?.kind, device: session.device,
            clientAddress: session.clientAddress, claims: session.authentication.claims,
            attributes: session.authentication.attributes)
    }
}

extension Identity.StoredActionCode {
    fileprivate init(_ code: ActionCode) {
        self.init(
            purpose: code.purpose, email: code.email, newEmail: code.newEmail, createdAt: code.createdAt,
            expiresAt: code.expiresAt)
    }
}
