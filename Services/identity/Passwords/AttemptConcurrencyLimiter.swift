import Contracts
import Vocabulary

/// Limits the concurrent attempts of one client at one address; further ones wait in a queue. So many right passwords
/// at once are served one after another instead of being counted as failures, and many wrong ones reach their limit.
package actor AttemptConcurrencyLimiter {
    /// Equal to the number of attempts without a delay.
    static let maximumConcurrentAttempts = SignInAttempts.freeAttempts
    /// Maximum waiting attempts for one address.
    static let maximumWaiting = 128
    /// Addresses with a running or waiting attempt.
    static let maximumAddresses = 10_000

    private struct Queue {
        var entered = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }
    private struct Address: Hashable {
        var realm: Realm
        var email: String
        /// Attempts of unknown clients do not delay those of a known one.
        var origin: AttemptOrigin
    }
    private var queues: [Address: Queue] = [:]

    package init() {}

    /// Runs `attempt` when it gets a slot.
    /// - Throws: `ServiceError.overloaded` when too many wait, or what `attempt` throws.
    func run<Result: Sendable>(
        _ email: EmailAddress, in realm: Realm, for origin: AttemptOrigin,
        _ attempt: @Sendable () async throws -> Result
    ) async throws -> Result {
        let address = Address(realm: realm, email: email.folded, origin: origin)
        try await acquireSlot(address)
        defer { releaseSlot(address) }
        return try await attempt()
    }

    private func acquireSlot(_ address: Address) async throws(ServiceError) {
        guard queues.count < Self.maximumAddresses || queues[address] != nil else { throw .overloaded }
        guard queues[address, default: .init()].entered == Self.maximumConcurrentAttempts else {
            queues[address, default: .init()].entered += 1
            return
        }
        guard queues[address, default: .init()].waiting.count < Self.maximumWaiting else { throw .overloaded }
        // A finished attempt passes its slot on, so `entered` is unchanged.
        await withCheckedContinuation { queues[address, default: .init()].waiting.append($0) }
    }

    private func releaseSlot(_ address: Address) {
        guard var queue = queues.removeValue(forKey: address) else { preconditionFailure("left without entering") }
        if queue.waiting.isEmpty { queue.entered -= 1 } else { queue.waiting.removeFirst().resume() }
        if queue.entered > 0 { queues[address] = queue }
    }
}
