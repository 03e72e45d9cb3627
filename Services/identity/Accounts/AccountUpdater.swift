import Bus
import Contracts
import Vocabulary

/// Changes an account, and informs the other processes when the change ended sessions, see `SessionRevocation`.
struct AccountUpdater: IdentityComponent {
    let context: IdentityContext

    /// Parameters and errors are those of `IdentityStore.change`.
    /// - Parameter mails: nil if the change never causes mails.
    func change<Reply: Codable & Sendable>(
        _ id: AccountID, in realm: Realm, audit: AuditEntry, idempotency: IdempotentCall?,
        session: @Sendable @escaping (StoredAccount, Reply) -> Session? = { _, _ in nil },
        mails: MailsOfChange? = nil,
        _ change: @Sendable @escaping (inout StoredAccount) throws -> Reply
    ) async throws -> Reply {
        let changed = try await store.change(
            id, in: realm, audit: audit, idempotency: idempotency, session: session, mails: mails ?? { _, _ in [] },
            change)
        if mails != nil { wakeMailDispatcher() }
        if changed.revokesSessions { publish(.sessionsRevoked(realm, id)) }
        return changed.reply
    }
}
