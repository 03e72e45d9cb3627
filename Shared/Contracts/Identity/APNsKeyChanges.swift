package import Vocabulary

extension Identity {
    /// Records in the audit log that a project got or lost a key for pushes (security rule AU1). The notifier, which
    /// stores the keys, repeats the request until it has the reply.
    package struct RecordAPNsKeyChange: BusRequest, Equatable {
        package static let operation = Identity.Operation.recordAPNsKeyChange
        package static let retrySemantics = RetrySemantics.deduplicated
        package var change: Change
        package var realm: Realm
        /// The time of the change.
        package var at: Moment
        /// The administrator's client: address, and login name of an operator.
        package var client: ClientContext

        /// What the administrator did.
        package enum Change: String, CaseIterable, Codable, Sendable { case added, removed }

        package init(change: Change, realm: Realm, at: Moment, client: ClientContext) {
            self.change = change
            self.realm = realm
            self.at = at
            self.client = client
        }

        package typealias Reply = EmptyReply
    }
}
