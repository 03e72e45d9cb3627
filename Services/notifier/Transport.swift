package import Contracts

/// The way the messages of one channel leave: a server, a provider, or the inbox of development.
package struct Transport: Sendable {
    package let channel: Notifier.Channel
    /// Hands over one message.
    let deliver: @Sendable (LeasedMessage) async -> DeliveryOutcome
    /// Ends what is under way: the process is about to stop.
    let abort: @Sendable () -> Void
    /// Messages at a time.
    let concurrency: Int
    /// No attempt takes longer.
    let attemptTimeout: Duration
}
