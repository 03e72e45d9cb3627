import Foundation

/// Whether a request may be sent again after a failure.
package enum Repetition: Sendable {
    /// The server executes it at most once, or a further execution changes nothing.
    case always
    /// Each execution has an effect, such as an SMS. It is sent again only if the server did not receive it.
    case ifNotReceived
}

/// Why an attempt failed.
enum AttemptFailure: Equatable, Sendable {
    /// No connection came into being.
    case notConnected
    /// The connection ended before the response was complete.
    case noResponse
    /// 503, with the seconds of `Retry-After`.
    case unavailable(retryAfterSeconds: Int?)
    /// A further attempt fails too, for example because of the certificate of the server.
    case permanent
}

/// The pauses between the attempts of one request.
struct RetrySchedule: Sendable {
    static let maximumAttempts = 6
    static let maximumPause = Duration.seconds(4)
    private static let firstPause = Duration.milliseconds(200)

    let repetition: Repetition
    private var attempts = 0

    init(_ repetition: Repetition) { self.repetition = repetition }

    /// Records a failed attempt.
    /// - Parameter jitter: 0 to 1, drawn anew for each call: clients that failed together do not return together.
    /// - Returns: the pause before the next attempt; nil if there is none.
    mutating func pause(after failure: AttemptFailure, jitter: Double) -> Duration? {
        attempts += 1
        guard attempts < Self.maximumAttempts, canRepeat(after: failure) else { return nil }
        let longest = min(Self.firstPause * (1 << attempts), Self.maximumPause)
        let pause = longest / 2 + longest / 2 * min(max(jitter, 0), 1)
        guard case .unavailable(let seconds?) = failure else { return pause }
        // The server knows better, within the bound of this client.
        return max(pause, min(.seconds(min(max(seconds, 0), 60)), Self.maximumPause))
    }

    private func canRepeat(after failure: AttemptFailure) -> Bool {
        switch (repetition, failure) {
        case (_, .permanent): false
        case (.always, _), (.ifNotReceived, .notConnected): true
        case (.ifNotReceived, .noResponse), (.ifNotReceived, .unavailable): false
        }
    }
}
