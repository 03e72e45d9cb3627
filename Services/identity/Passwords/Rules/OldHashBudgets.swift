import Vocabulary

/// How much time of old hashes each client network may use up with wrong passwords. The hashes of other systems cost
/// different times, so the number of guesses is no measure: a budget that fills again with time is (security rule
/// PW10).
///
/// The budgets of this process: an attacker who is spread over several processes has one in each.
struct OldHashBudgets: Sendable {
    static let capacity = Duration.seconds(10)
    /// After this time an empty budget is full again.
    static let refillTime = Duration.seconds(60)
    /// More networks are not told apart: the ones with the fullest budgets are forgotten.
    static let maximumNetworks = 10_000

    private struct Spent: Sendable {
        var time: Duration
        var at: ContinuousClock.Instant
    }
    private var spent: [ClientNetwork: Spent] = [:]

    /// Charges the time of a guess before it is made.
    /// - Returns: how long the network must wait, if its budget does not suffice; then nothing is charged. A guess that
    ///   costs more than the capacity needs a full budget.
    mutating func charge(_ time: Duration, to network: ClientNetwork, at now: ContinuousClock.Instant) -> Duration? {
        let counted = network.counted
        for (network, factor) in counted {
            let (capacity, used) = (Self.capacity * factor, used(by: network, factor, at: now))
            let missing = used + min(time, capacity) - capacity
            if missing > .zero { return Self.refillTime * (missing / capacity) }
        }
        for (network, factor) in counted { add(time, to: network, factor, at: now) }
        return nil
    }

    /// Returns the time of a guess that was right, or was not made.
    mutating func refund(_ time: Duration, to network: ClientNetwork, at now: ContinuousClock.Instant) {
        for (network, factor) in network.counted { add(.zero - time, to: network, factor, at: now) }
    }

    /// The used time that is not refilled yet.
    private func used(by network: ClientNetwork, _ factor: Int, at now: ContinuousClock.Instant) -> Duration {
        guard let spent = spent[network] else { return .zero }
        let refilled = Self.capacity * factor * ((now - spent.at) / Self.refillTime)
        return max(.zero, spent.time - refilled)
    }

    private mutating func add(
        _ time: Duration, to network: ClientNetwork, _ factor: Int, at now: ContinuousClock.Instant
    ) {
        let sum = used(by: network, factor, at: now) + time
        guard sum > .zero else {
            spent[network] = nil
            return
        }
        spent[network] = Spent(time: sum, at: now)
        if spent.count > Self.maximumNetworks { forgetHalf(at: now) }
    }

    private mutating func forgetHalf(at now: ContinuousClock.Instant) {
        let kept = spent.sorted { left, right in
            used(by: left.key, 1, at: now) > used(by: right.key, 1, at: now)
        }.prefix(Self.maximumNetworks / 2)
        spent = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
}
