import Contracts
import FoundationEssentials
import JSON
import ServiceRuntime
import Vocabulary

/// The body of a delivery: the payload structure of Standard Webhooks, with names of the REST protocol. Equal events have
/// equal bytes.
struct WebhookBody: Encodable {
    struct Subject: Encodable {
        var projectId: String
        var tenantId: String?
        /// Absent in a test.
        var localId: String?
        var sequence: Int64
        var provider: String?
        var factor: String?
        var mfaEnrollmentId: String?
    }

    var type: String
    /// RFC 3339, the time of the event.
    var timestamp: String
    var data: Subject

    init(_ event: AccountEvent) {
        type = event.kind.rawValue
        timestamp = event.occurredAt.text
        data = Subject(
            projectId: event.realm.project.rawValue, tenantId: event.realm.tenant?.rawValue,
            localId: event.accountID?.rawValue, sequence: event.sequence, provider: event.details.provider,
            factor: event.details.factor, mfaEnrollmentId: event.details.factorID?.rawValue)
    }

    /// The JSON text.
    var bytes: Data {
        get throws { try WireJSON.encodeSorted(self) }
    }
}
