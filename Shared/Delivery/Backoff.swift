import Vocabulary

/// Exponential delays with jitter, so that waiting clients do not retry at the same time.
package struct Backoff: Equatable, Sendable {
    package var first: Duration
    package var longest: Duration

    package init(first: Duration, longest: Duration) {
        self.first = first
        self.longest = longest
    }

    /// - Parameters:
    ///   - count: 1 for the first delay, one more for each further one.
    ///   - jitter: 0 ..< 1; the delay is between half and all of its maximum.
    package func delay(forAttempt count: Int, jitter: Double) -> Duration {
        let doublings = min(max(0, count.subtractingSaturated(1)), 30)
        let whole = min(longest, first * (1 << doublings))
        return whole * (0.5 + min(max(0, jitter), 1) / 2)
    }
}
