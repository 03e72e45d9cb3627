import Contracts
import FoundationEssentials
import Vocabulary

/// The rules of a webhook's configuration.
enum WebhookRules {
    /// The bytes of a new secret (Standard Webhooks: 24 to 64).
    static let secretBytes = 32

    /// The text of a secret for the receiver (Standard Webhooks).
    static func text(ofSecret bytes: [UInt8]) -> String {
        "whsec_" + Data(bytes).base64EncodedString()
    }

    /// - Throws: `invalidWebhook`.
    static func check(url text: String, isDev: Bool) throws(ServiceError) {
        guard let url = WebURL(text) else {
            throw ServiceError(.invalidWebhook, "url is not an absolute https URL, or contains a user name.")
        }
        guard url.isSecure || isDev else { throw ServiceError(.invalidWebhook, "url is not https.") }
        guard url.fragment == nil else { throw ServiceError(.invalidWebhook, "url has a fragment.") }
    }

    /// - Throws: `invalidWebhook`.
    static func check(kinds: [AccountEvent.Kind]) throws(ServiceError) {
        guard Set(kinds).count == kinds.count else {
            throw ServiceError(.invalidWebhook, "eventTypes names a type twice.")
        }
        guard !kinds.contains(.test) else {
            throw ServiceError(.invalidWebhook, "eventTypes names webhook.test, which every webhook receives.")
        }
    }

    /// The secrets after a rotation. The current secret expires; a former one is removed.
    static func rotating(
        _ secrets: [Notifier.WebhookTarget.SigningSecret], to new: [UInt8], at now: Moment
    ) -> [Notifier.WebhookTarget.SigningSecret] {
        let former = secrets.filter { $0.expiresAt == nil }.map {
            Notifier.WebhookTarget.SigningSecret(
                bytes: $0.bytes, expiresAt: now + Identity.RotateWebhookSecret.formerSecretLifetime)
        }
        return [.init(bytes: Secret(OctetString(new)), expiresAt: nil)] + former
    }
}

/// A webhook as it is stored: with its secrets, and the revision that the notifier has.
struct StoredWebhook: Equatable, Sendable {
    var webhook: Identity.Webhook
    var secrets: [Notifier.WebhookTarget.SigningSecret]
    /// 0 if the notifier has none.
    var acceptedRevision: Int64
    /// The row is deleted when the notifier has deleted the webhook.
    var isDeleted: Bool

    var isAccepted: Bool { acceptedRevision == webhook.revision }

    /// The form for the notifier.
    var target: Notifier.WebhookTarget {
        .init(
            id: webhook.id, project: webhook.project, url: webhook.url, secrets: isDeleted ? [] : secrets,
            isDisabled: webhook.isDisabled, isDeleted: isDeleted, revision: webhook.revision)
    }
}
