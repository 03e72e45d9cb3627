import Contracts
import Delivery

extension Channel {
    /// Between the attempts for one message that was not accepted.
    var messageBackoff: Backoff {
        switch self {
        // Servers with greylisting require some minutes.
        case .email: Backoff(first: .seconds(5), longest: .seconds(10 * 60))
        // A code is valid for five minutes, and the user waits for it.
        case .sms, .push: Backoff(first: .seconds(1), longest: .seconds(20))
        }
    }

    /// Between the attempts of a process during an outage of the transport.
    var transportBackoff: Backoff {
        switch self {
        case .email: Backoff(first: .seconds(1), longest: .seconds(5 * 60))
        case .sms, .push: Backoff(first: .milliseconds(500), longest: .seconds(15))
        }
    }
}
