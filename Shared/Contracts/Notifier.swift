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

    /// Accepts an e-mail. The reply means that it is stored, not that it was sent: delivery is tried until the message
    /// has lost its meaning (`EmailPurpose.lifetime`). A recipient who gets too many is written to no more for a while,
    /// which the reply does not tell, since it would tell who has an account.
    /// Refusals: `invalidRequest` for a link that is missing or no web address, or a new address that is missing;
    /// `invalidEmailTemplate` for the project's own text; `overloaded`.
    package struct SendEmail: BusRequest, Equatable {
        package static let operation = Notifier.Operation.sendEmail
        package static let delivery = Delivery.deduplicated

        package var realm: Realm
        package var recipient: EmailAddress
        package var purpose: EmailPurpose
        /// BCP 47, as the client asked for it. Each tag falls back along its chain (`pt-BR`, `pt`), then
        /// `defaultLocale` along its own, then English.
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
    package struct ListDeliveries: BusRequest, Equatable {
        package static let operation = Notifier.Operation.listDeliveries
        package static let delivery = Delivery.idempotent
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

        /// What a provider tells of a message that it has taken.
        package enum Receipt: String, CaseIterable, Codable, Sendable {
            case delivered, undelivered
        }

        package var messageID: MessageID
        package var realm: Realm
        /// Absent from notifiers that knew e-mail alone.
        package var channel: Channel?
        /// The name of an `EmailPurpose`, an `SMSPurpose`, or `appVerification` of a push.
        package var purpose: String
        /// `a•••@example.com`, `•••4567`.
        package var maskedRecipient: String
        package var acceptedAt: Moment
        package var state: State
        /// Attempts so far.
        package var attempts: Int
        /// What the last attempt met, or why there was none. A word of ours, nothing of the message.
        package var problem: String?
        package var finishedAt: Moment?
        /// Who took the message.
        package var provider: String?
        /// What it costs, in millionths of `currency` (ISO 4217).
        package var priceMicros: Int64?
        package var currency: String?
        package var receipt: Receipt?

        package init(
            messageID: MessageID, realm: Realm, channel: Channel? = nil, purpose: String, maskedRecipient: String,
            acceptedAt: Moment, state: State, attempts: Int, problem: String?, finishedAt: Moment?,
            provider: String? = nil, priceMicros: Int64? = nil, currency: String? = nil, receipt: Receipt? = nil
        ) {
            self.messageID = messageID
            self.realm = realm
            self.channel = channel
            self.purpose = purpose
            self.maskedRecipient = maskedRecipient
            self.acceptedAt = acceptedAt
            self.state = state
            self.attempts = attempts
            self.problem = problem
            self.finishedAt = finishedAt
            self.provider = provider
            self.priceMicros = priceMicros
            self.currency = currency
            self.receipt = receipt
        }
    }

    /// What the inbox of development holds, the latest first. Refusals: `operationNotAllowed` outside dev mode,
    /// `invalidRequest`, `overloaded`.
    package struct ListInboxMessages: BusRequest, Equatable {
        package static let operation = Notifier.Operation.listInboxMessages
        package static let delivery = Delivery.idempotent
        package static let maximumCount = 50

        /// Only messages to this address or number.
        package var recipient: String?
        /// At most so many, 1 to `maximumCount`; fewer when they are long.
        package var count: Int

        package init(recipient: String? = nil, count: Int = ListInboxMessages.maximumCount) {
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

    /// A message as its recipient would see it.
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
        /// Empty where there is nothing but text.
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
