/// Allows the repetition of at most one call in ten, so that retries do not overload a failing service (security rule
/// BU10).
package struct RetryBudget: Sendable {
    /// In tenths of a retry.
    private var tenths: Int
    private static let fullTenths = 100

    /// Full at first: ten repetitions may follow each other.
    package init() {
        tenths = Self.fullTenths
    }

    /// Records a first attempt.
    package mutating func deposit() {
        tenths = min(tenths + 1, Self.fullTenths)
    }

    /// - Returns: whether one repetition is allowed now.
    package mutating func tryWithdraw() -> Bool {
        guard tenths >= 10 else { return false }
        tenths -= 10
        return true
    }
}
