package import Contracts
package import ServiceRuntime
import Synchronization

/// The couriers of this process, and the hints by which processes wake each other: who accepts a message that it cannot
/// send at once tells the others. Hints may be lost, since every courier also looks by itself.
package final class Couriers: Sendable {
    /// A burst of messages is one hint in so long.
    private static let pause = Duration.milliseconds(5)

    private enum Hint {
        /// Told just now.
        case told
        /// Told just now, and to be told again.
        case pending
    }

    private let couriers: [Channel: Courier]
    private let publish: @Sendable (BusEvent) -> Void
    private let hints = Mutex<[Channel: Hint]>([:])

    package init(_ couriers: [Courier], publish: @escaping @Sendable (BusEvent) -> Void) {
        self.couriers = Dictionary(couriers.map { ($0.channel, $0) }) { first, _ in first }
        self.publish = publish
    }

    package var parts: [any RunningPart] { Array(couriers.values) }

    /// A message was accepted.
    package func wake(_ channel: Channel) {
        if let courier = couriers[channel] {
            courier.wake()
            if courier.hasRoom { return }
        }
        hint(channel)
    }

    /// Takes the hint of another process.
    package func receive(_ event: BusEvent) {
        switch event {
        case .messagesWaiting(let channel): couriers[channel]?.wake()
        case .configurationChanged, .sessionsRevoked, .signingKeysChanged, .processReport: break
        }
    }

    private func hint(_ channel: Channel) {
        let isFirst = hints.withLock { hints in
            defer { hints[channel] = hints[channel] == nil ? .told : .pending }
            return hints[channel] == nil
        }
        if isFirst { tell(channel) }
    }

    private func tell(_ channel: Channel) {
        publish(.messagesWaiting(channel))
        Task {
            try await Task.sleep(for: Self.pause)
            let isPending = hints.withLock { hints in
                defer { hints[channel] = hints[channel] == .pending ? .told : nil }
                return hints[channel] == .pending
            }
            if isPending { tell(channel) }
        }
    }
}

/// Hands the hints of other processes to the couriers, until it is stopped.
package struct HintFeed: RunningPart {
    private let events: AsyncStream<BusEvent>
    private let couriers: Couriers
    private let running: (stream: AsyncStream<Never>, continuation: AsyncStream<Never>.Continuation)

    package init(_ events: AsyncStream<BusEvent>, to couriers: Couriers) {
        self.events = events
        self.couriers = couriers
        running = AsyncStream.makeStream(of: Never.self)
    }

    package func run() async throws {
        let feed = Task { for await event in events { couriers.receive(event) } }
        for await _ in running.stream {}
        feed.cancel()
    }

    package func beginShutdown() async {
        running.continuation.finish()
    }
}
