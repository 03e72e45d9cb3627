import Contracts
package import ServiceRuntime
package import Vocabulary

/// What the notifier does of itself: it measures what waits, gives up what nobody wants any more, and sweeps out what
/// is past its time.
package struct NotifierMaintenance: ProcessComponent {
    private static let interval = Duration.seconds(5)

    private let store: NotifierStore
    private let history: Duration
    private let counters: DeliveryMetrics
    private let now: @Sendable () -> Moment
    private let trustedNow: @Sendable () async throws -> Moment?
    private let log: Log
    private let stop = StopSignal()

    /// - Parameters:
    ///   - history: how long a finished message is remembered.
    ///   - trustedNow: nil while the clock is in doubt; then nothing is given up or removed.
    package init(
        _ store: NotifierStore, history: Duration, counters: DeliveryMetrics, now: @escaping @Sendable () -> Moment,
        trustedNow: @escaping @Sendable () async throws -> Moment?, log: Log
    ) {
        self.store = store
        self.history = history
        self.counters = counters
        self.now = now
        self.trustedNow = trustedNow
        self.log = log
    }

    package func run() async throws {
        await stop.run(
            PeriodicTask(
                every: Self.interval,
                failed: { [log] in log.error("notifier.maintenance-failed", ["error": .kind(of: $0)]) }, round
            ).run)
    }

    package func beginShutdown() async {
        stop.raise()
    }

    /// One round.
    func round() async throws {
        if let now = try await trustedNow() {
            var isDone = false
            while !isDone {
                let expired = try await store.expire(at: now)
                counters.countExpired(expired)
                isDone = expired.isEmpty
            }
            while try await store.sweep(history: history, at: now) {}
        }
        for channel in Channel.allCases {
            let (count, oldest) = try await store.queueDepth(channel)
            counters.setWaiting(channel, count, oldest: oldest, at: now())
        }
    }
}
