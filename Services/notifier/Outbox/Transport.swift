package import Contracts

/// The transport of one channel: to a server, a provider, or the dev inbox.
package struct Transport: Sendable {
    package let channel: Notifier.Channel
    /// Sends one message. It returns soon after its task is cancelled.
    let deliver: @Sendable (LeasedMessage) async -> DeliveryOutcome
    /// Maximum concurrent messages.
    let concurrency: Int
    /// The maximum duration of an attempt.
    let attemptTimeout: Duration
}
