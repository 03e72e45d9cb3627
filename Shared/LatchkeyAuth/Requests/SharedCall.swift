/// A call whose callers share one execution: those that come while it runs get its result.
///
/// A caller that is cancelled does not cancel it for the others.
package final class SharedCall<Value: Sendable>: Sendable {
    package init() {}

    private let running = Locked<Task<Value, any Error>?>(nil)

    /// Whether an execution is running.
    package var isRunning: Bool { running.withLock { $0 != nil } }

    /// Starts the call, or joins the running one.
    package func task(_ call: @escaping @Sendable () async throws -> Value) -> Task<Value, any Error> {
        running.withLock { running in
            if let running { return running }
            let task = Task {
                defer { self.running.withLock { $0 = nil } }
                return try await call()
            }
            running = task
            return task
        }
    }
}
