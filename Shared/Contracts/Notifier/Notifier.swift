package import Vocabulary

/// What the notifier service offers: delivery of messages that must not be lost.
package enum Notifier {
    package enum Operation: String, ServiceOperation {
        case sendEmail, sendSMS, sendPush, recordReceipt, listDeliveries
        /// Dev mode only.
        case listInboxMessages

        package static let service = ServiceName.notifier
    }

    /// How messages leave: each kind of notifier process serves some of these.
    package enum Channel: String, CaseIterable, Codable, Sendable {
        case email, sms, push
    }

    /// The message is stored; it is not sent yet.
    package struct AcceptedMessage: Codable, Equatable, Sendable {
        package var messageID: MessageID

        package init(messageID: MessageID) {
            self.messageID = messageID
        }
    }
}
