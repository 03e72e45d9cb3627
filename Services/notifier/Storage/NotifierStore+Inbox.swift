import Contracts
import SQL
import Vocabulary

extension NotifierStore {
    /// The size of the inbox. The oldest messages are deleted.
    static let maximumInboxMessages = 1000
    /// The maximum size of the texts and pages in one reply, so that it fits into a bus message.
    private static let maximumReplyBytes = 512 << 10

    /// Inserts a message into the dev inbox. A repetition changes nothing.
    func deliverToInbox(_ message: Notifier.InboxMessage) async throws {
        let recipient = digest(recipient: message.recipient)
        try await database.write { transaction in
            try transaction.execute(
                InboxTable.insertion,
                SQLRecord(message.realm) + [
                    .messageID: message.id, .recipientDigest: recipient, .receivedAt: message.receivedAt,
                    .sealedMessage: try self.seal(message),
                ])
        }
    }

    /// The digest of an address in any of its spellings, or of a number.
    private func digest(recipient: String) -> [UInt8] {
        digest(Array((EmailAddress(recipient)?.folded ?? recipient).utf8))
    }

    /// The latest first.
    func inbox(of recipient: String?, limit: Int) async throws -> [Notifier.InboxMessage] {
        let digest = recipient.map(digest(recipient:))
        return try await database.read { transaction in
            let rows =
                if let digest {
                    try transaction.rows(InboxTable.latestOfRecipient, [.recipientDigest: digest], limit)
                } else {
                    try transaction.rows(InboxTable.latest, [:], limit)
                }
            var messages: [Notifier.InboxMessage] = []
            var bytes = 0
            for row in rows {
                let message = try self.open(message: row.get(.sealedMessage), of: row.get(.messageID))
                bytes += message.text.utf8.count + message.html.utf8.count
                if bytes > Self.maximumReplyBytes, !messages.isEmpty { break }
                messages.append(message)
            }
            return messages
        }
    }
}
