import Contracts
package import ServiceRuntime
package import Vocabulary

/// What the notifier does of itself: it measures what waits, gives up what nobody wants any more, and sweeps out what is
/// past its time.
package struct NotifierUpkeep: RunningPart {
    private static let interval = Duration.seconds(5)

    private let store: NotifierStore
    private let history: Duration
    private let counters: DeliveryCounters
    private let now: @Sendable () -> Moment
    private let log: Log
    /// Ends when the process stops.
    private let running: (stream: AsyncStream<Never>, continuation: AsyncStream<Never>.Continuation)

    /// - Parameter history: how long a finished message is remembered.
    package init(
        _ store: NotifierStore, history: Duration, counters: DeliveryCounters, now: @escaping @Sendable () -> Moment,
        log: Log
    ) {
        self.store = store
        self.history = history
        self.counters = counters
        self.now = now
        self.log = log
        running = AsyncStream.makeStream(of: Never.self)
    }

    package func run() async throws {
        await withTaskGroup { group in
            group.addTask { await keepUp() }
            for await _ in running.stream {}
            group.cancelAll()
        }
    }

    package func beginShutdown() async {
        running.continuation.finish()
    }

    private func keepUp() async {
        // The only error of a sleep is its cancellation, which is how this ends.
        while (try? await Task.sleep(for: Self.interval)) != nil {
            do {
                try await round()
            } catch {
                // Told and tried again: nothing is lost without a round.
                log.error("notifier.upkeep-failed", ["error": .kind(of: error)])
            }
        }
    }

    /// One round.
    func round() async throws {
        var isDone = false
        while !isDone {
            let expired = try await store.expire(at: now())
            counters.countExpired(expired)
            isDone = expired.isEmpty
        }
        while try await store.sweep(history: history, at: now()) {}
        for channel in Channel.allCases {
            let (count, oldest) = try await store.backlog(channel)
            counters.setWaiting(channel, count, oldest: oldest, at: now())
        }
    }
}
