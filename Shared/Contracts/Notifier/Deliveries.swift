package import Vocabulary

extension Notifier {
    /// The SMS providers, by their names in `LATCHKEY_SMS_PROVIDER` and in the path of their delivery receipts.
    package enum SMSProviderName: String, CaseIterable, Codable, Sendable {
        case twilio, vonage, webhook
    }

    /// Records the delivery receipt that a provider sent over HTTP. The notifier verifies its signature.
    package struct RecordReceipt: BusRequest, Equatable {
        package static let operation = Notifier.Operation.recordReceipt
        // A repetition changes nothing.
        package static let retrySemantics = RetrySemantics.idempotent
        package var provider: SMSProviderName
        /// Path and query as the provider called them.
        package var target: String
        package var contentType: String?
        package var signature: String?
        package var body: String

        package init(
            provider: SMSProviderName, target: String, contentType: String? = nil, signature: String? = nil,
            body: String
        ) {
            self.provider = provider
            self.target = target
            self.contentType = contentType
            self.signature = signature
            self.body = body
        }

        package typealias Reply = EmptyReply
    }

    /// The deliveries of a project, the latest first.
    package struct ListDeliveries: ListRequest, Equatable {
        package static let operation = Notifier.Operation.listDeliveries
        package static let retrySemantics = RetrySemantics.idempotent
        package static let maximumCount = 500

        package var project: ProjectID
        /// Maximum records, 1 to `maximumCount`.
        package var limit: Int

        package init(project: ProjectID, limit: Int = 100) {
            self.project = project
            self.limit = limit
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var deliveries: [DeliveryRecord]

            package init(deliveries: [DeliveryRecord]) {
                self.deliveries = deliveries
            }
        }
    }

    /// One entry of the history.
    package struct DeliveryRecord: Codable, Equatable, Sendable {
        package enum State: String, CaseIterable, Codable, Sendable {
            /// Waits for its first or next attempt.
            case pending
            case sent
            /// No further attempts; `problem` contains the reason.
            case failed
            /// Accepted but not sent because of a limit; `problem` names it.
            case suppressed
        }

        /// The result that a provider reports for a message that it accepted.
        package enum Receipt: String, CaseIterable, Codable, Sendable {
            case delivered, undelivered
        }

        package var messageID: MessageID
        package var realm: Realm
        /// Absent from notifiers that supported only e-mail.
        package var channel: Channel?
        /// The name of an `EmailPurpose` or an `SMSPurpose`, or `appVerification` for a push.
        package var purpose: String
        /// `a•••@example.com`, `•••4567`.
        package var maskedRecipient: String
        package var acceptedAt: Moment
        package var state: State
        /// Attempts so far.
        package var attempts: Int
        /// The failure of the last attempt, or the reason without an attempt. It contains nothing of the message.
        package var problem: String?
        package var finishedAt: Moment?
        /// The provider that accepted the message.
        package var provider: String?
        /// The price in millionths of `currency` (ISO 4217).
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
}
