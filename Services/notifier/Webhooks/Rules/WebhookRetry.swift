import Vocabulary

/// When an event is sent again after the endpoint refused it.
enum WebhookRetry {
    /// The delays of Standard Webhooks 1.0.0 ("Deliverability and reliability"). The last one repeats.
    static let delays: [Duration] = [
        .seconds(5), .seconds(5 * 60), .seconds(30 * 60), .seconds(2 * 3600), .seconds(5 * 3600), .seconds(10 * 3600),
        .seconds(14 * 3600), .seconds(20 * 3600), .seconds(24 * 3600),
    ]

    /// How long after its acceptance an event is sent. The first attempt and the delays fit into it.
    static let lifetime = Duration.seconds(76 * 3600)

    /// - Parameters:
    ///   - refusals: of the event so far, 1 for the first.
    ///   - jitter: 0 ..< 1; the delay is between 90 % and all of its maximum.
    static func delay(afterRefusals refusals: Int, jitter: Double) -> Duration {
        delays[min(max(1, refusals), delays.count) - 1] * (0.9 + min(max(0, jitter), 1) / 10)
    }
}
