import Contracts
package import ServiceRuntime
package import Storage
import Vocabulary

/// Which events of a webhook stay.
package struct WebhookHistory: Equatable, Sendable {
    /// How long a delivered or failed event stays.
    package var time: Duration
    /// Maximum events of a webhook. Beyond it the oldest are deleted, also pending ones.
    package var maximumEvents: Int

    package static let standard = WebhookHistory(time: .seconds(7 * 86_400), maximumEvents: 1_000_000)
}

/// The background work of the notifier on its outbox and on the events of webhooks.
package struct NotifierMaintenance: Sendable {
    let store: NotifierStore
    /// How long a finished message stays.
    let history: Duration
    let webhookHistory: WebhookHistory
    let counters: DeliveryMetrics
    let webhookMetrics: WebhookMetrics
    let log: Log
    let now: @Sendable () -> Moment

    package func tasks(trusting clock: TrustedClock) -> [MaintenanceTask] {
        [
            MaintenanceTask("expiry", every: .seconds(5), trusting: clock, expire),
            MaintenanceTask("webhook-expiry", every: .seconds(30), trusting: clock, expireWebhookEvents),
            MaintenanceTask("webhook-queues", every: .seconds(60 * 60), after: .zero, restoreWebhookQueues),
            MaintenanceTask("measurement", every: .seconds(5), measure),
            // A large backlog takes longer to count.
            MaintenanceTask("webhook-measurement", every: .seconds(30), measureWebhooks),
        ]
    }

    /// Ends the messages that have expired, and deletes expired rows.
    func expire(at now: Moment) async throws {
        var isDone = false
        while !isDone {
            let expired = try await store.expire(at: now)
            counters.countExpired(expired)
            isDone = expired.isEmpty
        }
        try await store.sweep(history: history, at: now)
    }

    /// Nothing else looks at a pending event without a queue.
    func restoreWebhookQueues() async throws {
        var isDone = false
        while !isDone {
            let restored = try await store.restoreWebhookQueues(at: now())
            webhookMetrics.countRestored(restored)
            if restored > 0 { log.error(.webhookQueuesRestored, ["events": .public(restored)]) }
            isDone = restored == 0
        }
    }

    /// Ends the events that were not delivered in time, and deletes events beyond the history.
    func expireWebhookEvents(at now: Moment) async throws {
        var isDone = false
        while !isDone {
            let expired = try await store.expireWebhookEvents(at: now)
            webhookMetrics.count(.failed, expired.count)
            if !expired.isEmpty { log.error(.webhookEventsExpired, ["count": .public(expired.count)]) }
            isDone = expired.isEmpty
        }
        while try await store.deleteFinishedWebhookEvents(before: now - webhookHistory.time) {}
        var hasMore = true
        while hasMore {
            let surplus = try await store.deleteSurplusWebhookEvents(maximum: webhookHistory.maximumEvents, at: now)
            for (webhook, count) in surplus.dropped {
                webhookMetrics.count(.dropped, count)
                log.error(.webhookEventsDropped, ["webhook": .public(webhook), "count": .public(count)])
            }
            hasMore = surplus.hasMore
        }
    }

    /// Publishes the size of the outbox.
    func measure() async throws {
        for channel in Channel.allCases {
            counters.setWaiting(channel, try await store.queueDepth(channel), at: now())
        }
    }

    /// Publishes the number of events that wait for endpoints.
    func measureWebhooks() async throws {
        let (pending, failing) = try await store.webhookBacklog()
        webhookMetrics.setBacklog(pending, failing: failing, at: now())
    }
}
