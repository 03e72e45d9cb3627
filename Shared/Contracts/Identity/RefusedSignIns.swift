package import Vocabulary

extension Identity {
    /// Counts in the audit log that another service has refused a code or a passkey (security rule AU1). The service
    /// refuses its client in any case, so it does not repeat this request.
    package struct RecordRefusedSignIn: BusRequest, Equatable {
        package static let operation = Identity.Operation.recordRefusedSignIn
        package static let retrySemantics = RetrySemantics.atMostOnce
        /// The time that a service waits for the reply, while its client waits too.
        package static let timeout = Duration.seconds(1)
        package var realm: Realm
        /// Nil if the service does not know the account.
        package var accountID: AccountID?
        package var reason: Reason
        package var client: ClientContext

        package enum Reason: String, CaseIterable, Codable, Sendable {
            /// The code or the signature is wrong.
            case invalid
            /// A limit of attempts refuses every code.
            case limited
            /// The signature counter of a passkey did not increase: it may have been copied (WA9).
            case counterRegression
        }

        package init(realm: Realm, accountID: AccountID?, reason: Reason, client: ClientContext) {
            self.realm = realm
            self.accountID = accountID
            self.reason = reason
            self.client = client
        }

        package typealias Reply = EmptyReply
    }
}
