package import Contracts

/// The transport of one channel: to a server, a provider, or the dev inbox.
package struct Transport: Sendable {
    package let channel: Notifier.Channel
    /// Sends one message.
    let deliver: @Sendable (LeasedMessage) async -> DeliveryOutcome
    /// Aborts running attempts, because the process is about to stop.
    let abort: @Sendable () -> Void
    /// Maximum concurrent messages.
    let concurrency: Int
    /// The maximum duration of an attempt.
    let attemptTimeout: Duration
}
