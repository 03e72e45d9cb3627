import Bus
import Contracts
import DatabaseService
import Vocabulary

/// The keys of projects for pushes, for administrators. The private part of a key is never read again.
struct APNsKeyHandler: NotifierComponent {
    let dependencies: NotifierService.Dependencies

    func add(_ request: Notifier.AddAPNsKey, _ call: BusCall) async throws -> Notifier.APNsKey {
        let privateKey: Secret<[UInt8]>
        do {
            privateKey = try request.checkedPrivateKey()
        } catch {
            throw ServiceError(.invalidAPNsKey, error.rawValue)
        }
        let realm = Realm(project: request.project)
        // It exists.
        _ = try await dependencies.peers.send(Identity.ResolveConfiguration(realm: realm), call.options(at: now()))
        let key = Notifier.APNsKey(
            id: APNsKeyID(randomID()), project: request.project, bundleID: request.bundleID,
            environment: request.environment, keyID: request.keyID, teamID: request.teamID, createdAt: now())
        let change = change(.apnsKeyAdded, in: request.project, request.client, call)
        let stored = try await store.insert(StoredAPNsKey(key: key, privateKey: privateKey), change)
        await dependencies.auditedChanges.record(change)
        return stored
    }

    func list(_ request: Notifier.ListAPNsKeys) async throws -> Notifier.ListAPNsKeys.Reply {
        .init(keys: try await store.apnsKeys(of: request.project))
    }

    func remove(_ request: Notifier.RemoveAPNsKey, _ call: BusCall) async throws -> EmptyReply {
        let change = change(.apnsKeyRemoved, in: request.project, request.client, call)
        try await store.deleteAPNsKey(request.id, of: request.project, change)
        await dependencies.auditedChanges.record(change)
        return EmptyReply()
    }
}
