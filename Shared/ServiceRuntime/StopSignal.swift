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

/// An operation that runs periodically. After a failure it runs again at the next interval; skipping a run is safe.
package struct PeriodicTask: Sendable {
    private let interval: Duration
    private let initialDelay: Duration
    private let failed: @Sendable (any Error) -> Void
    private let body: @Sendable () async throws -> Void

    /// - Parameters:
    ///   - initialDelay: until the first run; absent: the interval.
    ///   - failed: called once for consecutive failures.
    package init(
        every interval: Duration, after initialDelay: Duration? = nil, failed: @escaping @Sendable (any Error) -> Void,
        _ body: @escaping @Sendable () async throws -> Void
    ) {
        self.interval = interval
        self.initialDelay = initialDelay ?? interval
        self.failed = failed
        self.body = body
    }

    /// Runs until the task is cancelled.
    package func run() async {
        var pause = initialDelay
        var isFailing = false
        // A sleep throws only when it is cancelled, which ends the loop.
        while (try? await Task.sleep(for: pause)) != nil {
            pause = interval
            do {
                try await body()
                isFailing = false
            } catch {
                guard !Task.isCancelled else { return }
                if !isFailing { failed(error) }
                isFailing = true
            }
        }
    }
}
