package import Contracts
package import ServiceRuntime
import Synchronization

/// The couriers of this process, and the hints by which processes wake each other: who accepts a message that it cannot
/// send at once tells the others. Hints may be lost, since every courier also looks by itself.
package final class DeliveryWorkers: Sendable {
    /// A burst of messages is one hint in so long.
    private static let pause = Duration.milliseconds(5)

    private enum NotificationState {
        /// Told just now.
        case told
        /// Told just now, and to be told again.
        case pending
    }

    private let workers: [Channel: DeliveryWorker]
    private let publish: @Sendable (BusEvent) -> Void
    private let hints = Mutex<[Channel: NotificationState]>([:])

    package init(_ workers: [DeliveryWorker], publish: @escaping @Sendable (BusEvent) -> Void) {
        self.workers = Dictionary(workers.map { ($0.channel, $0) }) { first, _ in first }
        self.publish = publish
    }

    package var components: [any ProcessComponent] { Array(workers.values) }

    /// A message was accepted.
    package func wake(_ channel: Channel) {
        if let worker = workers[channel] {
            worker.wake()
            if worker.hasRoom { return }
        }
        scheduleNotification(channel)
    }

    /// Takes the hint of another process.
    package func receive(_ event: BusEvent) {
        switch event {
        case .messagesQueued(let channel): workers[channel]?.wake()
        case .configurationChanged, .sessionsRevoked, .signingKeysChanged, .processReport: break
        }
    }

    private func scheduleNotification(_ channel: Channel) {
        let isFirst = hints.withLock { hints in
            defer { hints[channel] = hints[channel] == nil ? .told : .pending }
            return hints[channel] == nil
        }
        if isFirst { publishMessagesQueued(channel) }
    }

    private func publishMessagesQueued(_ channel: Channel) {
        publish(.messagesQueued(channel))
        Task {
            try await Task.sleep(for: Self.pause)
            let isPending = hints.withLock { hints in
                defer { hints[channel] = hints[channel] == .pending ? .told : nil }
                return hints[channel] == .pending
            }
            if isPending { publishMessagesQueued(channel) }
        }
    }
}

/// Hands the hints of other processes to the couriers, until it is stopped.
package struct OutboxEventSubscription: ProcessComponent {
    private let events: AsyncStream<BusEvent>
    private let workers: DeliveryWorkers
    private let running: (stream: AsyncStream<Never>, continuation: AsyncStream<Never>.Continuation)

    package init(_ events: AsyncStream<BusEvent>, to workers: DeliveryWorkers) {
        self.events = events
        self.workers = workers
        running = AsyncStream.makeStream(of: Never.self)
    }

    package func run() async throws {
        let feed = Task { for await event in events { workers.receive(event) } }
        for await _ in running.stream {}
        feed.cancel()
    }

    package func beginShutdown() async {
        running.continuation.finish()
    }
}
