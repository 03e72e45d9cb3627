package import Vocabulary

extension Notifier {
    /// Accepts a silent push that carries the secret of a device check (REST 2.15).
    package struct SendPush: BusRequest, Equatable {
        package static let operation = Notifier.Operation.sendPush
        package static let retrySemantics = RetrySemantics.deduplicated
        package var project: ProjectID
        /// The APNs token, hexadecimal.
        package var deviceToken: Secret<String>
        package var isSandbox: Bool
        /// The bundle id of the application: the topic.
        package var bundleID: String
        package var receipt: String
        package var secret: Secret<String>

        package init(
            project: ProjectID, deviceToken: Secret<String>, isSandbox: Bool, bundleID: String, receipt: String,
            secret: Secret<String>
        ) {
            self.project = project
            self.deviceToken = deviceToken
            self.isSandbox = isSandbox
            self.bundleID = bundleID
            self.receipt = receipt
            self.secret = secret
        }

        package typealias Reply = AcceptedMessage
    }
}
