package import Vocabulary

extension Notifier {
    /// The messages of the dev inbox, the latest first.
    package struct ListInboxMessages: ListRequest, Equatable {
        package static let operation = Notifier.Operation.listInboxMessages
        package static let retrySemantics = RetrySemantics.idempotent
        package static let maximumCount = 50

        /// Only messages to this address or number.
        package var recipient: String?
        /// Maximum messages, 1 to `maximumCount`; fewer when they are long.
        package var limit: Int

        package init(recipient: String? = nil, limit: Int = ListInboxMessages.maximumCount) {
            self.recipient = recipient
            self.limit = limit
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var messages: [InboxMessage]

            package init(messages: [InboxMessage]) {
                self.messages = messages
            }
        }
    }

    /// A message as its recipient sees it.
    package struct InboxMessage: Codable, Equatable, Sendable {
        package var id: MessageID
        package var realm: Realm
        /// Absent: e-mail.
        package var channel: Channel?
        package var purpose: String
        package var receivedAt: Moment
        /// Name and address.
        package var sender: String
        /// An address or a number.
        package var recipient: String
        package var subject: String
        package var text: String
        /// Empty for a text-only message.
        package var html: String
        package var link: String?

        package init(
            id: MessageID, realm: Realm, channel: Channel? = nil, purpose: String, receivedAt: Moment, sender: String,
            recipient: String, subject: String, text: String, html: String, link: String?
        ) {
            self.id = id
            self.realm = realm
            self.channel = channel
            self.purpose = purpose
            self.receivedAt = receivedAt
            self.sender = sender
            self.recipient = recipient
            self.subject = subject
            self.text = text
            self.html = html
            self.link = link
        }
    }
}
