/// Lets at most one call in ten be repeated, so that a service in trouble is not buried under repetitions of what it
/// could not answer (security rule BU10).
package struct RetryBudget: Sendable {
    /// In tenths of a retry.
    private var tenths: Int
    private static let fullTenths = 100

    /// Full at first: ten repetitions may follow each other.
    package init() {
        tenths = Self.fullTenths
    }

    /// A first attempt was made.
    package mutating func deposit() {
        tenths = min(tenths + 1, Self.fullTenths)
    }

    /// - Returns: whether one repetition may be made now.
    package mutating func tryWithdraw() -> Bool {
        guard tenths >= 10 else { return false }
        tenths -= 10
        return true
    }
}
