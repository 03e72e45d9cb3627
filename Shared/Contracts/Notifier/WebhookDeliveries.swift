package import Vocabulary

extension Notifier {
    /// A webhook in the form that the notifier stores: the destination of events, and the secrets that sign them.
    package struct WebhookTarget: Codable, Equatable, Sendable {
        /// A secret that signs deliveries.
        package struct SigningSecret: Codable, Equatable, Sendable {
            /// 24 to 64 bytes (Standard Webhooks).
            package var bytes: Secret<OctetString>
            /// Nil for the current secret.
            package var expiresAt: Moment?

            package init(bytes: Secret<OctetString>, expiresAt: Moment?) {
                self.bytes = bytes
                self.expiresAt = expiresAt
            }
        }

        package var id: WebhookID
        package var project: ProjectID
        package var url: String
        /// The current secret and at most one former secret.
        package var secrets: [SigningSecret]
        package var isDisabled: Bool
        /// The notifier deletes the webhook and its events.
        package var isDeleted: Bool
        package var revision: Int64

        package init(
            id: WebhookID, project: ProjectID, url: String, secrets: [SigningSecret], isDisabled: Bool, isDeleted: Bool,
            revision: Int64
        ) {
            self.id = id
            self.project = project
            self.url = url
            self.secrets = secrets
            self.isDisabled = isDisabled
            self.isDeleted = isDeleted
            self.revision = revision
        }
    }

    /// Stores changed webhooks and new events, in one transaction. Identity calls it with the events of each account in
    /// their order. A webhook that is stored with the same or a later revision, and an event that is stored already,
    /// change nothing.
    package struct AcceptAccountEvents: BusRequest, Equatable {
        package static let operation = Notifier.Operation.acceptAccountEvents
        package static let retrySemantics = RetrySemantics.idempotent
        /// Maximum events, and maximum webhooks, of one call.
        package static let maximumCount = 100

        /// An event and the webhooks that receive it.
        package struct Item: Codable, Equatable, Sendable {
            package var event: AccountEvent
            package var webhooks: [WebhookID]

            package init(event: AccountEvent, webhooks: [WebhookID]) {
                self.event = event
                self.webhooks = webhooks
            }
        }

        package var webhooks: [WebhookTarget]
        package var events: [Item]

        package init(webhooks: [WebhookTarget], events: [Item]) {
            self.webhooks = webhooks
            self.events = events
        }

        package struct Reply: Codable, Equatable, Sendable {
            /// Webhooks that the notifier does not know. It has stored no event for them.
            package var unknownWebhooks: [WebhookID]

            package init(unknownWebhooks: [WebhookID]) {
                self.unknownWebhooks = unknownWebhooks
            }
        }
    }

    /// The delivery of one event to one webhook.
    package struct WebhookDelivery: Codable, Equatable, Sendable {
        package enum State: String, CaseIterable, Codable, Sendable {
            /// Waits for its first or next attempt.
            case pending
            /// The endpoint responded 2xx.
            case delivered
            /// No further attempts; `problem` contains the reason.
            case failed
        }

        package var eventID: AccountEventID
        package var kind: AccountEvent.Kind
        package var tenant: TenantID?
        package var accountID: AccountID?
        package var occurredAt: Moment
        package var state: State
        /// Attempts so far.
        package var attempts: Int
        package var lastAttemptAt: Moment?
        /// The failure of the last attempt: `unreachable`, `serverRefused 500`.
        package var problem: String?
        package var finishedAt: Moment?

        package init(
            eventID: AccountEventID, kind: AccountEvent.Kind, tenant: TenantID?, accountID: AccountID?,
            occurredAt: Moment, state: State, attempts: Int, lastAttemptAt: Moment?, problem: String?,
            finishedAt: Moment?
        ) {
            self.eventID = eventID
            self.kind = kind
            self.tenant = tenant
            self.accountID = accountID
            self.occurredAt = occurredAt
            self.state = state
            self.attempts = attempts
            self.lastAttemptAt = lastAttemptAt
            self.problem = problem
            self.finishedAt = finishedAt
        }
    }

    /// The state of a webhook and its latest events, the newest first.
    package struct ReadWebhookStatus: ListRequest, Equatable {
        package static let operation = Notifier.Operation.readWebhookStatus
        package static let retrySemantics = RetrySemantics.idempotent
        package static let maximumCount = 500

        package var project: ProjectID
        package var id: WebhookID
        /// Maximum deliveries, 1 to `maximumCount`.
        package var limit: Int

        package init(project: ProjectID, id: WebhookID, limit: Int = 100) {
            self.project = project
            self.id = id
            self.limit = limit
        }

        package struct Reply: Codable, Equatable, Sendable {
            /// The failure of the current outage; nil while the endpoint works.
            package var problem: String?
            /// The start of the outage.
            package var failingSince: Moment?
            /// The endpoint responded 410: deliveries stop until the webhook is changed.
            package var goneAt: Moment?
            package var pendingEvents: Int
            /// The acceptance of the oldest event that is pending.
            package var oldestPendingAt: Moment?
            /// Pending events that were deleted because the webhook had too many.
            package var droppedEvents: Int64
            package var deliveries: [WebhookDelivery]

            package init(
                problem: String?, failingSince: Moment?, goneAt: Moment?, pendingEvents: Int, oldestPendingAt: Moment?,
                droppedEvents: Int64, deliveries: [WebhookDelivery]
            ) {
                self.problem = problem
                self.failingSince = failingSince
                self.goneAt = goneAt
                self.pendingEvents = pendingEvents
                self.oldestPendingAt = oldestPendingAt
                self.droppedEvents = droppedEvents
                self.deliveries = deliveries
            }
        }
    }

    /// Makes delivered and failed events pending again, the oldest first, at most `maximumCount` per call. Events of an
    /// account are sent in their order.
    package struct ReplayAccountEvents: BusRequest, Equatable {
        package static let operation = Notifier.Operation.replayAccountEvents
        // A repetition finds the events pending and changes nothing.
        package static let retrySemantics = RetrySemantics.idempotent
        package static let maximumCount = 1000

        package var project: ProjectID
        package var id: WebhookID
        /// These events; nil for those since `after`.
        package var eventIDs: [AccountEventID]?
        /// The events that the notifier accepted at this time or later; nil for all. Without effect beside `eventIDs`.
        package var after: Moment?
        /// `nextPosition` of the previous reply.
        package var fromPosition: Int64?
        package var client: ClientContext

        package init(
            project: ProjectID, id: WebhookID, eventIDs: [AccountEventID]? = nil, after: Moment? = nil,
            fromPosition: Int64? = nil, client: ClientContext = .init()
        ) {
            self.project = project
            self.id = id
            self.eventIDs = eventIDs
            self.after = after
            self.fromPosition = fromPosition
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var replayedEvents: Int
            /// The continuation; nil if there are no more events.
            package var nextPosition: Int64?

            package init(replayedEvents: Int, nextPosition: Int64?) {
                self.replayedEvents = replayedEvents
                self.nextPosition = nextPosition
            }
        }
    }
}
