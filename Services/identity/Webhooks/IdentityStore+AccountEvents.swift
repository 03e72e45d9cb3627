import Bus
import Contracts
import Delivery
import SQL
import Vocabulary

/// What the notifier gets in one call.
struct AccountEventBatch: Equatable, Sendable {
    /// The webhooks whose current revision the notifier does not have.
    var webhooks: [StoredWebhook]
    /// In the order of their sequence numbers, so the events of each account are in their order.
    var events: [Notifier.AcceptAccountEvents.Item]

    var isEmpty: Bool { webhooks.isEmpty && events.isEmpty }

    var request: Notifier.AcceptAccountEvents {
        .init(webhooks: webhooks.map(\.target), events: events)
    }
}

extension IdentityStore {
    /// The first webhooks and events that the notifier has not accepted, read in one transaction.
    ///
    /// The events are the first of all events in the order of their sequence numbers. Number n of an account is assigned
    /// after the commit of number n - 1, so a batch never contains an event without the earlier ones of its account, except
    /// those that the notifier has accepted. Two processes may read the same batch: the notifier accepts each event once.
    /// - Parameter limit: the maximum number of events, and of webhooks.
    func accountEventBatch(limit: Int) async throws -> AccountEventBatch {
        try await read { [self] transaction in
            AccountEventBatch(
                webhooks: try transaction.rows(WebhookTable.notAccepted, [:], limit).map(open),
                events: try transaction.rows(AccountEventTable.first, [:], limit).map { try .init($0) })
        }
    }

    /// Records that the notifier has stored a batch: deletes its events and the rows of its deleted webhooks.
    /// - Parameter unknown: webhooks that the notifier does not have. Those that exist are sent again, and the events of
    ///   the batch stay.
    func recordAcceptance(of batch: AccountEventBatch, unknown: [WebhookID]) async throws {
        try await write { transaction in
            for stored in batch.webhooks {
                let webhook = stored.webhook
                try transaction.execute(
                    WebhookTable.acceptance, [.webhookID: webhook.id, .acceptedRevision: webhook.revision])
                try transaction.execute(
                    WebhookTable.removalOfDeleted, [.webhookID: webhook.id, .revision: webhook.revision])
            }
            var areMissing = false
            for id in unknown {
                try transaction.execute(WebhookTable.acceptance, [.webhookID: id, .acceptedRevision: Int64(0)])
                areMissing = areMissing || transaction.changes > 0
            }
            guard !areMissing else { return }
            for item in batch.events { try transaction.execute(AccountEventTable.removal, [.eventID: item.event.id]) }
        }
    }

    /// The number of events that wait for the notifier, and the time of the oldest.
    func accountEventBacklog() async throws -> Backlog {
        try await read { transaction in try Backlog(transaction.firstRow(AccountEventTable.backlog)) }
    }
}

// MARK: - Rows

extension SQLTransaction {
    /// Records events of an account, in the transaction of their cause, for the webhooks that receive them.
    borrowing func record(_ drafts: [AccountEventDraft], of account: Account, at now: Moment) throws {
        try record(drafts, of: account.id, in: account.realm, at: now)
    }

    /// As above, for an account of which only the ID is known.
    borrowing func record(
        _ drafts: [AccountEventDraft], of id: AccountID, in realm: Realm, at now: Moment
    ) throws {
        guard !drafts.isEmpty else { return }
        let receivers = try rows(WebhookTable.receivers, [.project: realm.project]).map { row in
            (id: try row.get(.webhookID) as WebhookID, kinds: StoredWebhook.kinds(try row.get(.kinds)))
        }
        guard !receivers.isEmpty else { return }
        for draft in drafts {
            let webhooks = receivers.filter { $0.kinds.isEmpty || $0.kinds.contains(draft.kind) }.map(\.id)
            guard !webhooks.isEmpty else { continue }
            let event = AccountEvent(
                id: .random(), kind: draft.kind, realm: realm, accountID: id, occurredAt: now,
                sequence: try nextSequence(of: id, in: realm, at: now), details: draft.details)
            try execute(
                AccountEventTable.insertion,
                try Notifier.AcceptAccountEvents.Item(event: event, webhooks: webhooks).columns)
        }
    }

    private borrowing func nextSequence(of id: AccountID, in realm: Realm, at now: Moment) throws -> Int64 {
        let key = SQLRecord<AccountEventSequenceTable>(id, in: realm)
        let last: Int64? = try firstRow(AccountEventSequenceTable.last, key)?.get(.lastSequence)
        let sequence = AccountEvent.sequence(after: last, at: now)
        try execute(AccountEventSequenceTable.replacement, key + [.lastSequence: sequence, .usedAt: now])
        return sequence
    }
}

extension AccountEventID {
    /// The ID of a new event. Each attempt of a transaction draws another one.
    static func random() -> AccountEventID { .init("evt_\(RequestID.random())") }
}
