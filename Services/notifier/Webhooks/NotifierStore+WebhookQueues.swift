import Contracts
import Crypto
import Delivery
import SQL
import Vocabulary

/// An event that this process may send now.
struct LeasedEvent: Sendable {
    var lease: SQLLease<WebhookQueueTable>
    var event: QueuedEvent
    var url: String
    var secrets: [Notifier.WebhookTarget.SigningSecret]
}

extension NotifierStore {
    /// The webhooks with an event to send now, in the order of their IDs.
    func dueWebhooks(at now: Moment) async throws -> [WebhookEndpoint] {
        try await database.read { transaction in
            var due: [WebhookEndpoint] = []
            var last = ""
            while let next: WebhookID = try transaction.firstRow(WebhookQueueTable.nextWebhook, [:], last)?
                .getIfPresent(.webhookID)
            {
                last = next.rawValue
                if try WebhookQueueTable.leases.hasDueRow(of: [.webhookID: next], at: now, transaction),
                    let webhook = try transaction.activeWebhook(next)
                {
                    due.append(WebhookEndpoint(id: next, owner: try webhook.get(.project)))
                }
            }
            return due
        }
    }

    /// Leases queues of a webhook that are due, those that have waited longest first.
    /// - Returns: the first event of each queue.
    func acquireWebhookLeases(
        _ id: WebhookID, upTo count: Int, to holder: String, for duration: Duration, at now: Moment
    ) async throws -> [LeasedEvent] {
        try await database.write { [self] transaction in
            guard let webhook = try transaction.activeWebhook(id) else { return [] }
            let secrets = try openSecrets(webhook)
            let url: String = try webhook.get(.url)
            let rows = try WebhookQueueTable.leases.acquire(
                upTo: count, of: [.webhookID: id], to: holder, for: duration, at: now, transaction)
            return try rows.compactMap { row in
                let lease = try SQLLease(row)
                guard let event = try transaction.firstPendingEvent(of: WebhookQueue(row), at: now) else {
                    try transaction.finish(lease, at: now)
                    return nil
                }
                return LeasedEvent(lease: lease, event: event, url: url, secrets: secrets)
            }
        }
    }

    /// Stores the outcome of an attempt, and ends the lease.
    /// - Returns: the event; nil if the lease was lost.
    func recordOutcome(
        _ leased: LeasedEvent, _ outcome: WebhookOutcome, at now: Moment, jitter: Double
    ) async throws -> QueuedEvent? {
        try await database.write { transaction in
            // The event that was sent: another process may have changed it since.
            guard var event = try transaction.event(leased.event), event.progress == .pending else {
                try transaction.finish(leased.lease, at: now)
                return nil
            }
            let dueAt = event.recordOutcome(outcome, at: now, jitter: jitter)
            guard try WebhookQueueTable.leases.end(leased.lease, dueAt: dueAt, at: now, transaction) else {
                return nil
            }
            try transaction.save(event)
            try transaction.execute(WebhookQueueTable.removalOfEmpty, leased.lease.key)
            switch outcome {
            case .gone:
                try transaction.execute(WebhookTable.gone, [.webhookID: event.webhookID, .goneAt: now])
            case .delivered, .refused, .unavailable, .interrupted: break
            }
            return event
        }
    }

    /// Stores the beginning or the end of an outage, for the status of the webhook.
    /// - Parameter reason: nil at its end.
    func recordOutage(_ reason: String?, of id: WebhookID, since now: Moment) async throws {
        try await database.write { transaction in
            try transaction.execute(
                WebhookTable.outage,
                [.webhookID: id, .failingSince: reason == nil ? nil : now, .problem: reason])
        }
    }

    /// Releases the leases of ended processes.
    func releaseWebhookLeases(
        ofEndedProcesses hasEnded: @escaping @Sendable (String) -> Bool, at now: Moment
    ) async throws -> Int {
        try await database.write { transaction in
            try WebhookQueueTable.leases.release(ofEndedProcesses: hasEnded, at: now, transaction)
        }
    }

    /// Gives pending events without a queue one. Earlier builds could commit an event and the deletion of its queue beside
    /// each other, on PostgreSQL.
    /// - Returns: the number of events; `batch` if there may be more.
    func restoreWebhookQueues(at now: Moment, batch: Int = 500) async throws -> Int {
        try await database.write { transaction in
            let rows = try transaction.rows(WebhookEventTable.withoutQueue, [:], batch)
            for row in rows { try transaction.insertQueue(of: try QueuedEvent(row), dueAt: now) }
            return rows.count
        }
    }

    /// Ends a batch of pending events that have expired.
    /// - Returns: those events.
    func expireWebhookEvents(at now: Moment, batch: Int = 200) async throws -> [QueuedEvent] {
        try await database.write { transaction in
            try transaction.rows(WebhookEventTable.expired, [:], now, batch).map { row in
                var event = try QueuedEvent(row)
                event.expire(at: now)
                try transaction.save(event)
                try transaction.execute(WebhookQueueTable.removalOfEmpty, WebhookQueue(event).key)
                return event
            }
        }
    }

    /// Deletes a batch of finished events that are older than the history.
    /// - Returns: whether there may be more.
    func deleteFinishedWebhookEvents(before time: Moment, batch: Int = 500) async throws -> Bool {
        try await database.write { transaction in
            try transaction.execute(WebhookEventTable.removalOfFinished, [:], time, batch)
            return transaction.changes == batch
        }
    }

    /// Deletes a batch of the oldest events of the webhooks that have more than `maximum`, and of deleted webhooks.
    /// - Returns: the webhooks that lost pending events with their number, and whether there may be more.
    func deleteSurplusWebhookEvents(
        maximum: Int, at now: Moment, batch: Int = 500
    ) async throws -> (dropped: [(webhook: WebhookID, count: Int)], hasMore: Bool) {
        let surplus = try await surplusWebhookEvents(maximum)
        return try await database.write { transaction in
            var dropped: [(webhook: WebhookID, count: Int)] = []
            var hasMore = false
            let deleted: [WebhookID] = try transaction.rows(WebhookTable.deleted).map { try $0.get(.webhookID) }
            for id in deleted {
                let rows = try transaction.rows(WebhookEventTable.removalOfOldest, [.webhookID: id], Int64.max, batch)
                if rows.count == batch {
                    hasMore = true
                } else {
                    try transaction.execute(WebhookTable.removal, [.webhookID: id], now - Self.deletedWebhookMemory)
                    if transaction.changes == 1 {
                        try transaction.execute(WebhookPositionTable.removal, [.webhookID: id])
                    }
                }
            }
            for (id, oldest) in surplus {
                let states: [QueuedEvent.Progress] = try transaction.rows(
                    WebhookEventTable.removalOfOldest, [.webhookID: id], oldest, batch
                ).map { try $0.get(.state) }
                hasMore = hasMore || states.count == batch
                let lost = states.count { $0 == .pending }
                guard lost > 0 else { continue }
                try transaction.execute(WebhookTable.drop, [.webhookID: id], lost)
                dropped.append((id, lost))
            }
            return (dropped, hasMore)
        }
    }

    /// The newest surplus event of each webhook that has more than `maximum`. Positions have gaps: calls that failed had
    /// reserved some.
    private func surplusWebhookEvents(_ maximum: Int) async throws -> [(webhook: WebhookID, position: Int64)] {
        try await database.longRead { transaction in
            try transaction.rows(WebhookTable.all).compactMap { row -> (WebhookID, Int64)? in
                let id: WebhookID = try row.get(.webhookID)
                let bounds = try transaction.firstRow(WebhookEventTable.bounds, [.webhookID: id])
                guard let first: Int64 = try bounds?.getIfPresent(computed: "first"),
                    let last: Int64 = try bounds?.getIfPresent(computed: "last"), last - first >= Int64(maximum),
                    let beyond = try transaction.firstRow(
                        WebhookEventTable.firstBeyond, [.webhookID: id], Int64(maximum))
                else { return nil }
                return (id, try beyond.get(.position))
            }
        }
    }

    /// How long the row of a deleted webhook stays. A late call of identity ends within seconds.
    private static let deletedWebhookMemory = Duration.seconds(60 * 60)
}

// MARK: - Rows

extension SQLTransaction {
    /// - Returns: nil for a webhook that receives nothing at present.
    fileprivate borrowing func activeWebhook(_ id: WebhookID) throws -> SQLTableRow<WebhookTable>? {
        guard let row = try firstRow(WebhookTable.byKey, [.webhookID: id]), try !row.get(.isDisabled) else {
            return nil
        }
        let goneAt: Moment? = try row.getIfPresent(.goneAt)
        let deletedAt: Moment? = try row.getIfPresent(.deletedAt)
        return goneAt == nil && deletedAt == nil ? row : nil
    }

    /// The event to send. Expired events before it are ended.
    fileprivate borrowing func firstPendingEvent(of queue: WebhookQueue, at now: Moment) throws -> QueuedEvent? {
        while let row = try firstRow(
            WebhookEventTable.head,
            [.webhookID: queue.webhookID, .tenant: queue.tenantColumn, .accountID: queue.accountColumn])
        {
            var event = try QueuedEvent(row)
            guard event.expiresAt <= now else { return event }
            event.expire(at: now)
            try save(event)
        }
        return nil
    }

    fileprivate borrowing func event(_ sent: QueuedEvent) throws -> QueuedEvent? {
        try firstRow(WebhookEventTable.byPosition, sent.key).map { try QueuedEvent($0) }
    }

    /// Ends the lease of a queue that may have no pending event.
    fileprivate borrowing func finish(_ lease: SQLLease<WebhookQueueTable>, at now: Moment) throws {
        guard try WebhookQueueTable.leases.end(lease, dueAt: now, at: now, self) else { return }
        try execute(WebhookQueueTable.removalOfEmpty, lease.key)
    }
}
