import Contracts
import SQL
import Vocabulary

extension NotifierStore {
    /// The inbox keeps so many, the latest ones.
    static let maximumInboxMessages = 1000
    /// Of texts and pages in one answer, so that it fits into a message of the bus.
    private static let maximumAnswerBytes = 512 << 10

    /// Puts a message where developers look for it. The second time nothing changes.
    func deliverToInbox(_ message: Notifier.InboxMessage) async throws {
        let recipient = digest(recipient: message.recipient)
        try await write { transaction in
            let sealed = try seal(message)
            try transaction.execute(
                """
                INSERT INTO inbox (message_id, project, tenant, recipient_digest, received_at, sealed_message)
                VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (message_id) DO NOTHING
                """, .text(message.id.rawValue), .text(message.realm.project.rawValue),
                .text(message.realm.tenantColumn), .blob(recipient), .integer(message.receivedAt.milliseconds),
                .blob(sealed))
        }
    }

    /// Of an address in any of its spellings, or of a number.
    private func digest(recipient: String) -> [UInt8] {
        digest(Array((EmailAddress(recipient)?.folded ?? recipient).utf8))
    }

    /// The latest first.
    func inbox(of recipient: String?, count: Int) async throws -> [Notifier.InboxMessage] {
        let digest = recipient.map(digest(recipient:))
        return try await read { transaction in
            let rows =
                if let digest {
                    try transaction.rows(
                        """
                        SELECT message_id, sealed_message FROM inbox WHERE recipient_digest = $1
                        ORDER BY received_at DESC, message_id DESC LIMIT $2
                        """, .blob(digest), .integer(Int64(count)))
                } else {
                    try transaction.rows(
                        """
                        SELECT message_id, sealed_message FROM inbox ORDER BY received_at DESC, message_id DESC LIMIT $1
                        """, .integer(Int64(count)))
                }
            var messages: [Notifier.InboxMessage] = []
            var bytes = 0
            for row in rows {
                let message = try self.open(
                    message: row.get("sealed_message"), of: MessageID(row.get("message_id")))
                bytes += message.text.utf8.count + message.html.utf8.count
                if bytes > Self.maximumAnswerBytes, !messages.isEmpty { break }
                messages.append(message)
            }
            return messages
        }
    }
}
