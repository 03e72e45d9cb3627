package import Contracts
import HTTPClient

/// As `HTTPClient.send`.
typealias HTTPSend = @Sendable (HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse

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

extension Transport {
    /// Delivers the messages of a channel to the dev inbox.
    /// - Parameters:
    ///   - outcome: of a message that is in the inbox.
    ///   - message: nil for the content of another channel.
    static func inbox(
        _ channel: Notifier.Channel, _ store: NotifierStore, outcome: DeliveryOutcome = .delivered,
        _ message: @escaping @Sendable (LeasedMessage) throws -> Notifier.InboxMessage?
    ) -> Transport {
        Transport(
            channel: channel,
            deliver: { leased in
                do {
                    guard let message = try message(leased) else { return .rejected(DeliveryFailure(.unsendable)) }
                    try await store.deliverToInbox(message)
                    return outcome
                } catch is EmailTemplateError {
                    return .rejected(DeliveryFailure(.unsendable))
                } catch {
                    return .deferred(DeliveryFailure(.other))
                }
            }, concurrency: 4, attemptTimeout: .seconds(10))
    }
}
