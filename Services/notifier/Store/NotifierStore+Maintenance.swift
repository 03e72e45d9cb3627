import Contracts
import SQL
import Vocabulary

extension NotifierStore {
    /// Gives up a batch of messages that nobody wants any more, also while the server takes nothing.
    /// - Returns: those messages.
    func expire(at now: Moment, batch: Int = 200) async throws -> [OutboxMessage] {
        try await write { transaction in
            var expired: [OutboxMessage] = []
            for row in try transaction.rows(
                "SELECT * FROM outbox WHERE expires_at <= $1 AND due_at <= $1 LIMIT $2", .integer(now.milliseconds),
                .integer(Int64(batch)))
            {
                var message = try OutboxMessage(row)
                // Past its time a message is not leased but ended.
                _ = message.acquireLease(to: "", for: .zero, at: now)
                try transaction.save(message)
                expired.append(message)
            }
            return expired
        }
    }

    /// Removes a batch of what is past its time: history, counts, and the inbox beyond its size.
    /// - Returns: whether more is waiting.
    func sweep(history: Duration, at now: Moment, batch: Int = 500) async throws -> Bool {
        try await write { transaction in
            var removed = 0
            for (table, key, column, before) in [
                ("messages", "message_id", "finished_at", now - history),
                ("inbox", "message_id", "received_at", now - history),
                ("send_counts", "scope_digest", "window_start", now - EmailLimits.window * 2),
            ] {
                try transaction.execute(
                    """
                    DELETE FROM \(table) WHERE \(key) IN (SELECT \(key) FROM \(table) WHERE \(column) < $1 LIMIT $2)
                        AND \(column) < $1
                    """, .integer(before.milliseconds), .integer(Int64(batch)))
                removed = max(removed, transaction.changes)
            }
            try transaction.execute(
                """
                DELETE FROM inbox WHERE message_id NOT IN
                    (SELECT message_id FROM inbox ORDER BY received_at DESC, message_id DESC LIMIT $1)
                """, .integer(Int64(Self.maximumInboxMessages)))
            return removed == batch
        }
    }
}

extension Moment {
    fileprivate static func - (time: Moment, duration: Duration) -> Moment {
        time + .seconds(-duration.components.seconds)
    }
}
