import Contracts
import Delivery
import SQL
import Vocabulary

/// The tables of the notifier.
enum NotifierTables {
    static let all: [any SQLTableDescription.Type] = [
        MessageTable.self, OutboxTable.self, SendCountTable.self, InboxTable.self,
        WebhookTable.self, WebhookPositionTable.self, WebhookEventTable.self, WebhookQueueTable.self,
        APNsKeyTable.self, NotifierChangeTable.self,
    ]
}

/// The history of accepted messages, without their content.
enum MessageTable: String, SQLRealmTable {
    case project, tenant, channel, purpose, state, attempts, problem, provider, currency, receipt
    case messageID = "message_id"
    case idempotencyKey = "idempotency_key"
    case paramsDigest = "params_digest"
    case maskedRecipient = "masked_recipient"
    case acceptedAt = "accepted_at"
    case finishedAt = "finished_at"
    case priceMicros = "price_micros"

    static let table = "messages"
    static let key = [messageID]
    static let expiry = SQLExpiry.afterRetention(Self.finishedAt)

    static let insertion = insert()
    static let byIdempotencyKey = select([messageID, paramsDigest], where: [idempotencyKey])
    static let finish = update([state, attempts, problem, finishedAt])
    static let acceptance = SQLStatement<Self>(
        """
        UPDATE messages SET provider = :provider, price_micros = COALESCE(price_micros, :price_micros),
            currency = COALESCE(currency, :currency)
        WHERE message_id = :message_id AND state = 'sent'
        """)
    static let receiptOfChannel = select([provider, priceMicros, currency, receipt], where: [messageID, channel])
    static let receiptUpdate = update([provider, priceMicros, currency, receipt])
    /// The state in the outbox is newer.
    static let deliveries = SQLStatement<Self>(
        """
        SELECT messages.message_id, messages.project, messages.tenant, messages.purpose, masked_recipient,
            messages.channel, messages.accepted_at, state, finished_at, price_micros, currency, receipt,
            COALESCE(messages.provider, outbox.provider) AS provider,
            COALESCE(outbox.attempts, messages.attempts) AS attempts,
            COALESCE(outbox.problem, messages.problem) AS problem
        FROM messages LEFT JOIN outbox ON outbox.message_id = messages.message_id
        WHERE messages.project = :project ORDER BY messages.accepted_at DESC LIMIT $1
        """)
}

/// The messages that are neither delivered nor failed, with their content.
enum OutboxTable: String, SQLRealmTable, SQLLeasedTable {
    case project, tenant, channel, purpose, attempts, problem, provider, traceparent
    case messageID = "message_id"
    case acceptedAt = "accepted_at"
    case expiresAt = "expires_at"
    /// The time of the next attempt, or the end of the lease.
    case dueAt = "due_at"
    /// When the message began to wait for the next attempt.
    case pausedAt = "paused_at"
    case leaseHolder = "lease_holder"
    case failedAttempts = "setbacks"
    case sealedRequest = "sealed_request"

    static let table = "outbox"
    static let key = [messageID]
    static let expiry = SQLExpiry<Self>.deletedBy("NotifierStore.expire")
    static let leaseNumber = Self.attempts
    static let leasableUntil: Self? = .expiresAt

    static let insertion = insert()
    static let byKey = select()
    static let saving = update([dueAt, pausedAt, leaseHolder, attempts, failedAttempts, problem, provider])
    static let removal = delete()
    static let leases = SQLLeases<Self>(by: [channel, project])
    static let expired = select(where: [], "WHERE expires_at <= $1 AND due_at <= $1 LIMIT $2")
    static let backlog = SQLStatement<Self>(
        "SELECT COUNT(*) AS count, MIN(accepted_at) AS oldest FROM outbox WHERE channel = :channel")
    /// The argument: the previous project.
    static let nextProject = SQLStatement<Self>(
        "SELECT MIN(project) AS project FROM outbox WHERE channel = :channel AND project > $1")
}

/// The number of e-mails to a recipient or from a project in a window.
enum SendCountTable: String, SQLTableDescription {
    case count
    case scopeDigest = "scope_digest"
    case windowStart = "window_start"

    static let table = "send_counts"
    static let key = [scopeDigest, windowStart]
    static let expiry = SQLExpiry.after(Self.windowStart, lifetime: EmailLimits.window * 2)

    static let increment = insert(
        "ON CONFLICT (scope_digest, window_start) DO UPDATE SET count = send_counts.count + 1 RETURNING count")
}

/// The inbox of dev mode.
enum InboxTable: String, SQLRealmTable {
    case project, tenant
    case messageID = "message_id"
    case recipientDigest = "recipient_digest"
    case receivedAt = "received_at"
    case sealedMessage = "sealed_message"

    static let table = "inbox"
    static let key = [messageID]
    static let expiry = SQLExpiry.afterRetention(Self.receivedAt)

    static let insertion = insert("ON CONFLICT (message_id) DO NOTHING")
    private static let byAge = "ORDER BY received_at DESC, message_id DESC LIMIT $1"
    static let latest = select([messageID, sealedMessage], where: [], byAge)
    static let latestOfRecipient = select([messageID, sealedMessage], where: [recipientDigest], byAge)
    /// The argument: the size of the inbox.
    static let surplusRemoval = delete(
        where: [], "WHERE message_id NOT IN (SELECT message_id FROM inbox \(byAge))")
}

// MARK: - Records and rows

extension Channel: SQLConvertible {}
extension Notifier.DeliveryRecord.State: SQLConvertible {}

extension OutboxMessage {
    private var leaseHolder: String? {
        if case .leased(let holder, _) = state { holder } else { nil }
    }

    /// The outbox columns that change.
    var outboxState: SQLRecord<OutboxTable> {
        [
            .dueAt: dueAt, .pausedAt: pausedAt, .leaseHolder: leaseHolder, .attempts: attempts,
            .failedAttempts: failedAttempts, .problem: problem?.text, .provider: provider,
        ]
    }

    /// The history columns that change when the message ends.
    var messageState: SQLRecord<MessageTable> {
        let (state, finishedAt): (Notifier.DeliveryRecord.State, Moment?) =
            switch self.state {
            case .queued, .leased: (.pending, nil)
            case .sent(let at): (.sent, at)
            case .failed(_, let at): (.failed, at)
            case .suppressed(_, let at): (.suppressed, at)
            }
        return [.state: state, .attempts: attempts, .problem: problem?.text, .finishedAt: finishedAt]
    }

    init(_ row: SQLTableRow<OutboxTable>) throws {
        let dueAt: Moment = try row.get(.dueAt)
        let holder: String? = try row.getIfPresent(.leaseHolder)
        let problem: String? = try row.getIfPresent(.problem)
        self.init(
            id: try row.get(.messageID), realm: try row.realm(), channel: try row.get(.channel),
            purpose: try row.get(.purpose), acceptedAt: try row.get(.acceptedAt), expiresAt: try row.get(.expiresAt),
            trace: (try row.getIfPresent(.traceparent)).flatMap { TraceContext(traceparent: $0) },
            state: holder.map { .leased(holder: $0, until: dueAt) } ?? .queued(dueAt: dueAt),
            pausedAt: try row.get(.pausedAt),
            attempts: try row.get(.attempts), failedAttempts: try row.get(.failedAttempts),
            problem: problem.flatMap(DeliveryFailure.init(text:)), provider: try row.getIfPresent(.provider))
    }
}

extension Notifier.DeliveryRecord {
    init(_ row: SQLTableRow<MessageTable>) throws {
        let receipt: String? = try row.getIfPresent(.receipt)
        self.init(
            messageID: try row.get(.messageID), realm: try row.realm(),
            channel: Channel(rawValue: try row.get(.channel)), purpose: try row.get(.purpose),
            maskedRecipient: try row.get(.maskedRecipient), acceptedAt: try row.get(.acceptedAt),
            state: try row.get(.state), attempts: try row.get(.attempts), problem: try row.getIfPresent(.problem),
            finishedAt: try row.getIfPresent(.finishedAt), provider: try row.getIfPresent(.provider),
            priceMicros: try row.getIfPresent(.priceMicros), currency: try row.getIfPresent(.currency),
            receipt: receipt.flatMap(Receipt.init(rawValue:)))
    }
}
