import ConfigurationDocuments
import Contracts
import JSON
import ServiceRuntime
import Vocabulary

/// A webhook that administrators read and change.
struct WebhookDocument: Codable {
    var name: String?
    var url: String?
    /// Empty for all.
    var eventTypes: [AccountEvent.Kind]?
    var disabled: Bool?
    /// RFC 3339.
    var createTime: String?
    /// Only in the response that generated it.
    var secret: String?

    static let schema = DocumentSchema.message([
        "name": .output,
        "url": .string,
        "eventTypes": .list(.enumeration(unset: "EVENT_TYPE_UNSPECIFIED", AccountEvent.Kind.self)),
        "disabled": .boolean,
        "createTime": .output,
        "secret": .output,
    ])

    init(_ webhook: Identity.Webhook, secret: String? = nil) {
        name = "projects/\(webhook.project)/webhooks/\(webhook.id)"
        url = webhook.url
        eventTypes = webhook.kinds
        disabled = webhook.isDisabled
        createTime = webhook.createdAt.text
        self.secret = secret
    }

    /// - Parameter document: in the canonical form of `schema`.
    init(_ document: JSONValue) throws {
        self = try WireJSON.decode(Self.self, from: WireJSON.encode(document))
    }
}

/// The state of a webhook and its latest deliveries, for administrators.
struct WebhookStatusDocument: Encodable {
    struct Delivery: Encodable {
        var eventId: String
        var type: String
        var tenantId: String?
        var localId: String?
        /// RFC 3339, as all times.
        var eventTime: String
        var state: String
        var attempts: Int
        var lastAttemptTime: String?
        var problem: String?
        var finishTime: String?

        init(_ delivery: Notifier.WebhookDelivery) {
            eventId = delivery.eventID.rawValue
            type = delivery.kind.rawValue
            tenantId = delivery.tenant?.rawValue
            localId = delivery.accountID?.rawValue
            eventTime = delivery.occurredAt.text
            state = delivery.state.rawValue
            attempts = delivery.attempts
            lastAttemptTime = delivery.lastAttemptAt?.text
            problem = delivery.problem
            finishTime = delivery.finishedAt?.text
        }
    }

    /// `working`, `failing` or `gone`.
    var state: String
    var problem: String?
    var failingSince: String?
    var goneTime: String?
    var pendingEvents: Int
    var oldestPendingTime: String?
    var droppedEvents: Int64
    var deliveries: [Delivery]

    init(_ reply: Notifier.ReadWebhookStatus.Reply) {
        state = reply.goneAt != nil ? "gone" : reply.failingSince != nil ? "failing" : "working"
        problem = reply.problem
        failingSince = reply.failingSince?.text
        goneTime = reply.goneAt?.text
        pendingEvents = reply.pendingEvents
        oldestPendingTime = reply.oldestPendingAt?.text
        droppedEvents = reply.droppedEvents
        deliveries = reply.deliveries.map(Delivery.init)
    }
}
