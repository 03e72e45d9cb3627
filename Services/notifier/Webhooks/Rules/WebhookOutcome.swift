import Contracts
import Vocabulary

/// The outcome of one attempt to deliver an event.
enum WebhookOutcome: Equatable, Sendable {
    /// 2xx.
    case delivered
    /// The endpoint responded, but did not accept this event.
    case refused(DeliveryFailure)
    /// The endpoint accepts no event at present.
    /// - Parameter retryAfter: what the endpoint requested, at most `longestRetryAfter`.
    case unavailable(DeliveryFailure, retryAfter: Duration?)
    /// 410: the endpoint wants no more events.
    case gone
    /// The process is about to stop.
    case interrupted

    static let longestRetryAfter = Duration.seconds(60 * 60)
}
