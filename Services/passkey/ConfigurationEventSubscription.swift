package import Contracts
import ServiceRuntime

/// Passes the events of the bus to the service.
package struct ConfigurationEventSubscription: ProcessComponent {
    private let events: AsyncStream<BusEvent>
    private let service: PasskeyService
    private let stop = StopSignal()

    package init(_ events: AsyncStream<BusEvent>, to service: PasskeyService) {
        self.events = events
        self.service = service
    }

    package func run() async throws {
        await stop.run { for await event in events { await service.receive(event) } }
    }

    package func beginShutdown() async {
        stop.raise()
    }
}
