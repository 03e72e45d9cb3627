import Contracts
import Delivery
import JSON
import SQL
import Vocabulary

/// The webhooks of all projects, as identity has stored them, and the state of their endpoints.
enum WebhookTable: String, SQLTableDescription {
    case project, url, revision, problem
    case webhookID = "webhook_id"
    case isDisabled = "disabled"
    /// Null unless it is deleted. The row stays for a while, so that an earlier revision that arrives late is recognized.
    case deletedAt = "deleted_at"
    /// Pending events that were deleted because there were too many.
    case droppedEvents = "dropped_events"
    /// The time of a response 410; null otherwise.
    case goneAt = "gone_at"
    /// The start of the outage; null while the endpoint works.
    case failingSince = "failing_since"
    /// JSON of the signing secrets.
    case sealedSecrets = "sealed_secrets"

    static let table = "webhooks"
    static let key = [webhookID]
    static let expiry = SQLExpiry<Self>.deletedBy("NotifierStore.deleteSurplusWebhookEvents")

    static let insertion = insert()
    static let byKey = select()
    static let revisionByKey = select([revision, deletedAt])
    static let ofProject = select(where: [webhookID, project], "AND deleted_at IS NULL")
    /// A new revision ends an outage and a response 410.
    static let replacement = update(
        [url, isDisabled, deletedAt, revision, goneAt, failingSince, problem, sealedSecrets])
    static let outage = update([failingSince, problem])
    static let gone = update([goneAt])
    static let drop = SQLStatement<Self>(
        "UPDATE webhooks SET dropped_events = dropped_events + $1 WHERE webhook_id = :webhook_id")
    static let all = select([webhookID], where: [], "ORDER BY webhook_id")
    static let deleted = select([webhookID], where: [], "WHERE deleted_at IS NOT NULL")
    static let removal = delete(where: [webhookID], "AND deleted_at < $1")
    static let failing = SQLStatement<Self>(
        """
        SELECT COUNT(*) AS count FROM webhooks
        WHERE deleted_at IS NULL AND disabled = 0 AND (failing_since IS NOT NULL OR gone_at IS NOT NULL)
        """)
}

/// The last position of each webhook, apart from its other columns: it changes with every call that brings events.
enum WebhookPositionTable: String, SQLTableDescription {
    case webhookID = "webhook_id"
    case lastPosition = "last_position"

    static let table = "webhook_positions"
    static let key = [webhookID]
    static let expiry = SQLExpiry<Self>.deletedBy("NotifierStore.deleteSurplusWebhookEvents")

    /// Adds the positions of the record.
    static let reservation = insert(
        """
        ON CONFLICT (webhook_id) DO UPDATE SET last_position = webhook_positions.last_position + excluded.last_position
        RETURNING last_position
        """)
    static let removal = delete()
}

/// The events of webhooks. One that is delivered or failed stays for its history, so that it can be replayed.
enum WebhookEventTable: String, SQLRealmTable {
    case position, project, tenant, state, attempts, refusals, problem
    case webhookID = "webhook_id"
    case eventID = "event_id"
    /// Empty for a test.
    case accountID = "account_id"
    /// JSON.
    case event
    case acceptedAt = "accepted_at"
    case expiresAt = "expires_at"
    case lastAttemptAt = "last_attempt_at"
    case finishedAt = "finished_at"

    static let table = "webhook_events"
    static let key = [webhookID, position]
    static let expiry = SQLExpiry<Self>.deletedBy("NotifierStore.deleteFinishedWebhookEvents")

    static let insertionIfAbsent = insert("ON CONFLICT (webhook_id, event_id) DO NOTHING")
    static let byPosition = select()
    static let saving = update([state, attempts, refusals, expiresAt, lastAttemptAt, problem, finishedAt])
    /// The first pending event of an account.
    static let head = select(
        where: [webhookID, tenant, accountID], "AND state = 'pending' ORDER BY position LIMIT 1")
    /// An event of an account at a later position than the argument.
    static let behind = select([position], where: [webhookID, tenant, accountID], "AND position > $1 LIMIT 1")
    static let expired = select(where: [], "WHERE state = 'pending' AND expires_at <= $1 ORDER BY expires_at LIMIT $2")
    static let latest = select(where: [webhookID], "ORDER BY position DESC LIMIT $1")
    static let backlog = SQLStatement<Self>(
        """
        SELECT COUNT(*) AS count, MIN(accepted_at) AS oldest FROM webhook_events
        WHERE webhook_id = :webhook_id AND state = 'pending'
        """)
    /// Pending events that no queue leads to. The argument: the number of events.
    static let withoutQueue = SQLStatement<Self>(
        """
        SELECT * FROM webhook_events WHERE state = 'pending' AND NOT EXISTS
            (SELECT 1 FROM webhook_queues AS q WHERE q.webhook_id = webhook_events.webhook_id
             AND q.tenant = webhook_events.tenant AND q.account_id = webhook_events.account_id)
        AND EXISTS (SELECT 1 FROM webhooks AS w WHERE w.webhook_id = webhook_events.webhook_id
            AND w.deleted_at IS NULL)
        ORDER BY webhook_id, position LIMIT $1
        """)
    static let completeBacklog = SQLStatement<Self>(
        "SELECT COUNT(*) AS count, MIN(accepted_at) AS oldest FROM webhook_events WHERE state = 'pending'")
    /// The arguments: the first position, the earliest acceptance, and the number of events.
    static let replayable = select(
        where: [webhookID],
        "AND position >= $1 AND accepted_at >= $2 AND state <> 'pending' ORDER BY position LIMIT $3")
    static let replayableEvent = select(where: [webhookID, eventID], "AND state <> 'pending'")
    /// The arguments: the time, and the number of events.
    static let removalOfFinished = SQLStatement<Self>(
        """
        DELETE FROM webhook_events WHERE (webhook_id, position) IN
            (SELECT webhook_id, position FROM webhook_events WHERE finished_at < $1 ORDER BY finished_at LIMIT $2)
        """)
    static let bounds = SQLStatement<Self>(
        """
        SELECT MIN(position) AS first, MAX(position) AS last FROM webhook_events WHERE webhook_id = :webhook_id
        """)
    /// The first event beyond the number of the argument, from the newest.
    static let firstBeyond = select(
        [position], where: [webhookID], "ORDER BY position DESC LIMIT 1 OFFSET $1")
    /// The arguments: the highest position to delete, and the number of events.
    static let removalOfOldest = SQLStatement<Self>(
        """
        DELETE FROM webhook_events WHERE webhook_id = :webhook_id AND position IN
            (SELECT position FROM webhook_events WHERE webhook_id = :webhook_id AND position <= $1
             ORDER BY position LIMIT $2)
        RETURNING state
        """)
}

/// One queue for each webhook and account with pending events. Its first event alone is sent, which keeps the order.
enum WebhookQueueTable: String, SQLLeasedTable {
    case tenant
    case webhookID = "webhook_id"
    case accountID = "account_id"
    /// The time of the next attempt, or the end of the lease.
    case dueAt = "due_at"
    /// When the queue began to wait for the next attempt.
    case pausedAt = "paused_at"
    case leaseHolder = "lease_holder"
    /// Leases so far. The number distinguishes successive leases.
    case leaseNumber = "lease_number"

    static let table = "webhook_queues"
    static let key = [webhookID, tenant, accountID]
    static let expiry = SQLExpiry<Self>.deletedBy("NotifierStore.recordOutcome")

    /// Writes the row that exists, too: another transaction that deletes the queue as empty must not commit beside this
    /// one. PostgreSQL does not see a row that `DO NOTHING` met.
    static let upsertion = insert(
        "ON CONFLICT (webhook_id, tenant, account_id) DO UPDATE SET lease_number = webhook_queues.lease_number")
    /// The argument: the previous webhook.
    static let nextWebhook = SQLStatement<Self>(
        "SELECT MIN(webhook_id) AS webhook_id FROM webhook_queues WHERE webhook_id > $1")
    static let leases = SQLLeases<Self>(by: [webhookID])
    /// A queue without a pending event.
    static let removalOfEmpty = SQLStatement<Self>(
        """
        DELETE FROM webhook_queues
        WHERE webhook_id = :webhook_id AND tenant = :tenant AND account_id = :account_id AND lease_holder IS NULL
            AND NOT EXISTS (SELECT 1 FROM webhook_events AS e WHERE e.webhook_id = webhook_queues.webhook_id
                AND e.tenant = webhook_queues.tenant AND e.account_id = webhook_queues.account_id
                AND e.state = 'pending')
        """)
    static let removalOfWebhook = delete(where: [webhookID])
}

// MARK: - Records and rows

extension Notifier.WebhookDelivery.State: SQLConvertible {}

extension QueuedEvent {
    /// The columns that an attempt changes.
    var state: SQLRecord<WebhookEventTable> {
        [
            .state: progress, .attempts: attempts, .refusals: refusals, .expiresAt: expiresAt,
            .lastAttemptAt: lastAttemptAt, .problem: problem?.text, .finishedAt: finishedAt,
        ]
    }

    var key: SQLRecord<WebhookEventTable> { [.webhookID: webhookID, .position: position] }

    /// The columns of a new event.
    var columns: SQLRecord<WebhookEventTable> {
        get throws {
            key + SQLRecord(event.realm) + state + [
                .eventID: event.id, .accountID: event.accountID?.rawValue ?? "", .acceptedAt: acceptedAt,
                .event: try WireJSON.text(event),
            ]
        }
    }

    init(_ row: SQLTableRow<WebhookEventTable>) throws {
        let problem: String? = try row.getIfPresent(.problem)
        self.init(
            webhookID: try row.get(.webhookID), position: try row.get(.position),
            event: try row.getJSON(.event),
            acceptedAt: try row.get(.acceptedAt), expiresAt: try row.get(.expiresAt), progress: try row.get(.state),
            attempts: try row.get(.attempts), refusals: try row.get(.refusals),
            lastAttemptAt: try row.getIfPresent(.lastAttemptAt),
            problem: problem.flatMap(DeliveryFailure.init(text:)), finishedAt: try row.getIfPresent(.finishedAt))
    }
}

extension WebhookQueue {
    var key: SQLRecord<WebhookQueueTable> {
        [.webhookID: webhookID, .tenant: tenantColumn, .accountID: accountColumn]
    }

    /// The queue of an event.
    init(_ event: QueuedEvent) {
        self.init(
            webhookID: event.webhookID, tenantColumn: event.event.realm.tenant?.rawValue ?? "",
            accountColumn: event.event.accountID?.rawValue ?? "")
    }

    init(_ row: SQLTableRow<WebhookQueueTable>) throws {
        self.init(
            webhookID: try row.get(.webhookID), tenantColumn: try row.get(.tenant),
            accountColumn: try row.get(.accountID))
    }
}
