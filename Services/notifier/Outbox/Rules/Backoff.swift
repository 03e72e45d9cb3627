import Contracts

/// Exponential delays with jitter, so that waiting clients do not retry at the same time.
struct Backoff: Equatable, Sendable {
    var first: Duration
    var longest: Duration

    /// For a message that the server deferred. Servers with greylisting require some minutes.
    static let message = Backoff(first: .seconds(5), longest: .seconds(10 * 60))
    /// For a server outage.
    static let server = Backoff(first: .seconds(1), longest: .seconds(5 * 60))

    /// For an SMS that was not accepted: its code is valid for five minutes, and the user waits for it.
    static let smsMessage = Backoff(first: .seconds(1), longest: .seconds(20))
    /// For an outage of the SMS transport.
    static let smsTransport = Backoff(first: .milliseconds(500), longest: .seconds(15))

    /// - Parameters:
    ///   - count: 1 for the first delay, one more for each further one.
    ///   - jitter: 0 ..< 1; the delay is between half and all of its maximum.
    func delay(forAttempt count: Int, jitter: Double) -> Duration {
        let doublings = min(max(0, count - 1), 30)
        let whole = min(longest, first * (1 << doublings))
        return whole * (0.5 + min(max(0, jitter), 1) / 2)
    }
}

extension Channel {
    /// Between the attempts for one message.
    var messageBackoff: Backoff {
        switch self {
        case .email: .message
        case .sms, .push: .smsMessage
        }
    }

    /// Between the attempts of a process during an outage of the transport.
    var transportBackoff: Backoff {
        switch self {
        case .email: .server
        case .sms, .push: .smsTransport
        }
    }
}
