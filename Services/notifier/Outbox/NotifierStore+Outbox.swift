import Contracts
import Crypto
import Delivery
import SQL
import Vocabulary

/// A message that is leased to this process.
struct LeasedMessage: Sendable {
    var message: OutboxMessage
    var content: OutgoingMessage
}

/// A new message.
struct MessageSubmission: Sendable {
    var id: MessageID
    var content: OutgoingMessage
    var idempotencyKey: String
    /// The digest of the call's parameters: the same key with other parameters is refused.
    var paramsDigest: [UInt8]
    /// The request that it belongs to; nil if that is unknown.
    var trace: TraceContext?
}

extension NotifierStore {
    /// Inserts a message, or finds it by its idempotency key.
    /// - Returns: the id, and the reason if it will not be sent; nil in place of both for a message that already
    ///   existed.
    /// - Throws: `idempotencyKeyReused`.
    func accept(
        _ incoming: MessageSubmission, limits: EmailLimits, at now: Moment
    ) async throws -> (id: MessageID, accepted: OutboxMessage?) {
        let content = incoming.content
        let counts = limits.counts(of: content).map { ($0, digest(Array($0.scope.utf8))) }
        return try await database.write { transaction in
            if let existing = try transaction.findByIdempotencyKey(incoming) { return (existing, nil) }
            var limit: DeliveryFailure?
            for (count, digest) in counts {
                let isPassed = try transaction.count(digest, at: now) > count.bound
                if isPassed, limit == nil { limit = count.problem }
            }
            let message = OutboxMessage.accepted(
                incoming.id, content, suppressedFor: limit, trace: incoming.trace, at: now)
            try transaction.insert(message, incoming)
            if message.dueAt != nil {
                try transaction.enqueue(message, sealedRequest: try self.seal(content, of: incoming.id))
            }
            return (message.id, message)
        }
    }

    /// Whether a message is due. Expired messages do not count: `expire` ends them, and it does not rely on a single
    /// reading of the clock.
    func hasDueMessages(_ channel: Channel, at now: Moment) async throws -> Bool {
        try await database.read { transaction in
            var project = ""
            while let next = try transaction.project(of: channel, after: project) {
                project = next
                let group: SQLRecord<OutboxTable> = [.channel: channel, .project: project]
                if try OutboxTable.leases.hasDueRow(of: group, at: now, transaction) { return true }
            }
            return false
        }
    }

    /// Leases due messages: one of each project in turn, starting after the last served project, so that a project with
    /// many messages does not delay others.
    /// - Parameter last: the project that this process served last.
    func acquireLeases(
        _ channel: Channel, upTo count: Int, to holder: String, for duration: Duration, after last: ProjectID?,
        at now: Moment
    ) async throws -> (leased: [LeasedMessage], last: ProjectID?) {
        try await database.write { transaction in
            var leased: [LeasedMessage] = []
            var project = last?.rawValue ?? ""
            var emptyRounds = 0
            // The projects in name order form a ring. The loop ends after a round without messages.
            while leased.count < count, emptyRounds < 2 {
                guard let next = try transaction.project(of: channel, after: project) else {
                    project = ""
                    emptyRounds += 1
                    continue
                }
                project = next
                let rows = try OutboxTable.leases.acquire(
                    upTo: 1, of: [.channel: channel, .project: project], to: holder, for: duration, at: now,
                    transaction)
                guard let row = rows.first else { continue }
                emptyRounds = 0
                var message = try OutboxMessage(row)
                let sealed: [UInt8] = try row.get(.sealedRequest)
                do {
                    let content = try self.open(request: sealed, of: message)
                    leased.append(LeasedMessage(message: message, content: content))
                } catch CryptoError.authenticationFailed {
                    // The master key is available, so this row is damaged.
                    message.fail(DeliveryFailure(.unsendable), at: now)
                    try transaction.save(message)
                }
            }
            return (leased, leased.last?.message.realm.project ?? last)
        }
    }

    /// Stores the outcome of an attempt.
    /// - Returns: the updated message; nil if the lease was lost.
    func recordOutcome(
        _ lease: OutboxMessage, _ outcome: DeliveryOutcome, at now: Moment, jitter: Double
    ) async throws -> OutboxMessage? {
        try await database.write { transaction in
            guard let row = try transaction.outboxRow(lease.id) else {
                // The provider's receipt arrived first.
                if case .sent(let receipt?) = outcome { try transaction.record(receipt, of: lease.id) }
                return nil
            }
            var message = try OutboxMessage(row)
            guard message.recordOutcome(outcome, of: lease, at: now, jitter: jitter) else { return nil }
            try transaction.save(message)
            if case .sent(let receipt?) = outcome { try transaction.record(receipt, of: message.id) }
            return message
        }
    }

    /// Records a provider's receipt. It is idempotent, and a delivered message stays delivered.
    /// - Returns: the message, if it was still in the outbox: the response to the sending call never arrived.
    func recordReceipt(_ receipt: DeliveryReceiptVerifier.Receipt, at now: Moment) async throws -> OutboxMessage? {
        try await database.write { transaction in
            var confirmed: OutboxMessage?
            if let row = try transaction.outboxRow(receipt.message) {
                var message = try OutboxMessage(row)
                guard message.channel == .sms else { return nil }
                message.recordAcceptance(receipt.provider, at: now)
                try transaction.save(message)
                confirmed = message
            }
            try transaction.record(receipt)
            return confirmed
        }
    }

    /// Releases the leases of ended processes.
    /// - Returns: the number of messages.
    func releaseLeases(
        ofEndedProcesses hasEnded: @escaping @Sendable (String) -> Bool, at now: Moment
    ) async throws -> Int {
        try await database.write { transaction in
            try OutboxTable.leases.release(ofEndedProcesses: hasEnded, at: now, transaction)
        }
    }

    /// The number of waiting messages, and the time of the oldest.
    func queueDepth(_ channel: Channel) async throws -> Backlog {
        try await database.read { transaction in
            try Backlog(transaction.firstRow(OutboxTable.backlog, [.channel: channel]))
        }
    }

    /// The deliveries of a project, the latest first.
    func deliveries(of project: ProjectID, limit: Int) async throws -> [Notifier.DeliveryRecord] {
        try await database.read { transaction in
            try transaction.rows(MessageTable.deliveries, [.project: project], limit)
                .map(Notifier.DeliveryRecord.init)
        }
    }
}

// MARK: - Rows

extension SQLTransaction {
    fileprivate func findByIdempotencyKey(_ incoming: MessageSubmission) throws -> MessageID? {
        guard
            let row = try firstRow(MessageTable.byIdempotencyKey, [.idempotencyKey: incoming.idempotencyKey])
        else { return nil }
        guard constantTimeEquals(try row.get(.paramsDigest), incoming.paramsDigest) else {
            throw ServiceError(.idempotencyKeyReused)
        }
        return try row.get(.messageID)
    }

    /// Increments a count, whether the message will be sent or not.
    fileprivate func count(_ scopeDigest: [UInt8], at now: Moment) throws -> Int {
        let windowStart = now.windowStart(of: EmailLimits.window)
        return try firstRow(
            SendCountTable.increment, [.scopeDigest: scopeDigest, .windowStart: windowStart, .count: 1])?
            .get(.count) ?? 0
    }

    fileprivate func insert(_ message: OutboxMessage, _ incoming: MessageSubmission) throws {
        try execute(
            MessageTable.insertion,
            SQLRecord(message.realm) + message.messageState + [
                .messageID: message.id, .idempotencyKey: incoming.idempotencyKey,
                .paramsDigest: incoming.paramsDigest, .channel: message.channel, .purpose: message.purpose,
                .maskedRecipient: incoming.content.maskedRecipient, .acceptedAt: message.acceptedAt, .provider: nil,
                .priceMicros: nil, .currency: nil, .receipt: nil,
            ])
    }

    fileprivate func enqueue(_ message: OutboxMessage, sealedRequest: [UInt8]) throws {
        try execute(
            OutboxTable.insertion,
            SQLRecord(message.realm) + message.outboxState + [
                .messageID: message.id, .channel: message.channel, .purpose: message.purpose,
                .acceptedAt: message.acceptedAt, .expiresAt: message.expiresAt, .sealedRequest: sealedRequest,
                .traceparent: message.trace?.traceparent,
            ])
    }

    /// The first project after `project`, in name order, with messages in the outbox.
    fileprivate func project(of channel: Channel, after project: String) throws -> String? {
        try firstRow(OutboxTable.nextProject, [.channel: channel], project)?.getIfPresent(.project)
    }

    func outboxRow(_ id: MessageID) throws -> SQLTableRow<OutboxTable>? {
        try firstRow(OutboxTable.byKey, [.messageID: id])
    }

    /// A finished message leaves the outbox, and its content is deleted.
    func save(_ message: OutboxMessage) throws {
        if message.dueAt == nil {
            try execute(OutboxTable.removal, [.messageID: message.id])
            try execute(MessageTable.finish, message.messageState + [.messageID: message.id])
        } else {
            try execute(OutboxTable.saving, message.outboxState + [.messageID: message.id])
        }
    }

    /// Records the provider that accepted the message, and the price.
    func record(_ acceptance: ProviderAcceptance, of id: MessageID) throws {
        try execute(
            MessageTable.acceptance,
            [
                .messageID: id, .provider: acceptance.provider, .priceMicros: acceptance.price?.micros,
                .currency: acceptance.price?.currency,
            ])
    }

    fileprivate func record(_ receipt: DeliveryReceiptVerifier.Receipt) throws {
        guard
            let row = try firstRow(
                MessageTable.receiptOfChannel, [.messageID: receipt.message, .channel: Channel.sms])
        else { return }
        let provider: String? = try row.getIfPresent(.provider)
        let micros: Int64? = try row.getIfPresent(.priceMicros)
        let currency: String? = try row.getIfPresent(.currency)
        let stored: String? = try row.getIfPresent(.receipt)
        let isDelivered = stored == Notifier.DeliveryRecord.Receipt.delivered.rawValue
        try execute(
            MessageTable.receiptUpdate,
            [
                .messageID: receipt.message, .provider: provider ?? receipt.provider,
                .priceMicros: receipt.price?.micros ?? micros, .currency: receipt.price?.currency ?? currency,
                .receipt: isDelivered ? stored : receipt.receipt?.rawValue ?? stored,
            ])
    }
}
