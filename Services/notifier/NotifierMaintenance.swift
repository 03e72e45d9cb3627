import Contracts
package import ServiceRuntime
package import Storage
package import Vocabulary

/// The background work of the notifier on its outbox.
package struct NotifierMaintenance: Sendable {
    private let store: NotifierStore
    private let history: Duration
    private let counters: DeliveryMetrics
    private let now: @Sendable () -> Moment

    /// - Parameter history: how long a finished message stays.
    package init(
        _ store: NotifierStore, history: Duration, counters: DeliveryMetrics, now: @escaping @Sendable () -> Moment
    ) {
        self.store = store
        self.history = history
        self.counters = counters
        self.now = now
    }

    package func tasks(trusting clock: TrustedClock) -> [MaintenanceTask] {
        [
            MaintenanceTask("expiry", every: .seconds(5), trusting: clock, expire),
            MaintenanceTask("measurement", every: .seconds(5), measure),
        ]
    }

    /// Ends the messages that have expired, and deletes expired rows.
    func expire(at now: Moment) async throws {
        var isDone = false
        while !isDone {
            let expired = try await store.expire(at: now)
            counters.countExpired(expired)
            isDone = expired.isEmpty
        }
        try await store.sweep(history: history, at: now)
    }

    /// Publishes the size of the outbox.
    func measure() async throws {
        for channel in Channel.allCases {
            let (count, oldest) = try await store.queueDepth(channel)
            counters.setWaiting(channel, count, oldest: oldest, at: now())
        }
    }
}
