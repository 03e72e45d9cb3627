/// Signals the end to a component that has no other way to detect it.
package struct StopSignal: Sendable {
    private let stops: AsyncStream<Never>
    private let raising: AsyncStream<Never>.Continuation

    package init() {
        (stops, raising) = AsyncStream.makeStream()
    }

    package func raise() {
        raising.finish()
    }

    /// Runs the operations concurrently until the signal is raised, then cancels those that have not ended and waits
    /// for them.
    package func run(_ works: @Sendable () async -> Void...) async {
        await withTaskGroup { group in
            for work in works { group.addTask { await work() } }
            for await _ in stops {}
            group.cancelAll()
        }
    }

    /// Waits until the signal is raised or the task is cancelled.
    package func wait() async {
        for await _ in stops {}
    }
}
