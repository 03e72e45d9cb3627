import Bus
import Contracts
package import EventLoop
package import HTTPServer
package import ServiceRuntime

/// The servers of one gateway. They stop concurrently, so their drain times do not add up.
package struct HTTPListeners: ProcessComponent {
    /// In the order of `GatewaySettings.listeners`.
    package let servers: [HTTPServer]
    private let gateway: Gateway
    private let log: Log

    /// - Parameters:
    ///   - loop: serves the connections of all listeners and runs the handlers.
    ///   - descriptors: file descriptors that the process uses for services beside the gateway.
    /// - Throws: `ListenerError`.
    package init(_ gateway: Gateway, on loop: EventLoop, besides descriptors: Int = 0, log: Log) throws {
        (self.gateway, self.log) = (gateway, log)
        let listeners = gateway.dependencies.settings.listeners
        servers = try listeners.map { listener, address in
            var settings = gateway.dependencies.settings.server(of: listener, at: address)
            settings.connections = DescriptorBudget.connections(
                atMost: settings.connections, besides: DescriptorBudget.gateway + descriptors,
                listeners: listeners.count)
            do throws(HTTPServerError) {
                let server = try HTTPServer(
                    settings, on: loop, refusal: { gateway.respond(to: $0, on: listener) },
                    handler: { await gateway.respond(to: $0, on: listener) })
                gateway.record(boundAddress: HostPort(host: address.host, port: server.port))
                return server
            } catch {
                throw ListenerError(error: error)
            }
        }
    }

    package func run() async throws {
        await withTaskGroup { group in
            for server in servers { group.addTask { await server.run() } }
        }
    }

    package func beginShutdown() async {
        let time = gateway.dependencies.settings.drainTime
        if time > .zero {
            log.info(.httpDraining, ["seconds": .public(time.components.seconds)])
            gateway.beginDraining()
            for server in servers { server.announceShutdown() }
            // `try?`: a cancelled process closes its listeners at once.
            try? await EventLoop.sleep(forAbout: time)
        }
        for server in servers { server.beginShutdown() }
    }
}

extension GatewaySettings {
    /// The server settings of a listener.
    package func server(of listener: Listener, at address: HostPort) -> HTTPServerSettings {
        var settings = HTTPServerSettings(host: address.host, port: address.port)
        settings.sharesAddress = sharesAddress
        settings.connectionsPerAddress = connectionsPerAddress == 0 ? nil : connectionsPerAddress
        // All clients of a proxy share its connections. Connections to the admin listener from this machine, and all
        // connections in dev mode, belong to the operator.
        settings.isExemptFromAddressLimit = { [trustedProxies, isDev] address in
            address.isLoopback && (isDev || listener == .admin) || trustedProxies.contains { $0.contains(address) }
        }
        return settings
    }
}

/// A listener could not be opened.
package struct ListenerError: ExitError, Equatable {
    let error: HTTPServerError

    /// An address in use may become free, so a restart can succeed. Other errors require the operator.
    package var exitCode: Int32 {
        switch error {
        case .addressInUse, .system: ExitCode.failure
        case .invalidHost, .addressNotAvailable, .permissionDenied: ExitCode.settings
        }
    }

    package var messages: [String] { ["Cannot listen: \(error)."] }
}
