import Bus
import Contracts
import Vocabulary

/// Changes an account, and informs the other processes when the change ended sessions, see `SessionRevocation`.
struct AccountUpdater: IdentityComponent {
    let context: IdentityContext

    /// Parameters and errors are those of `IdentityStore.change`.
    /// - Parameter mails: nil if the change never causes e-mails.
    func change<Reply: Codable & Sendable>(
        _ id: AccountID, in realm: Realm, audit: AuditEntry, idempotency: IdempotentCall?,
        session: @Sendable @escaping (StoredAccount, Reply) -> Session? = { _, _ in nil },
        mails: EmailsOfChange? = nil,
        _ change: @Sendable @escaping (inout StoredAccount) throws -> Reply
    ) async throws -> Reply {
        let changed = try await store.change(
            id, in: realm, audit: audit, idempotency: idempotency, session: session, mails: mails ?? { _, _ in [] },
            change)
        if mails != nil { wakeEmailLoop() }
        if changed.revokesSessions { publish(.sessionsRevoked(realm, id)) }
        return changed.reply
    }

    /// A change by the owner of an account. The session of the request continues as a new one, which the change opens.
    /// - Parameters:
    ///   - continued: the new session in the reply of the change; nil if the change ends the session.
    ///   - change: gets the first refresh token of the new session.
    func change<Reply: Codable & Sendable>(
        by session: AuthenticatedSession, _ action: AuditEntry.Action, _ client: ClientContext, _ call: BusCall,
        at now: Moment, continued: @Sendable @escaping (Reply) -> OpenedSession?, mails: @escaping EmailsOfChange,
        _ change: @Sendable @escaping (inout StoredAccount, RefreshToken) throws -> Reply
    ) async throws -> ChangeResult<Reply> {
        let (id, realm) = (session.principal.accountID, session.principal.realm)
        let (next, token) = sessions.open(
            for: id, in: realm, authentication: session.authentication, client: client, at: now)
        defer { wakeEmailLoop() }
        return try await store.change(
            id, in: realm, audit: AuditEntry(action, .account(id), realm, client, call, about: id, at: now),
            idempotency: store.idempotentCall(for: call, at: now),
            session: { _, reply in
                continued(reply).map { opened in
                    var next = next
                    next.authentication = opened.authentication
                    return next
                }
            }, mails: mails
        ) { stored in try change(&stored, token) }
    }
}
