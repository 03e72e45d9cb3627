package import Vocabulary

/// The operations of the notifier: durable delivery of messages.
package enum Notifier {
    package enum Operation: String, ServiceOperation {
        case sendEmail, sendSMS, sendPush, recordReceipt, listDeliveries
        case acceptAccountEvents, readWebhookStatus, replayAccountEvents
        case addAPNsKey, listAPNsKeys, removeAPNsKey
        /// Dev mode only.
        case listInboxMessages

        package static let service = ServiceName.notifier

        package var callers: Set<BusCaller> {
            switch self {
            case .sendEmail, .acceptAccountEvents: [.identity]
            case .sendSMS, .sendPush: [.mfaSMS]
            case .recordReceipt: .everyGateway
            case .addAPNsKey, .listAPNsKeys, .removeAPNsKey: .administrationAndCommand
            case .listDeliveries, .readWebhookStatus, .replayAccountEvents: .administration
            // Dev mode, in which one listener serves everything.
            case .listInboxMessages: .administration
            }
        }
    }

    /// The channel of a message. Each kind of notifier process serves some of them.
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
