import Bus
import Contracts
import Vocabulary

/// Revokes a signing key in an emergency.
struct SigningKeyRevocationHandler: IdentityComponent {
    let context: IdentityContext

    func revoke(
        _ request: Identity.RevokeSigningKey, _ call: BusCall
    ) async throws -> Identity.RevokeSigningKey.Reply {
        let now = now()
        // Created before the transaction, because it takes a while. Only a purpose without another key needs it.
        let replacement = try await keys.makeKey(activatesAt: now.timestamp)
        func entry(_ action: AuditEntry.Action) -> AuditEntry {
            AuditEntry(
                at: now, realm: Realm(project: ProjectID("")), action: action, actor: .system,
                traceID: call.trace.traceID)
        }
        let purpose = try await store.deleteSigningKey(
            request.keyID, replacement: replacement, at: now, audit: entry(.signingKeyRevoked),
            creation: entry(.signingKeyCreated))
        guard let purpose else { return .init() }
        // The next key may be due, now that this one is missing.
        _ = try await keys.rotateIfDue(purpose, traceID: call.trace.traceID)
        publish(.signingKeysChanged)
        return .init(purpose: purpose, activeKeyID: try keys.active(purpose, at: now.timestamp).id)
    }
}
