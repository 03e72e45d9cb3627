import Bus
import Contracts
import Vocabulary

/// Records changes that administrators made to configurations which federation stores.
struct ProviderChangeHandler: Sendable {
    let now: @Sendable () -> Moment
    let store: IdentityStore

    func record(_ request: Identity.RecordProviderChange, _ call: BusCall) async throws -> EmptyReply {
        let entry = AuditEntry(
            .init(request.change), .administrator, request.realm, request.client, call, about: nil, at: request.at)
        return try await store.write(idempotency: store.idempotentCall(for: call, at: now())) { transaction in
            try transaction.append(entry)
            return EmptyReply()
        }
    }
}

extension AuditEntry.Action {
    fileprivate init(_ change: Identity.ProviderChange) {
        self =
            switch change {
            case .created: .providerCreated
            case .replaced: .providerChanged
            case .deleted: .providerDeleted
            }
    }
}
