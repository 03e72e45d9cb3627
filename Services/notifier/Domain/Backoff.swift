import Contracts

/// Pauses that double, with chance in them so that those who wait do not come back together.
struct Backoff: Equatable, Sendable {
    var first: Duration
    var longest: Duration

    /// For a message the server would not take yet. Servers that greylist want some minutes.
    static let message = Backoff(first: .seconds(5), longest: .seconds(10 * 60))
    /// For a server that takes nothing.
    static let server = Backoff(first: .seconds(1), longest: .seconds(5 * 60))

    /// For a text message that was not taken: its code is good for five minutes, and somebody waits for it.
    static let smsMessage = Backoff(first: .seconds(1), longest: .seconds(20))
    /// For a way out that takes no text messages.
    static let smsTransport = Backoff(first: .milliseconds(500), longest: .seconds(15))

    /// - Parameters:
    ///   - count: 1 for the first pause, one more for each that follows.
    ///   - jitter: 0 ..< 1; the pause is between its half and its whole.
    func delay(forAttempt count: Int, jitter: Double) -> Duration {
        let doublings = min(max(0, count - 1), 30)
        let whole = min(longest, first * (1 << doublings))
        return whole * (0.5 + min(max(0, jitter), 1) / 2)
    }
}

extension Channel {
    /// Between the attempts at one message.
    var messageBackoff: Backoff {
        switch self {
        case .email: .message
        case .sms, .push: .smsMessage
        }
    }

    /// Between the attempts of a process whose way out takes nothing.
    var transportBackoff: Backoff {
        switch self {
        case .email: .server
        case .sms, .push: .smsTransport
        }
    }
}
