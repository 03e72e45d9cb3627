/// What a part waits for that has nothing else to tell it when to end.
package struct StopSignal: Sendable {
    private let stops: AsyncStream<Never>
    private let raising: AsyncStream<Never>.Continuation

    package init() {
        (stops, raising) = AsyncStream.makeStream()
    }

    package func raise() {
        raising.finish()
    }

    /// Runs the works beside each other until the signal is raised, then cancels those that have not ended, and waits for
    /// them.
    package func run(_ works: @Sendable () async -> Void...) async {
        await withTaskGroup { group in
            for work in works { group.addTask { await work() } }
            for await _ in stops {}
            group.cancelAll()
        }
    }

    /// As long as the signal is not raised and the task is not cancelled.
    package func wait() async {
        for await _ in stops {}
    }
}

/// Work that comes round. What fails is tried again at its next turn: whoever does without a round for a while loses
/// nothing by it.
package struct PeriodicTask: Sendable {
    private let interval: Duration
    private let initialDelay: Duration
    private let failed: @Sendable (any Error) -> Void
    private let body: @Sendable () async throws -> Void

    /// - Parameters:
    ///   - firstPause: until the first turn; absent: the interval.
    ///   - failed: told once for turns that fail one after the other.
    package init(
        every interval: Duration, after firstPause: Duration? = nil, failed: @escaping @Sendable (any Error) -> Void,
        _ body: @escaping @Sendable () async throws -> Void
    ) {
        self.interval = interval
        self.initialDelay = firstPause ?? interval
        self.failed = failed
        self.body = body
    }

    /// Takes turns until the task is cancelled.
    package func run() async {
        var pause = initialDelay
        var isFailing = false
        // The only error of a sleep is its cancellation, which is how this ends.
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
