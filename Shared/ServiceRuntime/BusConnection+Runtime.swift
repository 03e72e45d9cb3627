package import Bus
package import Contracts
internal import Settings

extension BusConnection: ProcessComponent {}

extension BusConnection {
    /// The place on the bus that the common settings describe.
    /// - Parameters:
    ///   - capacity: requests worked on at once for each broker.
    ///   - worker: answers requests; without it the process only asks and hears events.
    /// - Throws: `SettingsError` for brokers that cannot be used.
    package convenience init(
        _ settings: ProcessSettings, capacity: UInt16 = 64, worker: BusHandler? = nil, log: Log
    ) throws {
        let bus: BusSettings
        do throws(BusSettingsError) {
            bus = try BusSettings(
                brokers: settings.brokers, service: settings.service, instance: settings.start.busInstance,
                capacity: capacity)
        } catch {
            throw SettingsError([
                .init(
                    .brokers, "cannot be used: \(error)",
                    remedy: "Write it like LATCHKEY_BROKERS=ipc:///run/latchkey/broker.1.sock")
            ])
        }
        try self.init(bus, worker: worker) { log.report($0) }
    }
}

extension Log {
    /// Writes what the bus wants known.
    package func report(_ notice: BusDiagnostic) {
        switch notice {
        case .connected(let connectedBrokers):
            info("bus.connected", ["live-brokers": .public(connectedBrokers)])
        case .brokerLost(let endpoint):
            warn("bus.broker-lost", ["endpoint": .public(endpoint)])
        case .malformedMessage(let broker, let fault):
            warn("bus.message-malformed", ["broker": .public(broker), "error": .public("\(fault)")])
        case .handlerFailed(let operation, let trace, let error):
            // What will pass by itself, a full disk or a server that is away, meets every request the same.
            if let failure = error as? any DependencyFailure, failure.wireError != nil {
                return errorOnceAMinute(
                    "bus.handler-failed", about: failure.reason,
                    ["operation": .public(operation), "error": .kind(of: error)], trace: trace)
            }
            self.error(
                "bus.handler-failed", ["operation": .public(operation), "error": .kind(of: error)], trace: trace)
        }
    }
}

extension ServiceRuntime {
    /// A part that publishes over the bus what this process measures, the bus itself included.
    /// - Parameter note: gets each report too, because nobody hears its own events.
    package func reporter(
        _ settings: ProcessSettings, over bus: BusConnection,
        note: @escaping @Sendable (ProcessReport) -> Void = { _ in }
    ) -> ProcessReporter {
        metrics.addCollector {
            let status = bus.status
            return [
                .init(name: "latchkey_bus_connected_brokers", kind: .gauge, value: Double(status.connectedBrokers)),
                .init(name: "latchkey_bus_pending_replies", kind: .gauge, value: Double(status.pendingReplies)),
                .init(name: "latchkey_bus_running_requests", kind: .gauge, value: Double(status.running)),
                .init(name: "latchkey_bus_late_replies_total", kind: .counter, value: Double(status.lateReplies)),
                .init(name: "latchkey_bus_refused_requests_total", kind: .counter, value: Double(status.refused)),
                .init(
                    name: "latchkey_bus_malformed_messages_total", kind: .counter,
                    value: Double(status.malformedMessages)),
            ]
        }
        return ProcessReporter(settings, metrics: metrics) { report in
            bus.publish(.processReport(report))
            note(report)
        }
    }
}
