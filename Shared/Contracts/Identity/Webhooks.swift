package import Vocabulary

extension Identity {
    /// An endpoint of a project that receives account events. A webhook receives the events of all tenants.
    package struct Webhook: Codable, Equatable, Sendable {
        /// Maximum webhooks of a project.
        package static let maximumCount = 10

        package var id: WebhookID
        package var project: ProjectID
        /// `https`; in dev mode also `http`.
        package var url: String
        /// The kinds of events that it receives; empty for all, also those of later versions.
        package var kinds: [AccountEvent.Kind]
        /// A disabled webhook receives no events, and none are recorded for it.
        package var isDisabled: Bool
        package var createdAt: Moment
        /// Increases with every change.
        package var revision: Int64

        package init(
            id: WebhookID, project: ProjectID, url: String, kinds: [AccountEvent.Kind], isDisabled: Bool,
            createdAt: Moment, revision: Int64
        ) {
            self.id = id
            self.project = project
            self.url = url
            self.kinds = kinds
            self.isDisabled = isDisabled
            self.createdAt = createdAt
            self.revision = revision
        }
    }

    /// A webhook with a secret that was just generated. No other reply contains it.
    package struct WebhookWithSecret: Codable, Equatable, Sendable {
        package var webhook: Webhook
        /// `whsec_` and the base64 text of 32 bytes (Standard Webhooks).
        package var secret: Secret<String>

        package init(webhook: Webhook, secret: Secret<String>) {
            self.webhook = webhook
            self.secret = secret
        }
    }

    /// Creates a webhook.
    package struct CreateWebhook: BusRequest, Equatable {
        package static let operation = Identity.Operation.createWebhook
        package static let retrySemantics = RetrySemantics.deduplicated
        package var project: ProjectID
        package var url: String
        package var kinds: [AccountEvent.Kind]
        package var isDisabled: Bool
        package var client: ClientContext

        package init(
            project: ProjectID, url: String, kinds: [AccountEvent.Kind] = [], isDisabled: Bool = false,
            client: ClientContext = .init()
        ) {
            self.project = project
            self.url = url
            self.kinds = kinds
            self.isDisabled = isDisabled
            self.client = client
        }

        package typealias Reply = WebhookWithSecret
    }

    /// The webhooks of a project, the oldest first.
    package struct ListWebhooks: BusRequest, Equatable {
        package static let operation = Identity.Operation.listWebhooks
        package static let retrySemantics = RetrySemantics.idempotent
        package var project: ProjectID

        package init(project: ProjectID) {
            self.project = project
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var webhooks: [Webhook]

            package init(webhooks: [Webhook]) {
                self.webhooks = webhooks
            }
        }
    }

    /// Reads a webhook.
    package struct ReadWebhook: BusRequest, Equatable {
        package static let operation = Identity.Operation.readWebhook
        package static let retrySemantics = RetrySemantics.idempotent
        package var project: ProjectID
        package var id: WebhookID

        package init(project: ProjectID, id: WebhookID) {
            self.project = project
            self.id = id
        }

        package typealias Reply = Webhook
    }

    /// Changes a webhook; absent values stay. Every call, also one without a change, lets the notifier deliver again to
    /// an endpoint that responded 410.
    package struct UpdateWebhook: BusRequest, Equatable {
        package static let operation = Identity.Operation.updateWebhook
        package static let retrySemantics = RetrySemantics.deduplicated
        package var project: ProjectID
        package var id: WebhookID
        package var url: String?
        package var kinds: [AccountEvent.Kind]?
        package var isDisabled: Bool?
        package var client: ClientContext

        package init(
            project: ProjectID, id: WebhookID, url: String? = nil, kinds: [AccountEvent.Kind]? = nil,
            isDisabled: Bool? = nil, client: ClientContext = .init()
        ) {
            self.project = project
            self.id = id
            self.url = url
            self.kinds = kinds
            self.isDisabled = isDisabled
            self.client = client
        }

        package typealias Reply = Webhook
    }

    /// Deletes a webhook with its events.
    package struct DeleteWebhook: BusRequest, Equatable {
        package static let operation = Identity.Operation.deleteWebhook
        package static let retrySemantics = RetrySemantics.deduplicated
        package var project: ProjectID
        package var id: WebhookID
        package var client: ClientContext

        package init(project: ProjectID, id: WebhookID, client: ClientContext = .init()) {
            self.project = project
            self.id = id
            self.client = client
        }

        package typealias Reply = EmptyReply
    }

    /// Generates a new secret. For `formerSecretLifetime` deliveries have a signature with the former secret too.
    package struct RotateWebhookSecret: BusRequest, Equatable {
        package static let operation = Identity.Operation.rotateWebhookSecret
        package static let retrySemantics = RetrySemantics.deduplicated
        package static let formerSecretLifetime = Duration.seconds(24 * 60 * 60)
        package var project: ProjectID
        package var id: WebhookID
        package var client: ClientContext

        package init(project: ProjectID, id: WebhookID, client: ClientContext = .init()) {
            self.project = project
            self.id = id
            self.client = client
        }

        package typealias Reply = WebhookWithSecret
    }

    /// Sends an event of the kind `test` to one webhook.
    package struct TestWebhook: BusRequest, Equatable {
        package static let operation = Identity.Operation.testWebhook
        package static let retrySemantics = RetrySemantics.deduplicated
        package var project: ProjectID
        package var id: WebhookID
        package var client: ClientContext

        package init(project: ProjectID, id: WebhookID, client: ClientContext = .init()) {
            self.project = project
            self.id = id
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var eventID: AccountEventID

            package init(eventID: AccountEventID) {
                self.eventID = eventID
            }
        }
    }
}
