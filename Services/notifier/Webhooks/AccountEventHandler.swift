import Bus
import Contracts
import DatabaseService
import Vocabulary

/// Accepts account events of identity, and reports and repeats their delivery. `WebhookOutbox` sends them.
struct AccountEventHandler: NotifierComponent {
    let dependencies: NotifierService.Dependencies

    func accept(_ request: Notifier.AcceptAccountEvents) async throws -> Notifier.AcceptAccountEvents.Reply {
        let maximum = Notifier.AcceptAccountEvents.maximumCount
        guard request.webhooks.count <= maximum, request.events.count <= maximum,
            request.events.allSatisfy({ $0.webhooks.count <= Identity.Webhook.maximumCount })
        else { throw ServiceError(.invalidRequest, "The call has too many webhooks or events.") }
        let (unknown, newEvents) = try await store.accept(request, at: now())
        dependencies.webhookMetrics.count(.accepted, newEvents)
        dependencies.wakeWebhooks()
        return .init(unknownWebhooks: unknown)
    }

    func readStatus(_ request: Notifier.ReadWebhookStatus) async throws -> Notifier.ReadWebhookStatus.Reply {
        try request.checkLimit()
        return try await store.webhookStatus(request.id, of: request.project, limit: request.limit)
    }

    func replay(
        _ request: Notifier.ReplayAccountEvents, _ call: BusCall
    ) async throws -> Notifier.ReplayAccountEvents.Reply {
        guard (request.eventIDs ?? []).count <= Notifier.ReplayAccountEvents.maximumCount else {
            throw ServiceError(.invalidRequest, "The call names too many events.")
        }
        let change = change(.webhookReplayed, in: request.project, request.client, call)
        let reply = try await store.replay(request, at: now(), change)
        if reply.replayedEvents > 0 { await dependencies.auditedChanges.record(change) }
        dependencies.wakeWebhooks()
        return reply
    }
}
