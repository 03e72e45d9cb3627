import Contracts
import Synchronization
import Vocabulary

/// Measures the imported hashes that an earlier version has stored without a time, so that the refusals of their realms
/// take as long as the slowest of them.
final class OldHashMeasurement: Sendable {
    private let store: IdentityStore
    private let hasher: PasswordHasher
    /// An import stores the time of each hash, so nothing is left after one pass.
    private let isDone = Mutex(false)

    init(store: IdentityStore, hasher: PasswordHasher) {
        self.store = store
        self.hasher = hasher
    }

    /// Measures all of them, once in the life of the process.
    /// - Parameter count: accounts of one read, and at most as many hashes of one transaction.
    func measureAll(accountsAtOnce count: Int = 500) async throws {
        guard !isDone.withLock({ $0 }) else { return }
        var page = try await store.unmeasuredHashes(after: nil, among: count)
        while let last = page.last {
            var times: [(hash: UnmeasuredHash, milliseconds: Int64)] = []
            for hash in page.hashes {
                times.append((hash, try await hasher.oldHashMilliseconds(of: hash.record) ?? 0))
            }
            if !times.isEmpty { try await store.record(times) }
            page = try await store.unmeasuredHashes(after: last, among: count)
        }
        isDone.withLock { $0 = true }
    }
}

/// Charges the client networks with the time of wrong passwords.
final class OldHashBudgetLimiter: Sendable {
    private let budgets = Mutex(OldHashBudgets())
    private let steadyNow: @Sendable () -> ContinuousClock.Instant

    init(steadyNow: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.steadyNow = steadyNow
    }

    /// Charges the time of a refusal before the password is compared.
    /// - Returns: how long the network must wait, if its budget does not suffice.
    func charge(_ attempt: PasswordAttempt) -> Duration? {
        guard let (network, time) = attempt.chargedOldHash else { return nil }
        return budgets.withLock { $0.charge(time, to: network, at: steadyNow()) }
    }

    /// The password was right, or was not compared.
    func refund(_ attempt: PasswordAttempt) {
        guard let (network, time) = attempt.chargedOldHash else { return }
        budgets.withLock { $0.refund(time, to: network, at: steadyNow()) }
    }
}

extension PasswordAttempt {
    /// A client with a device token of the account has a budget of its own, which others of its network cannot use up.
    fileprivate var chargedOldHash: (network: ClientNetwork, time: Duration)? {
        guard oldHashTime.duration > .zero, let network = oldHashTime.network, origin.client != .device else {
            return nil
        }
        return (network, oldHashTime.duration)
    }
}
