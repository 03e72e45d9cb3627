package import Vocabulary

extension Identity {
    /// Records in the audit log that the configuration of an identity provider was changed (security rule AU1).
    /// Federation, which stores the configuration, repeats the request until it has the reply.
    package struct RecordProviderChange: BusRequest, Equatable {
        package static let operation = Identity.Operation.recordProviderChange
        package static let retrySemantics = RetrySemantics.deduplicated
        package var change: Change
        package var realm: Realm
        /// The time of the change.
        package var at: Moment
        /// The administrator's client: address, and login name of an operator.
        package var client: ClientContext

        /// What the administrator did to the configuration.
        package enum Change: String, CaseIterable, Codable, Sendable { case created, replaced, deleted }

        package init(change: Change, realm: Realm, at: Moment, client: ClientContext) {
            self.change = change
            self.realm = realm
            self.at = at
            self.client = client
        }

        package typealias Reply = EmptyReply
    }
}
