import Bus
import Contracts
import ServiceRuntime
import Settings
import Vocabulary

/// Registers, lists and removes the keys of service accounts.
struct ServiceAccountKeyHandler: IdentityComponent {
    let context: IdentityContext

    func add(_ request: Identity.AddServiceAccountKey, _ call: BusCall) async throws -> EmptyReply {
        try await register(request.key, by: .operatorOrSystem(request.client), traceID: call.trace.traceID)
        return EmptyReply()
    }

    /// Registers a key: for the operator, or at the start in dev mode.
    private func register(
        _ key: Identity.ServiceAccountKey, by actor: AuditEntry.Actor, traceID: String
    ) async throws {
        let der = try key.checkedKey()
        _ = try await projects.project(key.project, traceID: traceID)
        try await store.addServiceAccountKey(
            key, der: der, at: now(),
            audit: AuditEntry(
                at: now(), realm: Realm(project: key.project), action: .serviceAccountKeyAdded,
                actor: actor, traceID: traceID))
    }

    /// Registers the keys that development settings name.
    /// - Throws: `SettingsError` for a key that is already registered for another account.
    func registerForDevelopment(_ keys: [Identity.ServiceAccountKey], traceID: String) async throws {
        for key in keys {
            do {
                try await register(key, by: .system, traceID: traceID)
            } catch is ServiceError {
                throw SettingsError([
                    .init(
                        .devServiceAccounts,
                        "names \(key.email), whose account or key is registered otherwise already",
                        remedy: "Remove it with `latchkey service-account remove`, or leave the file away")
                ])
            }
        }
    }

    func list(
        _ request: Identity.ListServiceAccountKeys
    ) async throws -> Identity.ListServiceAccountKeys.Reply {
        .init(keys: try await store.serviceAccountKeys(of: request.project))
    }

    func remove(
        _ request: Identity.RemoveServiceAccountKeys, _ call: BusCall
    ) async throws -> Identity.RemoveServiceAccountKeys.Reply {
        let now = now()
        let projects = Set(try await store.verificationKeys(of: request.email).map(\.project))
        let reply = try await store.removeServiceAccountKeys(
            request.email, keyID: request.keyID, idempotency: store.idempotentCall(for: call, at: now)
        ) { project in
            AuditEntry(
                at: now, realm: Realm(project: project), action: .serviceAccountKeyRemoved,
                actor: .operatorOrSystem(request.client), traceID: call.trace.traceID)
        }
        // Gateways drop the access tokens that they have cached.
        for project in projects { publish(.configurationChanged(Realm(project: project))) }
        return reply
    }
}
