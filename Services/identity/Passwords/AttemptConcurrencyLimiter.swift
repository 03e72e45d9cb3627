import Vocabulary

/// Lets a few attempts of one client at one address be judged at a time; the rest wait their turn. So a burst of right passwords is
/// served one after another instead of being taken for guesses, and a burst of guesses meets its limit.
package actor AttemptConcurrencyLimiter {
    /// As many as slips are free.
    static let maximumConcurrentAttempts = SignInAttempts.freeAttempts
    /// Waiting for one address.
    static let maximumWaiting = 128
    /// Addresses with somebody waiting or being judged.
    static let maximumAddresses = 10_000

    private struct Queue {
        var entered = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }
    private struct Address: Hashable {
        var realm: Realm
        var email: String
        /// Strangers do not stand in the way of a client that is known.
        var origin: AttemptOrigin
    }
    private var queues: [Address: Queue] = [:]

    package init() {}

    /// Runs `attempt` when its turn has come.
    /// - Throws: `IdentityError.overloaded` when too many wait, or what `attempt` throws.
    func run<Result: Sendable>(
        _ email: EmailAddress, in realm: Realm, for origin: AttemptOrigin,
        _ attempt: @Sendable () async throws -> Result
    ) async throws -> Result {
        let address = Address(realm: realm, email: email.folded, origin: origin)
        try await acquireSlot(address)
        defer { releaseSlot(address) }
        return try await attempt()
    }

    private func acquireSlot(_ address: Address) async throws(IdentityError) {
        guard queues.count < Self.maximumAddresses || queues[address] != nil else { throw .overloaded }
        guard queues[address, default: .init()].entered == Self.maximumConcurrentAttempts else {
            queues[address, default: .init()].entered += 1
            return
        }
        guard queues[address, default: .init()].waiting.count < Self.maximumWaiting else { throw .overloaded }
        // Whoever leaves hands the place over, so `entered` stays as it is.
        await withCheckedContinuation { queues[address, default: .init()].waiting.append($0) }
    }

    private func releaseSlot(_ address: Address) {
        guard var lane = queues.removeValue(forKey: address) else { preconditionFailure("left without entering") }
        if lane.waiting.isEmpty { lane.entered -= 1 } else { lane.waiting.removeFirst().resume() }
        if lane.entered > 0 { queues[address] = lane }
    }
}
