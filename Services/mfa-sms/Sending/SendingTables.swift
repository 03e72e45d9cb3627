import Contracts
import PhoneNumbers
import SQL
import Vocabulary

/// The sent messages and the verified codes of each window.
enum SendingCountTable: String, SQLTableDescription {
    case project, scope, subject, sent, verified
    case windowStart = "window_start"
    case windowEnd = "window_end"
    case spentMicros = "spent_micros"

    static let table = "sending_counts"
    static let key = [project, scope, subject, windowStart]
    /// A message that was admitted at the end of a window may be refunded after it.
    static let expiry = SQLExpiry.after(Self.windowEnd, lifetime: .seconds(60 * 60))

    private static let counted = "project = :project AND scope = :scope AND subject = :subject"

    static let byKey = select([sent, verified, spentMicros])
    /// The arguments: subject and start of the window for each scope, in the order of the cases. One statement, because
    /// each takes a round trip to the database.
    static let byScopes = SQLStatement<Self>(
        """
        SELECT scope, sent, verified, spent_micros FROM sending_counts
        WHERE project = :project AND (\(
            SendingScope.allCases.enumerated().map { place, scope in
                "(scope = '\(scope.rawValue)' AND subject = $\(2 * place + 1) AND window_start = $\(2 * place + 2))"
            }.joined(separator: " OR ")))
        """)
    /// By the number of rows. The arguments: scope, subject, start and end of the window for each row.
    static let increments = Dictionary(
        uniqueKeysWithValues: (1...SendingScope.allCases.count).map { ($0, increment(rows: $0)) })
    static let refund = SQLStatement<Self>(
        """
        UPDATE sending_counts SET sent = sent - 1, spent_micros = spent_micros - :spent_micros
        WHERE \(counted) AND window_start = :window_start AND sent > verified AND spent_micros >= :spent_micros
        """)
    static let verification = SQLStatement<Self>(
        """
        UPDATE sending_counts SET verified = verified + 1
        WHERE \(counted) AND window_start = :window_start AND verified < sent
        """)

    private static func increment(rows: Int) -> SQLStatement<Self> {
        let groups = (0..<rows).map { row in
            let places = (1...4).map { "$\(4 * row + $0)" }.joined(separator: ", ")
            return "(:project, \(places), 1, 0, :spent_micros)"
        }
        return SQLStatement(
            """
            INSERT INTO sending_counts (project, scope, subject, window_start, window_end, sent, verified, spent_micros)
            VALUES \(groups.joined(separator: ", "))
            ON CONFLICT (project, scope, subject, window_start) DO UPDATE SET
                sent = sending_counts.sent + 1, spent_micros = sending_counts.spent_micros + excluded.spent_micros
            """)
    }
}

/// The backoff of resending to a number.
enum ResendBackoffTable: String, SQLTableDescription {
    case project, messages
    case numberDigest = "number_digest"
    case lastAt = "last_at"
    case previousAt = "previous_at"

    static let table = "sending_ladders"
    static let key = [project, numberDigest]
    static let expiry = SQLExpiry.after(Self.lastAt, lifetime: ResendBackoff.memory)

    /// The argument: the time before which a row has expired.
    static let byKey = select([messages, lastAt, previousAt], "AND last_at > $1")
    static let saving = upsert()
    static let removal = delete()
}

/// The conversion of the codes to each prefix, and whether it is blocked.
enum PrefixTable: String, SQLTableDescription {
    case project, prefix, sent, verified
    case maturedCount = "matured"
    case checkpointSent = "checkpoint_sent"
    case checkpointAt = "checkpoint_at"
    case lastSentAt = "last_sent_at"
    case blockedUntil = "blocked_until"
    case blockCount = "block_count"

    static let table = "sending_ranges"
    static let key = [project, prefix]
    static let expiry = SQLExpiry.after(Self.lastSentAt, lifetime: PrefixRecord.memory)

    /// The argument: the time before which a row has expired.
    static let byKey = select(nil, "AND last_sent_at > $1")
    static let saving = upsert()
    static let blocked = select(
        [prefix, blockedUntil], where: [project], "AND blocked_until > $1 ORDER BY blocked_until DESC LIMIT 1000")
}

/// The limits that refused messages: one row for each limit and window.
enum SendingEventTable: String, SQLRealmTable {
    case project, tenant, reason, subject, purpose, region, prefix
    case untilAt = "until_at"
    case happenedAt = "happened_at"
    case ipAddress = "ip_address"

    static let table = "sending_events"
    static let key = [project, reason, subject, untilAt]
    static let expiry = SQLExpiry.after(Self.happenedAt, lifetime: .seconds(90 * 24 * 60 * 60))

    static let insertion = insert("ON CONFLICT DO NOTHING")
}

// MARK: - Records and rows

extension SendingScope: SQLConvertible {}
extension ExceededLimit.Reason: SQLConvertible {}

extension SendingCount {
    init(_ row: SQLTableRow<SendingCountTable>) throws {
        self.init(
            sent: try row.get(.sent), verified: try row.get(.verified), spentMicros: try row.get(.spentMicros))
    }
}

extension ResendBackoff {
    var record: SQLRecord<ResendBackoffTable> {
        [.messages: messages, .lastAt: lastAt, .previousAt: previousAt]
    }

    init(_ row: SQLTableRow<ResendBackoffTable>) throws {
        self.init(
            messages: try row.get(.messages), lastAt: try row.get(.lastAt),
            previousAt: try row.getIfPresent(.previousAt))
    }
}

extension PrefixRecord {
    var record: SQLRecord<PrefixTable> {
        [
            .sent: sent, .verified: verified, .maturedCount: maturedCount, .checkpointSent: checkpointSent,
            .checkpointAt: checkpointAt, .lastSentAt: lastSentAt, .blockedUntil: blockedUntil,
            .blockCount: blockCount,
        ]
    }

    init(_ row: SQLTableRow<PrefixTable>) throws {
        self.init(at: try row.get(.checkpointAt))
        (sent, verified) = (try row.get(.sent), try row.get(.verified))
        (maturedCount, checkpointSent) = (try row.get(.maturedCount), try row.get(.checkpointSent))
        lastSentAt = try row.get(.lastSentAt)
        blockedUntil = try row.getIfPresent(.blockedUntil)
        blockCount = try row.get(.blockCount)
    }
}
