package import Bus
package import Contracts
package import HTTPServer
package import ServiceRuntime

extension BusClient: Mesh {}

extension HTTPServer: RunningPart {}

extension HTTPServer {
    /// One of the gateway's listeners.
    /// - Throws: `ListenerFailure`.
    package convenience init(_ gateway: Gateway, _ listener: Listener, at address: HostPort) throws {
        var settings = HTTPServerSettings(host: address.host, port: address.port)
        // Behind a proxy, or on loopback, all clients share few addresses.
        if address.isLoopback || !gateway.dependencies.settings.trustedProxies.isEmpty {
            settings.connectionsPerAddress = nil
        }
        do {
            try self.init(
                settings, refusal: { gateway.answer($0, on: listener) },
                handler: { await gateway.answer($0, on: listener) })
        } catch let error {
            throw ListenerFailure(error: error)
        }
    }
}

/// A listener that cannot be opened.
package struct ListenerFailure: ProgramFailure, Equatable {
    let error: HTTPServerError

    /// An address in use may be free again soon: starting again is of use. Others need the operator.
    package var exitCode: Int32 {
        switch error {
        case .addressInUse, .system: ExitCode.failure
        case .invalidHost, .addressNotAvailable, .permissionDenied: ExitCode.settings
        }
    }

    package var sentences: [String] { ["Cannot listen: \(error)."] }
}

/// Hands the events of the bus to the gateway, until it is stopped.
package struct EventFeed: RunningPart {
    private let events: AsyncStream<BusEvent>
    private let gateway: Gateway
    private let stop = StopSignal()

    package init(_ events: AsyncStream<BusEvent>, to gateway: Gateway) {
        self.events = events
        self.gateway = gateway
    }

    package func run() async throws {
        await stop.run { for await event in events { gateway.observe(event) } }
    }

    package func beginShutdown() async {
        stop.raise()
    }
}
