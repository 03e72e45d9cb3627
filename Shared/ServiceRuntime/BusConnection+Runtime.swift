package import Bus
package import Contracts
package import EventLoop
package import Settings
package import Tracing

extension BusConnection: ProcessComponent {}

extension BusConnection {
    /// The bus connection for the common settings.
    /// - Parameters:
    ///   - capacity: requests handled at once for each broker.
    ///   - worker: handles requests; without it the process only sends requests and receives events.
    ///   - loop: owns the sockets and runs the handlers; nil for that of the host, or else one of its own.
    ///   - machine: its clocks and connections; nil for those of the host.
    ///   - spans: records the requests that the worker handles.
    ///   - note: receives what is logged, too.
    /// - Throws: `SettingsError` if the brokers are invalid.
    package convenience init(
        _ settings: ProcessSettings, in host: ServiceHost, capacity: UInt16 = 64, worker: BusHandler? = nil,
        on loop: EventLoop? = nil, machine: (any BusMachine)? = nil, recordingIn spans: SpanRecorder? = nil, log: Log,
        note: @escaping @Sendable (BusDiagnostic) -> Void = { _ in }
    ) throws {
        let bus: BusSettings
        do throws(BusSettingsError) {
            bus = try BusSettings(
                brokers: settings.brokers, service: settings.service, instance: settings.start.busInstance,
                capacity: capacity, keys: settings.busKeys?.keys)
        } catch {
            throw SettingsError([.init(.brokers, error)])
        }
        try self.init(
            bus, worker: worker, on: loop ?? host.loop, machine: machine ?? host.machine, recordingIn: spans
        ) { notice in
            log.report(notice)
            note(notice)
            if case .connected = notice { host.joined() }
        }
    }
}

extension SettingsIssue {
    /// For brokers that a process cannot use.
    package init(_ setting: Setting, _ error: BusSettingsError) {
        self.init(
            setting, "cannot be used: \(error)", remedy: "Write it like \(setting.name)=\(BusConnection.brokersExample)"
        )
    }
}

extension BusConnection {
    static let brokersExample = "ipc:///run/latchkey/broker.1.sock"
}

extension Log {
    /// Logs a diagnostic of the bus.
    package func report(_ notice: BusDiagnostic) {
        switch notice {
        case .connected(let connectedBrokers):
            info(.busConnected, ["live-brokers": .public(connectedBrokers)])
        case .brokerLost(let endpoint):
            warn(.busBrokerLost, ["endpoint": .public(endpoint)])
        case .hostUnknown(let endpoint):
            warn(.busHostUnknown, ["endpoint": .public(endpoint)])
        case .malformedMessage(let broker, let error):
            warn(.busMessageMalformed, ["broker": .public(broker), "error": .public("\(error)")])
        case .callerRefused(let operation, let caller, let trace):
            errorOnceAMinute(
                .busCallerRefused, about: "\(operation) \(caller?.rawValue ?? "")",
                ["operation": .public(operation), "caller": .public(caller?.rawValue ?? "-")], trace: trace)
        case .handlerFailed(let operation, let trace, let error):
            // A temporary outage, such as a full disk or an unavailable server, affects every request in the same way.
            if let failure = error as? any DependencyFailure, failure.serviceError != nil {
                return errorOnceAMinute(
                    .busHandlerFailed, about: failure.reason,
                    ["operation": .public(operation), "error": .kind(of: error)], trace: trace)
            }
            self.error(
                .busHandlerFailed, ["operation": .public(operation), "error": .kind(of: error)], trace: trace)
        }
    }
}

extension ServiceRuntime {
    /// A component that publishes the metrics of this process over the bus, including those of the bus.
    /// - Parameter note: also receives each report, because a process does not receive its own reports.
    package func reporter(
        _ settings: ProcessSettings, in host: ServiceHost, over bus: BusConnection,
        note: @escaping @Sendable (ProcessReport) -> Void = { _ in }
    ) -> ProcessReporter {
        let examples = settings.exampleSettings.map { issue in
            ProcessReport.Metric(
                name: ProcessReport.Metric.exampleSettingName, kind: .gauge,
                labels: ["setting": issue.setting, "problem": issue.problem], value: 1)
        }
        metrics.addCollector {
            let status = bus.status
            return examples + [
                .init(name: "latchkey_bus_connected_brokers", kind: .gauge, value: Double(status.connectedBrokers)),
                .init(name: "latchkey_bus_pending_replies", kind: .gauge, value: Double(status.pendingReplies)),
                .init(name: "latchkey_bus_running_requests", kind: .gauge, value: Double(status.running)),
                .init(name: "latchkey_bus_late_replies_total", kind: .counter, value: Double(status.lateReplies)),
                .init(
                    name: "latchkey_bus_dropped_replies_total", kind: .counter, value: Double(status.droppedReplies)),
                .init(name: "latchkey_bus_dropped_events_total", kind: .counter, value: Double(status.droppedEvents)),
                .init(name: "latchkey_bus_refused_requests_total", kind: .counter, value: Double(status.refused)),
                .init(
                    name: "latchkey_bus_refused_callers_total", kind: .counter, value: Double(status.refusedCallers)),
                .init(
                    name: "latchkey_bus_malformed_messages_total", kind: .counter,
                    value: Double(status.malformedMessages)),
            ]
        }
        return ProcessReporter(settings, in: host, metrics: metrics, log: log) { report in
            bus.publish(report)
            note(report)
        }
    }
}
