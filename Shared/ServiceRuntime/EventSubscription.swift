/// Passes the events or reports of the bus to a service until the process stops.
package struct EventSubscription<Event: Sendable>: SignaledComponent {
    private let events: AsyncStream<Event>
    private let receive: @Sendable (Event) async -> Void
    package let stop = StopSignal()

    /// - Parameters:
    ///   - events: `BusConnection.subscribe` or `watchReports`.
    ///   - receive: called for one event at a time, in their order.
    package init(_ events: AsyncStream<Event>, to receive: @escaping @Sendable (Event) async -> Void) {
        self.events = events
        self.receive = receive
    }

    package func run() async throws {
        await stop.run { for await event in events { await receive(event) } }
    }
}
