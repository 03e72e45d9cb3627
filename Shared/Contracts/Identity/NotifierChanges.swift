package import Vocabulary

extension Identity {
    /// Records in the audit log what an administrator did with the keys for pushes and with the events of webhooks (security
    /// rule AU1). The notifier, which stores both, repeats the request until it has the reply.
    package struct RecordNotifierChange: BusRequest, Equatable {
        package static let operation = Identity.Operation.recordNotifierChange
        package static let retrySemantics = RetrySemantics.deduplicated
        package var change: Change
        package var realm: Realm
        /// The time of the change.
        package var at: Moment
        /// The administrator's client: address, and login name of an operator.
        package var client: ClientContext

        /// What the administrator did.
        package enum Change: String, CaseIterable, Codable, Sendable {
            case apnsKeyAdded = "added"
            case apnsKeyRemoved = "removed"
            case webhookReplayed = "webhook-replayed"
        }

        package init(change: Change, realm: Realm, at: Moment, client: ClientContext) {
            self.change = change
            self.realm = realm
            self.at = at
            self.client = client
        }

        package typealias Reply = EmptyReply
    }
}
