import Contracts
import DatabaseService
import SQL
import Vocabulary

extension NotifierStore {
    /// Ends a batch of messages that have expired, also while the server accepts none.
    /// - Returns: those messages.
    func expire(at now: Moment, batch: Int = 200) async throws -> [OutboxMessage] {
        try await database.write { transaction in
            var expired: [OutboxMessage] = []
            for row in try transaction.rows(OutboxTable.expired, [:], now, batch) {
                var message = try OutboxMessage(row)
                message.fail(message.problem ?? DeliveryFailure(.expired), at: now)
                try transaction.save(message)
                expired.append(message)
            }
            return expired
        }
    }

    /// Deletes expired rows, and the oldest messages of the inbox beyond its size.
    /// - Parameter history: how long finished messages and the inbox stay.
    func sweep(history: Duration, at now: Moment) async throws {
        try await sweep(retention: history, at: now)
        try await database.write { transaction in
            try transaction.execute(InboxTable.surplusRemoval, [:], Self.maximumInboxMessages)
        }
    }
}
