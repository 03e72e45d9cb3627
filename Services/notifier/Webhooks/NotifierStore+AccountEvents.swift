import Contracts
import DatabaseService
import Delivery
import MasterKey
import SQL
import Vocabulary

extension NotifierStore {
    /// The signing secrets of webhooks.
    static let sealedWebhookSecrets = SealedColumn(WebhookTable.sealedSecrets)

    /// Stores webhooks, and events behind the earlier ones of their webhooks.
    /// - Returns: the webhooks of events that do not exist, and the number of new deliveries.
    func accept(
        _ request: Notifier.AcceptAccountEvents, at now: Moment
    ) async throws -> (unknown: [WebhookID], newEvents: Int) {
        let counts = request.events.reduce(into: [WebhookID: Int64]()) { counts, item in
            for id in item.webhooks { counts[id, default: 0] += 1 }
        }
        for _ in 0..<Self.maximumReservations {
            do {
                return try await accept(request, at: try await webhookPositions.reserve(counts), now)
            } catch is OvertakenReservationError {
                // Positions that are reserved now are behind everything that is stored.
            }
        }
        throw ServiceError(.unavailable)
    }

    /// Two calls with the same events may overtake each other once; more of them need more than two processes of identity.
    private static let maximumReservations = 4

    /// - Parameter positions: the first reserved position of each webhook.
    /// - Throws: `OvertakenReservationError`.
    func accept(
        _ request: Notifier.AcceptAccountEvents, at positions: [WebhookID: Int64], _ now: Moment
    ) async throws -> (unknown: [WebhookID], newEvents: Int) {
        try await database.write { [self] transaction in
            for target in request.webhooks { try store(target, at: now, transaction) }
            var positions = positions
            var known: [WebhookID: Bool] = [:]
            // The queues with an event of this call that another call has stored, maybe at a later position.
            var shared: Set<WebhookQueue> = []
            var newEvents = 0
            for item in request.events {
                for id in item.webhooks {
                    let isKnown = try known[id] ?? transaction.knowsWebhook(id)
                    known[id] = isKnown
                    guard isKnown, let position = positions[id] else { continue }
                    positions[id] = position + 1
                    let queued = QueuedEvent.accepted(item.event, for: id, at: position, now)
                    guard try transaction.append(queued, at: now) else {
                        shared.insert(WebhookQueue(queued))
                        continue
                    }
                    newEvents += 1
                    if try shared.contains(WebhookQueue(queued)) && transaction.hasEvent(behind: queued) {
                        throw OvertakenReservationError()
                    }
                }
            }
            return (known.filter { !$0.value }.map(\.key).sorted(), newEvents)
        }
    }

    /// The state of a webhook, and its latest events.
    /// - Throws: `webhookNotFound`.
    func webhookStatus(
        _ id: WebhookID, of project: ProjectID, limit: Int
    ) async throws -> Notifier.ReadWebhookStatus.Reply {
        try await database.read { transaction in
            let webhook = try transaction.webhookRow(id, of: project)
            let backlog = try Backlog(transaction.firstRow(WebhookEventTable.backlog, [.webhookID: id]))
            return .init(
                problem: try webhook.getIfPresent(.problem), failingSince: try webhook.getIfPresent(.failingSince),
                goneAt: try webhook.getIfPresent(.goneAt), pendingEvents: backlog.count,
                oldestPendingAt: backlog.oldest,
                droppedEvents: try webhook.get(.droppedEvents),
                deliveries: try transaction.rows(WebhookEventTable.latest, [.webhookID: id], limit)
                    .map { Notifier.WebhookDelivery(try QueuedEvent($0)) })
        }
    }

    /// Makes finished events pending again.
    /// - Parameter change: stored until identity has recorded it, unless no event was finished.
    /// - Throws: `webhookNotFound`.
    func replay(
        _ request: Notifier.ReplayAccountEvents, at now: Moment, _ change: NotifierChange
    ) async throws -> Notifier.ReplayAccountEvents.Reply {
        let limit = Notifier.ReplayAccountEvents.maximumCount
        return try await database.write { transaction in
            _ = try transaction.webhookRow(request.id, of: request.project)
            let key: SQLRecord<WebhookEventTable> = [.webhookID: request.id]
            let rows =
                if let ids = request.eventIDs {
                    try ids.compactMap {
                        try transaction.firstRow(WebhookEventTable.replayableEvent, key + [.eventID: $0])
                    }
                } else {
                    try transaction.rows(
                        WebhookEventTable.replayable, key, request.fromPosition ?? 0,
                        request.after ?? Moment(milliseconds: 0), limit)
                }
            var last: Int64?
            for row in rows {
                var event = try QueuedEvent(row)
                event.replay(at: now)
                try transaction.save(event)
                try transaction.insertQueue(of: event, dueAt: now)
                last = event.position
            }
            if !rows.isEmpty {
                try transaction.execute(NotifierChangeTable.insertion, NotifierChangeTable.record(of: change))
            }
            let hasMore = request.eventIDs == nil && rows.count == limit
            return .init(
                replayedEvents: rows.count, nextPosition: hasMore ? last.map { $0.addingSaturated(1) } : nil)
        }
    }

    /// The number of pending events of all webhooks, the time of the oldest, and the number of failing webhooks.
    func webhookBacklog() async throws -> (pending: Backlog, failing: Int) {
        try await database.read { transaction in
            let pending = try Backlog(transaction.firstRow(WebhookEventTable.completeBacklog))
            return (pending, try transaction.firstRow(WebhookTable.failing)?.get(computed: "count") ?? 0)
        }
    }

    /// Stores a webhook, unless its revision or a later one is stored.
    private func store(
        _ target: Notifier.WebhookTarget, at now: Moment, _ transaction: borrowing SQLTransaction
    ) throws {
        let changeable: SQLRecord<WebhookTable> = [
            .url: target.url, .isDisabled: target.isDisabled, .deletedAt: target.isDeleted ? now : nil,
            .revision: target.revision, .goneAt: nil, .failingSince: nil, .problem: nil,
            .sealedSecrets: try sealSecrets(of: target), .webhookID: target.id,
        ]
        guard let row = try transaction.firstRow(WebhookTable.revisionByKey, [.webhookID: target.id]) else {
            return try transaction.execute(
                WebhookTable.insertion,
                changeable + [.project: target.project, .droppedEvents: Int64(0)])
        }
        guard try row.get(.revision) < target.revision else { return }
        try transaction.execute(WebhookTable.replacement, changeable)
        if target.isDeleted {
            try transaction.execute(WebhookQueueTable.removalOfWebhook, [.webhookID: target.id])
        }
    }

    private func sealSecrets(of target: Notifier.WebhookTarget) throws -> [UInt8] {
        try sealingKeys.seal(
            json: target.secrets, binding: Self.sealedWebhookSecrets.binding(.text(target.id.rawValue)))
    }

    /// Only in the body of a transaction: it may read the master-key file.
    func openSecrets(_ row: SQLTableRow<WebhookTable>) throws -> [Notifier.WebhookTarget.SigningSecret] {
        let id: WebhookID = try row.get(.webhookID)
        return try sealingKeys.open(
            json: try row.get(.sealedSecrets), binding: Self.sealedWebhookSecrets.binding(.text(id.rawValue)))
    }
}

/// Another call has stored the earlier events of an account behind the positions that this call has reserved.
struct OvertakenReservationError: Error {}

extension Notifier.WebhookDelivery {
    init(_ queued: QueuedEvent) {
        self.init(
            eventID: queued.event.id, kind: queued.event.kind, tenant: queued.event.realm.tenant,
            accountID: queued.event.accountID, occurredAt: queued.event.occurredAt, state: queued.progress,
            attempts: queued.attempts, lastAttemptAt: queued.lastAttemptAt, problem: queued.problem?.text,
            finishedAt: queued.finishedAt)
    }
}

// MARK: - Rows

extension SQLTransaction {
    fileprivate borrowing func knowsWebhook(_ id: WebhookID) throws -> Bool {
        guard let row = try firstRow(WebhookTable.revisionByKey, [.webhookID: id]) else { return false }
        let deletedAt: Moment? = try row.getIfPresent(.deletedAt)
        return deletedAt == nil
    }

    /// It reads nothing first: calls that bring other events of the webhook at the same time do not conflict with it.
    /// - Returns: false for an event that is stored already.
    borrowing func append(_ queued: QueuedEvent, at now: Moment) throws -> Bool {
        try execute(WebhookEventTable.insertionIfAbsent, try queued.columns)
        guard changes == 1 else { return false }
        try insertQueue(of: queued, dueAt: now)
        return true
    }

    /// Whether a later position of the queue is taken.
    fileprivate borrowing func hasEvent(behind event: QueuedEvent) throws -> Bool {
        let queue = WebhookQueue(event)
        return try firstRow(
            WebhookEventTable.behind,
            [.webhookID: queue.webhookID, .tenant: queue.tenantColumn, .accountID: queue.accountColumn],
            event.position) != nil
    }

    /// A queue that exists keeps its time: its first event may wait for a retry.
    borrowing func insertQueue(of event: QueuedEvent, dueAt: Moment) throws {
        try execute(
            WebhookQueueTable.upsertion,
            WebhookQueue(event).key + [
                .dueAt: dueAt, .pausedAt: dueAt, .leaseHolder: nil,
                .leaseNumber: WebhookQueue.firstLeaseNumber(of: event, at: dueAt),
            ])
    }

    borrowing func save(_ event: QueuedEvent) throws {
        try execute(WebhookEventTable.saving, event.key + event.state)
    }

    /// - Throws: `webhookNotFound`.
    fileprivate borrowing func webhookRow(
        _ id: WebhookID, of project: ProjectID
    ) throws -> SQLTableRow<WebhookTable> {
        guard let row = try firstRow(WebhookTable.ofProject, [.webhookID: id, .project: project]) else {
            throw ServiceError(.webhookNotFound)
        }
        return row
    }
}
