import Contracts
import Delivery
import EventLoop
import ServiceRuntime
import Synchronization

/// The delivery workers of this process, and the events by which processes wake each other. A notifier that cannot send
/// a message at once publishes `messagesQueued`. Events may be lost, because every worker also polls.
final class DeliveryLoops: Sendable {
    /// The minimum interval between two events of a channel.
    private static let pause = Duration.milliseconds(5)

    private enum NotificationState {
        /// Published recently.
        case published
        /// Published recently, and due to be published again.
        case pending
    }

    private let workers: [Channel: DeliveryLoop<MessageOutbox>]
    private let publish: @Sendable (BusEvent) -> Void
    private let hints = Mutex<[Channel: NotificationState]>([:])

    init(_ workers: [DeliveryLoop<MessageOutbox>], publish: @escaping @Sendable (BusEvent) -> Void) {
        self.workers = Dictionary(workers.map { ($0.outbox.channel, $0) }) { first, _ in first }
        self.publish = publish
    }

    var components: [any ProcessComponent] { Array(workers.values) }

    /// A message was accepted.
    func wake(_ channel: Channel) {
        if let worker = workers[channel] {
            worker.wake()
            if worker.hasRoom { return }
        }
        scheduleNotification(channel)
    }

    /// Handles an event of another process.
    func receive(_ event: BusEvent) {
        switch event {
        case .messagesQueued(let channel): workers[channel]?.wake()
        case .configurationChanged, .sessionsRevoked, .signingKeysChanged: break
        }
    }

    private func scheduleNotification(_ channel: Channel) {
        let isFirst = hints.withLock { hints in
            defer { hints[channel] = hints[channel] == nil ? .published : .pending }
            return hints[channel] == nil
        }
        if isFirst { publishMessagesQueued(channel) }
    }

    private func publishMessagesQueued(_ channel: Channel) {
        publish(.messagesQueued(channel))
        EventLoop.startTask { [self] in
            // `try?`: nothing cancels it, and an early event is no mistake.
            try? await EventLoop.sleep(forAbout: Self.pause)
            let isPending = hints.withLock { hints in
                defer { hints[channel] = hints[channel] == .pending ? .published : nil }
                return hints[channel] == .pending
            }
            if isPending { publishMessagesQueued(channel) }
        }
    }
}
