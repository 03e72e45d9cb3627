package import Contracts

/// Passes the events of the bus to a service until the process stops.
package struct EventSubscription: ProcessComponent {
    private let events: AsyncStream<BusEvent>
    private let receive: @Sendable (BusEvent) async -> Void
    private let stop = StopSignal()

    /// - Parameters:
    ///   - events: `BusClient.subscribe`.
    ///   - receive: called for one event at a time, in their order.
    package init(_ events: AsyncStream<BusEvent>, to receive: @escaping @Sendable (BusEvent) async -> Void) {
        self.events = events
        self.receive = receive
    }

    package func run() async throws {
        await stop.run { for await event in events { await receive(event) } }
    }

    package func beginShutdown() async {
        stop.raise()
    }
}
