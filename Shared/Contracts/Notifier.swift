package import Vocabulary

/// What the notifier service offers: delivery of messages that must not be lost.
package enum Notifier {
    package enum Operation: String, ServiceOperation {
        case sendEmail, sendSMS, sendPush, recordReceipt, readDeliveries
        /// Dev mode only.
        case readInbox

        package static let service = ServiceName.notifier

        package var delivery: Delivery {
            switch self {
            case .sendEmail, .sendSMS, .sendPush: .recorded
            // Said twice, it is the same.
            case .recordReceipt: .repeatable
            case .readDeliveries, .readInbox: .repeatable
            }
        }
    }

    /// Accepts an e-mail. The reply means that it is stored, not that it was sent: delivery is tried until the message
    /// has lost its meaning (`EmailPurpose.lifetime`). A recipient who gets too many is written to no more for a while,
    /// which the reply does not tell, since it would tell who has an account.
    /// Refusals: `invalidRequest` for a link that is missing or no web address, or a new address that is missing;
    /// `invalidEmailTemplate` for the project's own text; `overloaded`.
    package struct SendEmail: BusRequest, Equatable {
        package static let operation = Notifier.Operation.sendEmail

        package var realm: Realm
        package var recipient: EmailAddress
        package var purpose: EmailPurpose
        /// BCP 47, as the client asked for it. Each tag falls back along its chain (`pt-BR`, `pt`), then `defaultLocale`
        /// along its own, then English.
        package var locale: String?
        /// The language of the project.
        package var defaultLocale: String?
        /// How the project calls itself.
        package var appName: String
        /// What the recipient is to follow: `http` or `https`. Holds a one-time code.
        package var link: String?
        /// Of the recipient.
        package var displayName: String?
        /// For `verifyAndChangeEmail` and `emailChanged`.
        package var newEmail: EmailAddress?
        /// A hint that is fit to be read by others, for `secondFactorAdded` and `secondFactorRemoved`.
        package var secondFactor: String?
        /// The project's own text, see `ProjectConfiguration.emailTemplate(for:)`. Absent: ours, translated.
        package var template: EmailTemplate?

        package init(
            realm: Realm, recipient: EmailAddress, purpose: EmailPurpose, locale: String? = nil,
            defaultLocale: String? = nil, appName: String, link: String? = nil, displayName: String? = nil,
            newEmail: EmailAddress? = nil, secondFactor: String? = nil, template: EmailTemplate? = nil
        ) {
            self.realm = realm
            self.recipient = recipient
            self.purpose = purpose
            self.locale = locale
            self.defaultLocale = defaultLocale
            self.appName = appName
            self.link = link
            self.displayName = displayName
            self.newEmail = newEmail
            self.secondFactor = secondFactor
            self.template = template
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var messageID: MessageID

            package init(messageID: MessageID) {
                self.messageID = messageID
            }
        }
    }

    /// What became of the messages of a project, the latest first. Refusals: `invalidRequest`, `overloaded`.
    package struct ReadDeliveries: BusRequest, Equatable {
        package static let operation = Notifier.Operation.readDeliveries
        package static let maximumCount = 500

        package var project: ProjectID
        /// At most so many, 1 to `maximumCount`.
        package var count: Int

        package init(project: ProjectID, count: Int = 100) {
            self.project = project
            self.count = count
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var deliveries: [DeliveryRecord]

            package init(deliveries: [DeliveryRecord]) {
                self.deliveries = deliveries
            }
        }
    }

    /// One line of the history.
    package struct DeliveryRecord: Codable, Equatable, Sendable {
        package enum State: String, CaseIterable, Codable, Sendable {
            /// Waits for its first or next attempt.
            case pending
            case sent
            /// Given up; `problem` says why.
            case failed
            /// Accepted and not sent, for a limit; `problem` names it.
            case suppressed
        }

        package var messageID: MessageID
        package var realm: Realm
        package var purpose: EmailPurpose
        /// `a•••@example.com`.
        package var maskedRecipient: String
        package var acceptedAt: Moment
        package var state: State
        /// Attempts so far.
        package var attempts: Int
        /// What the last attempt met, or why there was none. A word of ours, nothing of the message.
        package var problem: String?
        package var finishedAt: Moment?

        package init(
            messageID: MessageID, realm: Realm, purpose: EmailPurpose, maskedRecipient: String, acceptedAt: Moment,
            state: State, attempts: Int, problem: String?, finishedAt: Moment?
        ) {
            self.messageID = messageID
            self.realm = realm
            self.purpose = purpose
            self.maskedRecipient = maskedRecipient
            self.acceptedAt = acceptedAt
            self.state = state
            self.attempts = attempts
            self.problem = problem
            self.finishedAt = finishedAt
        }
    }

    /// What the inbox of development holds, the latest first. Refusals: `operationNotAllowed` outside dev mode,
    /// `invalidRequest`, `overloaded`.
    package struct ReadInbox: BusRequest, Equatable {
        package static let operation = Notifier.Operation.readInbox
        package static let maximumCount = 50

        /// Only messages to this address.
        package var recipient: EmailAddress?
        /// At most so many, 1 to `maximumCount`; fewer when they are long.
        package var count: Int

        package init(recipient: EmailAddress? = nil, count: Int = ReadInbox.maximumCount) {
            self.recipient = recipient
            self.count = count
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var messages: [InboxMessage]

            package init(messages: [InboxMessage]) {
                self.messages = messages
            }
        }
    }

    /// An e-mail as its recipient would see it.
    package struct InboxMessage: Codable, Equatable, Sendable {
        package var id: MessageID
        package var realm: Realm
        package var purpose: EmailPurpose
        package var receivedAt: Moment
        /// Name and address.
        package var sender: String
        package var recipient: EmailAddress
        package var subject: String
        package var text: String
        package var html: String
        package var link: String?

        package init(
            id: MessageID, realm: Realm, purpose: EmailPurpose, receivedAt: Moment, sender: String,
            recipient: EmailAddress, subject: String, text: String, html: String, link: String?
        ) {
            self.id = id
            self.realm = realm
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
