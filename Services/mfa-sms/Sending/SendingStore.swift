import Contracts
import PhoneNumbers
import SQL
import Vocabulary

/// The counts, backoffs and prefixes that limit sending. Its methods run in a transaction of `SMSStore`, because a
/// session and its counts are stored together.
struct SendingStore: Sendable {
    let rules: SendingConfiguration

    /// Evaluates a message and counts it if it may be sent (security rule SM6 to SM8). Transactions are serializable:
    /// no two concurrent ones see the same counts, so no budget is exceeded. A limit that refuses a message leaves a
    /// row in `SendingEventTable`, one for its hour or day.
    /// - Returns: why it must not be sent; nil when it may.
    func admit(_ send: CountedSend, at now: Moment, in transaction: borrowing SQLTransaction) throws -> ServiceError? {
        var limiter = try loadLimiter(send, at: now, in: transaction)
        let before = limiter
        let hasAddress = rules.subject(of: .address, send) != nil
        switch limiter.admit(send, hasAddress: hasAddress, rules.policy, at: now) {
        case .admitted(let increment):
            try add(increment, of: send, at: now, in: transaction)
            if let backoff = limiter.resendBackoff {
                try transaction.execute(ResendBackoffTable.saving, backoff.record + backoffKey(of: send))
            }
            try save(limiter.prefix, of: send, in: transaction)
            return nil
        case .refused(let exceeded):
            if limiter.prefix.blockedUntil != before.prefix.blockedUntil {
                try save(limiter.prefix, of: send, in: transaction)
            }
            try record(exceeded, of: send, at: now, in: transaction)
            return exceeded.error
        }
    }

    /// Removes a message from the counts that could not be handed over.
    /// - Parameter admittedAt: when it was counted, which decides its hour and day.
    func refund(_ send: CountedSend, admittedAt: Moment, in transaction: borrowing SQLTransaction) throws {
        var limiter = try loadLimiter(send, at: admittedAt, in: transaction)
        let increment = limiter.refund(send, hasAddress: rules.subject(of: .address, send) != nil, rules.policy)
        for scope in increment.scopes {
            guard let key = countKey(scope, of: send, at: admittedAt) else { continue }
            try transaction.execute(SendingCountTable.refund, key + [.spentMicros: increment.priceMicros])
        }
        if let backoff = limiter.resendBackoff {
            try transaction.execute(ResendBackoffTable.saving, backoff.record + backoffKey(of: send))
        } else {
            try transaction.execute(ResendBackoffTable.removal, backoffKey(of: send))
        }
        try save(limiter.prefix, of: send, in: transaction)
    }

    /// Counts a verified code: the backoff of the number starts again, and the conversion of its prefix rises. Once for
    /// each message.
    func recordVerified(_ send: CountedSend, at now: Moment, in transaction: borrowing SQLTransaction) throws {
        try transaction.execute(ResendBackoffTable.removal, backoffKey(of: send))
        for scope in [SendingScope.number, .projectDay] {
            // A code of yesterday does not belong to a message of today.
            guard let key = countKey(scope, of: send, at: now) else { continue }
            try transaction.execute(SendingCountTable.verification, key)
        }
        guard var prefix = try loadPrefix(of: send, at: now, in: transaction) else { return }
        prefix.countVerified()
        try save(prefix, of: send, in: transaction)
    }

    /// The cost of a project and its blocked prefixes.
    func status(
        of project: ProjectID, at now: Moment, in transaction: borrowing SQLTransaction
    ) throws -> MFASMS.ReadSendingStatus.Reply {
        let hour = try count(.projectHour, of: project, at: now, in: transaction)
        let day = try count(.projectDay, of: project, at: now, in: transaction)
        let blocked = try transaction.rows(PrefixTable.blocked, [.project: project], now)
        return MFASMS.ReadSendingStatus.Reply(
            spentThisHourMicros: hour.spentMicros, spentThisDayMicros: day.spentMicros,
            budgetPerHourMicros: rules.policy.budget.inHour, budgetPerDayMicros: rules.policy.budget.inDay,
            sentThisDay: day.sent, verifiedThisDay: day.verified,
            blockedPrefixes: try blocked.map {
                .init(prefix: try $0.get(.prefix), blockedUntil: try $0.get(.blockedUntil))
            })
    }
}

// MARK: - Counts

extension SendingStore {
    /// Nil when the message does not count in the scope.
    private func countKey(
        _ scope: SendingScope, of send: CountedSend, at now: Moment
    ) -> SQLRecord<SendingCountTable>? {
        rules.subject(of: scope, send).map { subject in
            [
                .project: send.realm.project, .scope: scope, .subject: subject,
                .windowStart: scope.window(at: now).start,
            ]
        }
    }

    /// The count of a scope of the whole project.
    private func count(
        _ scope: SendingScope, of project: ProjectID, at now: Moment, in transaction: borrowing SQLTransaction
    ) throws -> SendingCount {
        try transaction.firstRow(
            SendingCountTable.byKey,
            [.project: project, .scope: scope, .subject: [UInt8](), .windowStart: scope.window(at: now).start]
        ).map(SendingCount.init) ?? SendingCount()
    }

    private func loadLimiter(
        _ send: CountedSend, at now: Moment, in transaction: borrowing SQLTransaction
    ) throws -> SendingLimiter {
        // Expired rows do not count, whether they are deleted or not.
        let backoff = try transaction.firstRow(
            ResendBackoffTable.byKey, backoffKey(of: send), now - ResendBackoff.memory)
        return SendingLimiter(
            resendBackoff: try backoff.map(ResendBackoff.init),
            counts: try loadCounts(of: send, at: now, in: transaction),
            prefix: try loadPrefix(of: send, at: now, in: transaction) ?? PrefixRecord(at: now))
    }

    private func loadCounts(
        of send: CountedSend, at now: Moment, in transaction: borrowing SQLTransaction
    ) throws -> [SendingScope: SendingCount] {
        let arguments = SendingScope.allCases.flatMap { scope -> [any SQLConvertible] in
            // No row has this subject: the message does not count in the scope.
            [rules.subject(of: scope, send) ?? [0], scope.window(at: now).start]
        }
        var counts: [SendingScope: SendingCount] = [:]
        for row in try transaction.rows(
            SendingCountTable.byScopes, [.project: send.realm.project], arguments: arguments)
        {
            counts[try row.get(.scope)] = try SendingCount(row)
        }
        return counts
    }

    /// Counts one message in every scope of `increment`.
    private func add(
        _ increment: SendingCountIncrement, of send: CountedSend, at now: Moment,
        in transaction: borrowing SQLTransaction
    ) throws {
        var arguments: [any SQLConvertible] = []
        var count = 0
        for scope in increment.scopes {
            guard let subject = rules.subject(of: scope, send) else { continue }
            let window = scope.window(at: now)
            arguments += [scope, subject, window.start, window.end] as [any SQLConvertible]
            count += 1
        }
        guard let statement = SendingCountTable.increments[count] else { return }
        try transaction.execute(
            statement, [.project: send.realm.project, .spentMicros: increment.priceMicros], arguments: arguments)
    }
}

// MARK: - Backoffs, prefixes and events

extension SendingStore {
    private func backoffKey(of send: CountedSend) -> SQLRecord<ResendBackoffTable> {
        [.project: send.realm.project, .numberDigest: rules.digest(numberOf: send)]
    }

    private func prefixKey(of send: CountedSend) -> SQLRecord<PrefixTable> {
        [.project: send.realm.project, .prefix: NumberPrefix(send.number.number).prefix]
    }

    private func loadPrefix(
        of send: CountedSend, at now: Moment, in transaction: borrowing SQLTransaction
    ) throws -> PrefixRecord? {
        try transaction.firstRow(PrefixTable.byKey, prefixKey(of: send), now - PrefixRecord.memory)
            .map(PrefixRecord.init)
    }

    private func save(
        _ prefix: PrefixRecord, of send: CountedSend, in transaction: borrowing SQLTransaction
    ) throws {
        try transaction.execute(PrefixTable.saving, prefix.record + prefixKey(of: send))
    }

    private func record(
        _ exceeded: ExceededLimit, of send: CountedSend, at now: Moment, in transaction: borrowing SQLTransaction
    ) throws {
        let scope: SendingScope
        switch exceeded.reason {
        // The user requested the code twice.
        case .resendBackoff: return
        case .number: scope = .number
        case .account: scope = .account
        case .address: scope = .address
        case .prefix, .conversion: scope = .prefixHour
        case .budget, .newPrefixes: scope = .projectHour
        }
        try transaction.execute(
            SendingEventTable.insertion,
            SQLRecord(send.realm) + [
                .reason: exceeded.reason, .subject: rules.subject(of: scope, send) ?? [], .untilAt: exceeded.until,
                .happenedAt: now, .purpose: send.purpose, .region: send.number.region,
                .prefix: NumberPrefix(send.number.number).prefix, .ipAddress: send.ipAddress,
            ])
    }
}
