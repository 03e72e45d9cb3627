/// Pauses that double, with chance in them so that those who wait do not come back together.
struct BackOff: Equatable, Sendable {
    var first: Duration
    var longest: Duration

    /// For a message the server would not take yet. Servers that greylist want some minutes.
    static let message = BackOff(first: .seconds(5), longest: .seconds(10 * 60))
    /// For a server that takes nothing.
    static let server = BackOff(first: .seconds(1), longest: .seconds(5 * 60))

    /// - Parameters:
    ///   - count: 1 for the first pause, one more for each that follows.
    ///   - jitter: 0 ..< 1; the pause is between its half and its whole.
    func pause(_ count: Int, jitter: Double) -> Duration {
        let doublings = min(max(0, count - 1), 30)
        let whole = min(longest, first * (1 << doublings))
        return whole * (0.5 + min(max(0, jitter), 1) / 2)
    }
}
