package import Vocabulary

extension Federation {
    /// Receives a notification of Sign in with Apple about a user (Apple, "Processing changes for Sign in with Apple
    /// accounts"). When the user has revoked the consent or deleted the Apple account, identity removes `apple.com`
    /// from the account of that user and ends its sessions. Other events, unknown users and repeated notifications
    /// change nothing and are no errors.
    package struct ReceiveAppleNotification: BusRequest, Equatable {
        package static let operation = Federation.Operation.receiveAppleNotification
        // A second one would be acknowledged while the first one is handled.
        package static let retrySemantics = RetrySemantics.atMostOnce
        package static let maximumPayloadBytes = 16 << 10
        package var realm: Realm
        /// A JSON Web Token in compact form.
        package var payload: Secret<String>
        package var client: ClientContext

        package init(realm: Realm, payload: Secret<String>, client: ClientContext = .init()) {
            self.realm = realm
            self.payload = payload
            self.client = client
        }

        package typealias Reply = EmptyReply
    }
}
