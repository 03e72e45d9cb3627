import Synchronization

/// Abandons calls that cannot be interrupted: a process that must stop within seconds does not wait for a provider that
/// hangs.
final class AbortController<Outcome: Sendable>: Sendable {
    private struct State {
        var isAborted = false
        var nextID = 0
        var waiters: [Int: CheckedContinuation<Outcome?, Never>] = [:]
    }

    private let state = Mutex(State())

    /// The result of `work`; nil if `abort` was called first. The work then continues, and its result is ignored.
    func run(_ work: @Sendable @escaping () async -> Outcome) async -> Outcome? {
        await withCheckedContinuation { continuation in
            let id: Int? = state.withLock { state in
                guard !state.isAborted else { return nil }
                state.nextID += 1
                state.waiters[state.nextID] = continuation
                return state.nextID
            }
            guard let id else { return continuation.resume(returning: nil) }
            Task {
                let outcome = await work()
                self.state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(returning: outcome)
            }
        }
    }

    func abort() {
        let waiters = state.withLock { state in
            state.isAborted = true
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(returning: nil) }
    }
}
