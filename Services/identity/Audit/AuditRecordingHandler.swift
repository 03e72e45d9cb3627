import Bus
import Contracts
import Vocabulary

/// Writes into the audit log what other services have changed or refused.
struct AuditRecordingHandler: IdentityComponent {
    let context: IdentityContext

    func recordProviderChange(
        _ request: Identity.RecordProviderChange, _ call: BusCall
    ) async throws -> EmptyReply {
        try await record(
            AuditEntry(
                .init(request.change), .administrator, request.realm, request.client, call, about: nil,
                at: request.at), call)
    }

    func recordNotifierChange(
        _ request: Identity.RecordNotifierChange, _ call: BusCall
    ) async throws -> EmptyReply {
        try await record(
            AuditEntry(
                .init(request.change), .administrator, request.realm, request.client, call, about: nil,
                at: request.at), call)
    }

    /// Once, however often the service repeats the request.
    private func record(_ entry: AuditEntry, _ call: BusCall) async throws -> EmptyReply {
        try await store.write(idempotency: store.idempotentCall(for: call, at: now())) { transaction in
            try transaction.append(entry)
            return EmptyReply()
        }
    }

    func recordRefusedSignIn(_ request: Identity.RecordRefusedSignIn, _ call: BusCall) async throws -> EmptyReply {
        let (action, outcome) = AuditEntry.refusal(request.reason)
        var entry = AuditEntry(
            action, .anonymous, request.realm, request.client, call, about: request.accountID, at: now())
        entry.outcome = outcome
        try await store.audit(entry)
        return EmptyReply()
    }

    /// It belongs to no project.
    func recordRefusedCaller(_ request: Identity.RecordRefusedCaller, _ call: BusCall) async throws -> EmptyReply {
        var entry = AuditEntry(
            at: now(), realm: Realm(project: ProjectID("")), action: .callerRefused,
            actor: request.caller.map { .process(AuditEntry.Actor.bounded($0)) } ?? .anonymous,
            traceID: call.trace.traceID)
        entry.outcome = .refused
        try await store.audit(entry)
        return EmptyReply()
    }
}

extension AuditEntry {
    fileprivate static func refusal(_ reason: Identity.RecordRefusedSignIn.Reason) -> (Action, Outcome) {
        switch reason {
        case .invalid: (.signIn, .refused)
        case .limited: (.signIn, .rateLimited)
        case .counterRegression: (.passkeyCounterRegressed, .refused)
        }
    }
}

extension AuditEntry.Action {
    fileprivate init(_ change: Identity.RecordProviderChange.Change) {
        self =
            switch change {
            case .created: .providerCreated
            case .replaced: .providerChanged
            case .deleted: .providerDeleted
            }
    }

    fileprivate init(_ change: Identity.RecordNotifierChange.Change) {
        self =
            switch change {
            case .apnsKeyAdded: .apnsKeyAdded
            case .apnsKeyRemoved: .apnsKeyRemoved
            case .webhookReplayed: .webhookReplayed
            }
    }
}
