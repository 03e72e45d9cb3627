import Contracts
import Crypto
import SQL
import Vocabulary

/// A message that this process may send now.
struct LeasedMessage: Sendable {
    var message: OutboxMessage
    var content: OutgoingMessage
}

/// A message as it comes in.
struct MessageSubmission: Sendable {
    var id: MessageID
    var content: OutgoingMessage
    var idempotencyKey: String
    /// Of the call's parameters: the same key with others is refused.
    var paramsDigest: [UInt8]
}

extension NotifierStore {
    /// Stores a message, or finds that it was stored before.
    /// - Returns: its id, and why it will not be sent, if so; nil in place of both for one that was here already.
    /// - Throws: `idempotencyKeyReused`.
    func accept(
        _ incoming: MessageSubmission, limits: EmailLimits, at now: Moment
    ) async throws -> (id: MessageID, accepted: OutboxMessage?) {
        let content = incoming.content
        let counts = limits.counts(of: content).map { ($0, digest(Array($0.scope.utf8))) }
        return try await write { transaction in
            if let earlier = try transaction.findByIdempotencyKey(incoming) { return (earlier, nil) }
            var limit: DeliveryFailure?
            for (count, digest) in counts {
                let isPassed = try transaction.count(digest, at: now) > count.bound
                if isPassed, limit == nil { limit = count.problem }
            }
            let message = OutboxMessage.accepted(incoming.id, content, suppressedFor: limit, at: now)
            try transaction.insert(message, incoming)
            if message.dueAt != nil {
                try transaction.enqueue(message, sealedRequest: try seal(content, of: incoming.id))
            }
            return (message.id, message)
        }
    }

    /// Whether something waits whose turn has come. What has expired does not: `expire` gives it up, which is not done on
    /// one look at a clock.
    func hasDueMessages(_ channel: Channel, at now: Moment) async throws -> Bool {
        try await read { transaction in
            var project = ""
            while let next = try transaction.project(of: channel, after: project) {
                project = next
                let row = try transaction.firstRow(
                    """
                    SELECT message_id FROM outbox
                    WHERE channel = $1 AND project = $2 AND expires_at > $3
                        AND (due_at <= $3 OR (due_at > $4 AND lease_holder IS NULL))
                    LIMIT 1
                    """, .text(channel.rawValue), .text(project), .integer(now.milliseconds),
                    .integer((now + Moment.longestPause).milliseconds))
                if row != nil { return true }
            }
            return false
        }
    }

    /// Takes messages whose turn has come: one of each project in turn, beginning behind the project that was served
    /// last, so that who sends much does not make others wait.
    /// - Parameter last: the project that was served last by this process; changed to the one of this time.
    func acquireLeases(
        _ channel: Channel, upTo count: Int, to holder: String, for duration: Duration, after last: ProjectID?,
        at now: Moment
    ) async throws -> (leased: [LeasedMessage], last: ProjectID?) {
        try await write { transaction in
            var leased: [LeasedMessage] = []
            var project = last?.rawValue ?? ""
            var emptyRounds = 0
            // The names in order are a ring. It ends when a whole round gave nothing.
            while leased.count < count, emptyRounds < 2 {
                guard let next = try transaction.project(of: channel, after: project) else {
                    project = ""
                    emptyRounds += 1
                    continue
                }
                project = next
                guard let row = try transaction.dueRow(of: channel, project, at: now) else { continue }
                var message = try OutboxMessage(row)
                let isLeased = message.acquireLease(to: holder, for: duration, at: now)
                try transaction.save(message)
                emptyRounds = 0
                guard isLeased else { continue }
                let sealed: [UInt8] = try row.get("sealed_request")
                do {
                    let content = try self.open(request: sealed, of: message)
                    leased.append(LeasedMessage(message: message, content: content))
                } catch CryptoError.authenticationFailed {
                    // The key is there: somebody has damaged this one row.
                    message.fail(DeliveryFailure(.unsendable), at: now)
                    try transaction.save(message)
                }
            }
            return (leased, leased.last?.message.realm.project ?? last)
        }
    }

    /// Stores what came of an attempt.
    /// - Returns: the message as it is now; nil if the lease was lost.
    func recordOutcome(
        _ lease: OutboxMessage, _ outcome: DeliveryOutcome, at now: Moment, jitter: Double
    ) async throws -> OutboxMessage? {
        try await write { transaction in
            guard let row = try transaction.outboxRow(lease.id) else {
                // The provider's receipt was here first.
                if case .sent(let receipt?) = outcome { try transaction.note(receipt, of: lease.id) }
                return nil
            }
            var message = try OutboxMessage(row)
            guard message.recordOutcome(outcome, of: lease, at: now, jitter: jitter) else { return nil }
            try transaction.save(message)
            if case .sent(let receipt?) = outcome { try transaction.note(receipt, of: message.id) }
            return message
        }
    }

    /// Notes what a provider says of a message. Said twice, it is the same; once delivered stays delivered.
    /// - Returns: the message, if it still was in the outbox: the answer to the call that sent it never came.
    func recordReceipt(_ statement: DeliveryReceiptVerifier.Receipt, at now: Moment) async throws -> OutboxMessage? {
        try await write { transaction in
            var confirmed: OutboxMessage?
            if let row = try transaction.outboxRow(statement.message) {
                var message = try OutboxMessage(row)
                guard message.channel == .sms else { return nil }
                message.recordAcceptance(statement.provider, at: now)
                try transaction.save(message)
                confirmed = message
            }
            try transaction.note(statement)
            return confirmed
        }
    }

    /// Makes due what processes that ended had leased.
    /// - Parameter isKnownDead: whether the process that wrote this as the holder has ended for certain.
    /// - Returns: how many messages.
    func releaseLeases(
        where isKnownDead: @Sendable @escaping (String) -> Bool, _ channel: Channel, at now: Moment
    ) async throws -> Int {
        try await write { transaction in
            let holders: [String] = try transaction.rows(
                "SELECT DISTINCT lease_holder FROM outbox WHERE channel = $1 AND lease_holder IS NOT NULL",
                .text(channel.rawValue)
            ).map { try $0.get("lease_holder") }
            var count = 0
            for holder in holders where isKnownDead(holder) {
                let rows = try transaction.rows(
                    "SELECT * FROM outbox WHERE lease_holder = $1 AND channel = $2", .text(holder),
                    .text(channel.rawValue))
                for row in rows {
                    var message = try OutboxMessage(row)
                    guard message.releaseLease(from: holder, at: now) else { continue }
                    try transaction.save(message)
                    count += 1
                }
            }
            return count
        }
    }

    /// How much waits, and since when the oldest does.
    func queueDepth(_ channel: Channel) async throws -> (count: Int, oldest: Moment?) {
        try await read { transaction in
            let row = try transaction.firstRow(
                "SELECT COUNT(*) AS count, MIN(accepted_at) AS oldest FROM outbox WHERE channel = $1",
                .text(channel.rawValue))
            let oldest: Int64? = try row?.getIfPresent("oldest")
            return (try row?.get("count") ?? 0, oldest.map(Moment.init(milliseconds:)))
        }
    }

    /// What became of the messages of a project, the latest first.
    func deliveries(of project: ProjectID, count: Int) async throws -> [Notifier.DeliveryRecord] {
        try await read { transaction in
            try transaction.rows(
                """
                SELECT messages.message_id, messages.project, messages.tenant, messages.purpose, masked_recipient,
                    messages.channel, messages.accepted_at, state, finished_at, price_micros, currency, receipt,
                    COALESCE(messages.provider, outbox.provider) AS provider,
                    COALESCE(outbox.attempts, messages.attempts) AS attempts,
                    COALESCE(outbox.problem, messages.problem) AS problem
                FROM messages LEFT JOIN outbox ON outbox.message_id = messages.message_id
                WHERE messages.project = $1 ORDER BY messages.accepted_at DESC LIMIT $2
                """, .text(project.rawValue), .integer(Int64(count))
            ).map(Notifier.DeliveryRecord.init)
        }
    }
}

// MARK: - Rows

extension SQLTransaction {
    fileprivate borrowing func findByIdempotencyKey(_ incoming: MessageSubmission) throws -> MessageID? {
        guard
            let row = try firstRow(
                "SELECT message_id, params_digest FROM messages WHERE idempotency_key = $1",
                .text(incoming.idempotencyKey))
        else { return nil }
        guard constantTimeEquals(try row.get("params_digest"), incoming.paramsDigest) else {
            throw NotifierError.idempotencyKeyReused
        }
        return MessageID(try row.get("message_id"))
    }

    /// Counts one more, whether it will be sent or not.
    fileprivate borrowing func count(_ scopeDigest: [UInt8], at now: Moment) throws -> Int {
        let row = try firstRow(
            """
            INSERT INTO send_counts (scope_digest, window_start, count) VALUES ($1, $2, 1)
            ON CONFLICT (scope_digest, window_start) DO UPDATE SET count = send_counts.count + 1
            RETURNING count
            """, .blob(scopeDigest), .integer(now.windowStart(of: EmailLimits.window).milliseconds))
        return try row?.get("count") ?? 0
    }

    fileprivate borrowing func insert(_ message: OutboxMessage, _ incoming: MessageSubmission) throws {
        let columns = message.columns
        try execute(
            """
            INSERT INTO messages (message_id, idempotency_key, params_digest, project, tenant, channel, purpose,
                masked_recipient, accepted_at, state, attempts, problem, finished_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
            """, .text(message.id.rawValue), .text(incoming.idempotencyKey), .blob(incoming.paramsDigest),
            .text(message.realm.project.rawValue), .text(message.realm.tenantColumn), .text(message.channel.rawValue),
            .text(message.purpose), .text(incoming.content.maskedRecipient),
            .integer(message.acceptedAt.milliseconds), .text(columns.state.rawValue),
            .integer(Int64(message.attempts)), SQLValue(message.problem?.text),
            SQLValue(columns.finishedAt?.milliseconds))
    }

    fileprivate borrowing func enqueue(_ message: OutboxMessage, sealedRequest: [UInt8]) throws {
        try execute(
            """
            INSERT INTO outbox (message_id, project, tenant, channel, purpose, accepted_at, expires_at, due_at,
                lease_holder, attempts, setbacks, problem, sealed_request)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
            """, .text(message.id.rawValue), .text(message.realm.project.rawValue), .text(message.realm.tenantColumn),
            .text(message.channel.rawValue), .text(message.purpose), .integer(message.acceptedAt.milliseconds),
            .integer(message.expiresAt.milliseconds),
            SQLValue(message.dueAt?.milliseconds), SQLValue(message.columns.leaseHolder),
            .integer(Int64(message.attempts)), .integer(Int64(message.failedAttempts)), SQLValue(message.problem?.text),
            .blob(sealedRequest))
    }

    /// The first project, in the order of names, that has something in the outbox.
    fileprivate borrowing func project(of channel: Channel, after project: String) throws -> String? {
        try firstRow(
            "SELECT MIN(project) AS project FROM outbox WHERE channel = $1 AND project > $2",
            .text(channel.rawValue), .text(project))?.getIfPresent("project")
    }

    fileprivate borrowing func dueRow(of channel: Channel, _ project: String, at now: Moment) throws -> SQLRow? {
        try firstRow(
            """
            SELECT * FROM outbox WHERE channel = $1 AND project = $2 AND expires_at > $3
                AND (due_at <= $3 OR (due_at > $4 AND lease_holder IS NULL))
            ORDER BY due_at LIMIT 1
            """, .text(channel.rawValue), .text(project), .integer(now.milliseconds),
            .integer((now + Moment.longestPause).milliseconds))
    }

    borrowing func outboxRow(_ id: MessageID) throws -> SQLRow? {
        try firstRow("SELECT * FROM outbox WHERE message_id = $1", .text(id.rawValue))
    }

    /// What is done with leaves the outbox, and what it said with it.
    borrowing func save(_ message: OutboxMessage) throws {
        guard let dueAt = message.dueAt else {
            try execute("DELETE FROM outbox WHERE message_id = $1", .text(message.id.rawValue))
            let columns = message.columns
            return try execute(
                """
                UPDATE messages SET state = $2, attempts = $3, problem = $4, finished_at = $5 WHERE message_id = $1
                """, .text(message.id.rawValue), .text(columns.state.rawValue), .integer(Int64(message.attempts)),
                SQLValue(message.problem?.text), SQLValue(columns.finishedAt?.milliseconds))
        }
        try execute(
            """
            UPDATE outbox SET due_at = $2, lease_holder = $3, attempts = $4, setbacks = $5, problem = $6, provider = $7
            WHERE message_id = $1
            """, .text(message.id.rawValue), .integer(dueAt.milliseconds), SQLValue(message.columns.leaseHolder),
            .integer(Int64(message.attempts)), .integer(Int64(message.failedAttempts)), SQLValue(message.problem?.text),
            SQLValue(message.provider))
    }
}

extension SQLTransaction {
    /// Who has the message, and for how much.
    borrowing func note(_ receipt: ProviderAcceptance, of id: MessageID) throws {
        try execute(
            """
            UPDATE messages SET provider = $2, price_micros = COALESCE(price_micros, $3),
                currency = COALESCE(currency, $4)
            WHERE message_id = $1 AND state = 'sent'
            """, .text(id.rawValue), .text(receipt.provider), SQLValue(receipt.price?.micros),
            SQLValue(receipt.price?.currency))
    }
}

extension SQLTransaction {
    fileprivate borrowing func note(_ statement: DeliveryReceiptVerifier.Receipt) throws {
        guard
            let row = try firstRow(
                "SELECT provider, price_micros, currency, receipt FROM messages WHERE message_id = $1 AND channel = $2",
                .text(statement.message.rawValue), .text(Channel.sms.rawValue))
        else { return }
        let provider: String? = try row.getIfPresent("provider")
        let micros: Int64? = try row.getIfPresent("price_micros")
        let currency: String? = try row.getIfPresent("currency")
        let receipt: String? = try row.getIfPresent("receipt")
        let isDelivered = receipt == Notifier.DeliveryRecord.Receipt.delivered.rawValue
        try execute(
            "UPDATE messages SET provider = $2, price_micros = $3, currency = $4, receipt = $5 WHERE message_id = $1",
            .text(statement.message.rawValue), .text(provider ?? statement.provider),
            SQLValue(statement.price?.micros ?? micros), SQLValue(statement.price?.currency ?? currency),
            SQLValue(isDelivered ? receipt : statement.receipt?.rawValue ?? receipt))
    }
}

extension OutboxMessage {
    fileprivate var columns: (state: Notifier.DeliveryRecord.State, leaseHolder: String?, finishedAt: Moment?) {
        switch state {
        case .queued: (.pending, nil, nil)
        case .leased(let holder, _): (.pending, holder, nil)
        case .sent(let at): (.sent, nil, at)
        case .failed(_, let at): (.failed, nil, at)
        case .suppressed(_, let at): (.suppressed, nil, at)
        }
    }

    /// A row of the outbox.
    init(_ row: SQLRow) throws {
        guard let channel = Channel(rawValue: try row.get("channel")) else { throw RowDecodingError() }
        let dueAt = Moment(milliseconds: try row.get("due_at"))
        let holder: String? = try row.getIfPresent("lease_holder")
        let problem: String? = try row.getIfPresent("problem")
        self.init(
            id: MessageID(try row.get("message_id")), realm: try Realm(row), channel: channel,
            purpose: try row.get("purpose"), acceptedAt: Moment(milliseconds: try row.get("accepted_at")),
            expiresAt: Moment(milliseconds: try row.get("expires_at")),
            state: holder.map { .leased(holder: $0, until: dueAt) } ?? .queued(dueAt: dueAt),
            attempts: try row.get("attempts"), failedAttempts: try row.get("setbacks"),
            problem: problem.flatMap(DeliveryFailure.init(text:)), provider: try row.getIfPresent("provider"))
    }
}

extension Notifier.DeliveryRecord {
    fileprivate init(_ row: SQLRow) throws {
        guard let state = State(rawValue: try row.get("state")) else { throw RowDecodingError() }
        let finishedAt: Int64? = try row.getIfPresent("finished_at")
        let receipt: String? = try row.getIfPresent("receipt")
        self.init(
            messageID: MessageID(try row.get("message_id")), realm: try Realm(row),
            channel: Channel(rawValue: try row.get("channel")), purpose: try row.get("purpose"),
            maskedRecipient: try row.get("masked_recipient"),
            acceptedAt: Moment(milliseconds: try row.get("accepted_at")), state: state,
            attempts: try row.get("attempts"), problem: try row.getIfPresent("problem"),
            finishedAt: finishedAt.map(Moment.init(milliseconds:)), provider: try row.getIfPresent("provider"),
            priceMicros: try row.getIfPresent("price_micros"), currency: try row.getIfPresent("currency"),
            receipt: receipt.flatMap(Receipt.init(rawValue:)))
    }
}
