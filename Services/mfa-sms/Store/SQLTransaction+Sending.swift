import Contracts
import PhoneNumbers
import SQL
import Vocabulary

extension SQLTransaction {
    /// Decides on a message and counts it if it is to be sent (security rule SM6 to SM8). Transactions are
    /// serializable: no two concurrent ones see the same counts, so no budget is exceeded. An exceeded limit inserts a
    /// row into `sending_events`, one per hour or day.
    /// - Returns: the error that forbids the message; nil: send it.
    borrowing func admit(_ send: SendAttempt, _ rules: SendingConfiguration, at now: Moment) throws -> SMSError? {
        var limiter = try loadSendingLimiter(send, rules, at: now)
        let before = limiter
        let hasAddress = rules.subject(of: .address, send) != nil
        switch limiter.admit(send, hasAddress: hasAddress, rules.policy, at: now) {
        case .admitted(let entry):
            try add(entry, of: send, rules, at: now)
            if let resendBackoff = limiter.resendBackoff { try save(resendBackoff, of: send, rules) }
            try save(limiter.range, of: send)
            return nil
        case .refused(let exceeded):
            if limiter.range.blockedUntil != before.range.blockedUntil { try save(limiter.range, of: send) }
            try note(exceeded, of: send, rules, at: now)
            return exceeded.error
        }
    }

    /// Refunds a counted message that could not be passed on.
    /// - Parameter admittedAt: determines the hour and the day of the count.
    borrowing func refund(_ send: SendAttempt, _ rules: SendingConfiguration, at admittedAt: Moment) throws {
        var limiter = try loadSendingLimiter(send, rules, at: admittedAt)
        let entry = limiter.refund(send, hasAddress: rules.subject(of: .address, send) != nil, rules.policy)
        for scope in entry.scopes {
            guard let subject = rules.subject(of: scope, send) else { continue }
            try execute(
                """
                UPDATE sending_counts SET sent = sent - 1, spent_micros = spent_micros - $5
                WHERE project = $1 AND scope = $2 AND subject = $3 AND window_start = $4
                    AND sent > verified AND spent_micros >= $5
                """, .text(send.realm.project.rawValue), .text(scope.rawValue), .blob(subject),
                .integer(scope.window(at: admittedAt).start.milliseconds), .integer(entry.priceMicros))
        }
        if let resendBackoff = limiter.resendBackoff {
            try save(resendBackoff, of: send, rules)
        } else {
            try deleteResendBackoff(of: send, rules)
        }
        try save(limiter.range, of: send)
    }

    /// Records a verified code: deletes the resend backoff of the number, and improves the conversion of its prefix.
    /// Call it once per message.
    borrowing func recordVerified(_ send: SendAttempt, _ rules: SendingConfiguration, at now: Moment) throws {
        try deleteResendBackoff(of: send, rules)
        for scope in [SendingScope.number, .projectDay] {
            guard let subject = rules.subject(of: scope, send) else { continue }
            // A message of yesterday is not in today's count.
            try execute(
                """
                UPDATE sending_counts SET verified = verified + 1
                WHERE project = $1 AND scope = $2 AND subject = $3 AND window_start = $4 AND verified < sent
                """, .text(send.realm.project.rawValue), .text(scope.rawValue), .blob(subject),
                .integer(scope.window(at: now).start.milliseconds))
        }
        guard var range = try loadPrefix(of: send, at: now) else { return }
        range.countVerified()
        try save(range, of: send)
    }

    /// The sent messages of a project and the limits in effect.
    borrowing func readSendingStatus(
        _ project: ProjectID, _ rules: SendingConfiguration, at now: Moment
    ) throws -> MFASMS.ReadSendingStatus.Reply {
        func count(_ scope: SendingScope) throws -> SendingCount {
            try firstRow(
                """
                SELECT sent, verified, spent_micros FROM sending_counts
                WHERE project = $1 AND scope = $2 AND subject = $3 AND window_start = $4
                """, .text(project.rawValue), .text(scope.rawValue), .blob([]),
                .integer(scope.window(at: now).start.milliseconds)
            ).map(SendingCount.init) ?? SendingCount()
        }
        let (hour, day) = (try count(.projectHour), try count(.projectDay))
        let closed = try rows(
            """
            SELECT prefix, closed_until FROM sending_ranges WHERE project = $1 AND closed_until > $2
            ORDER BY closed_until DESC LIMIT 1000
            """, .text(project.rawValue), .integer(now.milliseconds))
        return MFASMS.ReadSendingStatus.Reply(
            spentThisHourMicros: hour.spentMicros, spentThisDayMicros: day.spentMicros,
            budgetPerHourMicros: rules.policy.budget.inHour, budgetPerDayMicros: rules.policy.budget.inDay,
            sentThisDay: day.sent, verifiedThisDay: day.verified,
            closedPrefixes: try closed.map {
                .init(prefix: try $0.get("prefix"), until: Moment(milliseconds: try $0.get("closed_until")))
            })
    }
}

// MARK: - Rows

extension SQLTransaction {
    private borrowing func loadSendingLimiter(
        _ send: SendAttempt, _ rules: SendingConfiguration, at now: Moment
    ) throws -> SendingLimiter {
        SendingLimiter(
            resendBackoff: try loadResendBackoff(of: send, rules, at: now),
            counts: try loadCounts(of: send, rules, at: now),
            range: try loadPrefix(of: send, at: now) ?? PrefixRecord(at: now))
    }

    private static let countQuery = {
        let keys = SendingScope.allCases.enumerated().map { index, scope in
            "(scope = '\(scope.rawValue)' AND subject = $\(2 + 2 * index) AND window_start = $\(3 + 2 * index))"
        }
        return """
            SELECT scope, sent, verified, spent_micros FROM sending_counts
            WHERE project = $1 AND (\(keys.joined(separator: " OR ")))
            """
    }()

    /// One query: separate queries would cost a round trip each.
    private borrowing func loadCounts(
        of send: SendAttempt, _ rules: SendingConfiguration, at now: Moment
    ) throws -> [SendingScope: SendingCount] {
        let parameters = SendingScope.allCases.flatMap { scope -> [SQLValue] in
            // A scope that does not apply uses a subject without rows.
            let subject = rules.subject(of: scope, send) ?? [0]
            return [.blob(subject), .integer(scope.window(at: now).start.milliseconds)]
        }
        var counts: [SendingScope: SendingCount] = [:]
        for row in try rows(
            Self.countQuery, parameters: [.text(send.realm.project.rawValue)] + parameters)
        {
            guard let scope = SendingScope(rawValue: try row.get("scope")) else { continue }
            counts[scope] = try SendingCount(row)
        }
        return counts
    }

    /// Adds one message to all its counts.
    private borrowing func add(
        _ entry: SendingCountIncrement, of send: SendAttempt, _ rules: SendingConfiguration, at now: Moment
    ) throws {
        var parameters: [SQLValue] = [.text(send.realm.project.rawValue), .integer(entry.priceMicros)]
        var groups: [String] = []
        for scope in entry.scopes {
            guard let subject = rules.subject(of: scope, send) else { continue }
            let window = scope.window(at: now)
            let next = parameters.count + 1
            groups.append("($1, '\(scope.rawValue)', $\(next), $\(next + 1), $\(next + 2), 1, 0, $2)")
            parameters += [
                .blob(subject), .integer(window.start.milliseconds), .integer(window.end.milliseconds),
            ]
        }
        try execute(
            """
            INSERT INTO sending_counts (project, scope, subject, window_start, window_end, sent, verified, spent_micros)
            VALUES \(groups.joined(separator: ", "))
            ON CONFLICT (project, scope, subject, window_start) DO UPDATE SET
                sent = sending_counts.sent + 1, spent_micros = sending_counts.spent_micros + excluded.spent_micros
            """, parameters: parameters)
    }

    private borrowing func loadResendBackoff(
        of send: SendAttempt, _ rules: SendingConfiguration, at now: Moment
    ) throws -> ResendBackoff? {
        // Expired rows are ignored even before the sweeper deletes them.
        let oldest = now + (.zero - ResendBackoff.memory)
        return try firstRow(
            """
            SELECT messages, last_at, previous_at FROM sending_ladders
            WHERE project = $1 AND number_digest = $2 AND last_at > $3
            """, .text(send.realm.project.rawValue), .blob(rules.digest(numberOf: send)),
            .integer(oldest.milliseconds)
        ).map(ResendBackoff.init)
    }

    private borrowing func save(_ resendBackoff: ResendBackoff, of send: SendAttempt, _ rules: SendingConfiguration)
        throws
    {
        try execute(
            """
            INSERT INTO sending_ladders (project, number_digest, messages, last_at, previous_at)
            VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (project, number_digest) DO UPDATE SET
                messages = excluded.messages, last_at = excluded.last_at, previous_at = excluded.previous_at
            """, .text(send.realm.project.rawValue), .blob(rules.digest(numberOf: send)),
            .integer(Int64(resendBackoff.messages)), .integer(resendBackoff.lastAt.milliseconds),
            SQLValue(resendBackoff.previousAt?.milliseconds))
    }

    private borrowing func deleteResendBackoff(of send: SendAttempt, _ rules: SendingConfiguration) throws {
        try execute(
            "DELETE FROM sending_ladders WHERE project = $1 AND number_digest = $2",
            .text(send.realm.project.rawValue), .blob(rules.digest(numberOf: send)))
    }

    private borrowing func loadPrefix(of send: SendAttempt, at now: Moment) throws -> PrefixRecord? {
        let oldest = now + (.zero - PrefixRecord.memory)
        return try firstRow(
            "SELECT * FROM sending_ranges WHERE project = $1 AND prefix = $2 AND last_sent_at > $3",
            .text(send.realm.project.rawValue), .text(NumberPrefix(send.number.number).prefix),
            .integer(oldest.milliseconds)
        ).map(PrefixRecord.init)
    }

    private borrowing func save(_ range: PrefixRecord, of send: SendAttempt) throws {
        try execute(
            """
            INSERT INTO sending_ranges (project, prefix, sent, verified, settled, marked, marked_at, last_sent_at,
                closed_until, closings)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            ON CONFLICT (project, prefix) DO UPDATE SET
                sent = excluded.sent, verified = excluded.verified, settled = excluded.settled,
                marked = excluded.marked, marked_at = excluded.marked_at, last_sent_at = excluded.last_sent_at,
                closed_until = excluded.closed_until, closings = excluded.closings
            """, .text(send.realm.project.rawValue), .text(NumberPrefix(send.number.number).prefix),
            .integer(Int64(range.sent)), .integer(Int64(range.verified)), .integer(Int64(range.maturedCount)),
            .integer(Int64(range.checkpointSent)), .integer(range.checkpointAt.milliseconds),
            .integer(range.lastSentAt.milliseconds), SQLValue(range.blockedUntil?.milliseconds),
            .integer(Int64(range.blockCount)))
    }

    private borrowing func note(
        _ exceeded: ExceededLimit, of send: SendAttempt, _ rules: SendingConfiguration, at now: Moment
    ) throws {
        let scope: SendingScope
        switch exceeded.reason {
        // Usually a repeated button press, so it is not an event.
        case .resendBackoff: return
        case .number: scope = .number
        case .account: scope = .account
        case .address: scope = .address
        case .prefix, .conversion: scope = .prefixHour
        case .budget, .newPrefixes: scope = .projectHour
        }
        try execute(
            """
            INSERT INTO sending_events (project, tenant, reason, subject, until_at, happened_at, purpose, region, prefix,
                ip_address)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING
            """, .text(send.realm.project.rawValue), .text(send.realm.tenant?.rawValue ?? ""),
            .text(exceeded.reason.rawValue), .blob(rules.subject(of: scope, send) ?? []),
            .integer(exceeded.until.milliseconds), .integer(now.milliseconds), .text(send.purpose.rawValue),
            SQLValue(send.number.region), .text(NumberPrefix(send.number.number).prefix), SQLValue(send.ipAddress))
    }
}

extension SendingCount {
    fileprivate init(_ row: SQLRow) throws {
        self.init(
            sent: try row.get("sent"), verified: try row.get("verified"), spentMicros: try row.get("spent_micros"))
    }
}

extension ResendBackoff {
    fileprivate init(_ row: SQLRow) throws {
        let previous: Int64? = try row.getIfPresent("previous_at")
        self.init(
            messages: try row.get("messages"), lastAt: Moment(milliseconds: try row.get("last_at")),
            previousAt: previous.map(Moment.init(milliseconds:)))
    }
}

extension PrefixRecord {
    fileprivate init(_ row: SQLRow) throws {
        self.init(at: Moment(milliseconds: try row.get("marked_at")))
        (sent, verified) = (try row.get("sent"), try row.get("verified"))
        (maturedCount, checkpointSent) = (try row.get("settled"), try row.get("marked"))
        lastSentAt = Moment(milliseconds: try row.get("last_sent_at"))
        let closed: Int64? = try row.getIfPresent("closed_until")
        blockedUntil = closed.map(Moment.init(milliseconds:))
        blockCount = try row.get("closings")
    }
}
