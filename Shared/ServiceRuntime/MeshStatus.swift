package import Contracts

/// The state of the mesh, from the last report of each of its processes. Its JSON is the output of
/// `latchkey status --json`.
package struct MeshStatus: Encodable, Equatable, Sendable {
    package struct Process: Encodable, Equatable, Sendable {
        package var instance: String
        package var service: ServiceName
        /// Nil for a process of an earlier version, which does not report it.
        package var version: String?
        package var pid: Int?
        package var uptimeSeconds: Int
        /// Nil if another service of the same process reports it.
        package var memoryBytes: Int?
        /// Requests that run in the process; nil for a process that is only a broker.
        package var runningRequests: Int?
    }

    /// The requests that wait in all brokers for the workers of one service.
    package struct Queue: Encodable, Equatable, Sendable {
        package var service: ServiceName
        package var workers: Int
        package var queuedRequests: Int
        package var runningRequests: Int
    }

    /// The messages of one channel that wait for their delivery.
    package struct Messages: Encodable, Equatable, Sendable {
        package var channel: String
        package var queued: Int
        package var oldestSeconds: Int
    }

    /// A component of a process that cannot work at present.
    package struct Outage: Encodable, Equatable, Sendable {
        package var instance: String
        package var component: String
        package var reason: String
        package var seconds: Int
    }

    /// A setting that looks like one of an example, see `PlaceholderSettings`.
    package struct ExampleSetting: Encodable, Equatable, Sendable {
        package var setting: String
        package var problem: String
    }

    private enum CodingKeys: String, CodingKey { case processes, queues, messages, outages, exampleSettings }

    package private(set) var processes: [Process] = []
    package private(set) var queues: [Queue] = []
    package private(set) var messages: [Messages] = []
    package private(set) var outages: [Outage] = []
    /// Ordered by name, each once.
    package private(set) var exampleSettings: [ExampleSetting] = []
    /// Whether a process reports that it is a broker, or contains one.
    private var hasBroker = false

    /// - Parameters:
    ///   - reports: one of each process.
    ///   - secondsSince1970: the present time, for the uptime.
    package init(_ reports: [ProcessReport], secondsSince1970 now: Double) {
        var queues: [ServiceName: Queue] = [:]
        var messages: [String: Messages] = [:]
        var examples: [String: String] = [:]
        for report in reports.sorted(by: { $0.instance < $1.instance }) {
            processes.append(Process(report, now: now))
            for metric in report.metrics {
                if metric.name == "latchkey_broker_members" { hasBroker = true }
                Self.count(metric, in: &queues)
                Self.count(metric, in: &messages)
                if metric.name == ProcessReport.Metric.exampleSettingName, let setting = metric.labels["setting"] {
                    examples[setting] = metric.labels["problem"] ?? ""
                }
                guard metric.name == ProcessReport.Metric.outageName else { continue }
                outages.append(
                    Outage(
                        instance: report.instance, component: metric.labels["component"] ?? "",
                        reason: metric.labels["reason"] ?? "", seconds: Self.integer(metric.value)))
            }
        }
        exampleSettings = examples.sorted { $0.key < $1.key }.map { .init(setting: $0.key, problem: $0.value) }
        self.queues = queues.values.sorted { $0.service.rawValue < $1.service.rawValue }
        self.messages = messages.values.sorted { $0.channel < $1.channel }
    }

    /// The services without which no request succeeds, and of which no process reports.
    package var missingServices: [ServiceName] {
        var services = Set(processes.map(\.service))
        if hasBroker { services.insert(.broker) }
        return [.broker, .gateway, .identity].filter { !services.contains($0) }
    }

    private static func count(_ metric: ProcessReport.Metric, in queues: inout [ServiceName: Queue]) {
        guard let service = metric.labels["target_service"].flatMap(ServiceName.init(rawValue:)) else { return }
        var queue = queues[service] ?? Queue(service: service, workers: 0, queuedRequests: 0, runningRequests: 0)
        let value = integer(metric.value)
        switch metric.name {
        // Each worker is connected with every broker.
        case "latchkey_broker_workers": queue.workers = max(queue.workers, value)
        case "latchkey_broker_queued_requests": queue.queuedRequests += value
        case "latchkey_broker_running_requests": queue.runningRequests += value
        default: return
        }
        queues[service] = queue
    }

    /// Every notifier reports the same outbox.
    private static func count(_ metric: ProcessReport.Metric, in messages: inout [String: Messages]) {
        guard let channel = metric.labels["channel"] else { return }
        var entry = messages[channel] ?? Messages(channel: channel, queued: 0, oldestSeconds: 0)
        let value = integer(metric.value)
        switch metric.name {
        case "latchkey_notifier_queued_messages": entry.queued = max(entry.queued, value)
        case "latchkey_notifier_oldest_queued_message_age_seconds":
            entry.oldestSeconds = max(entry.oldestSeconds, value)
        default: return
        }
        messages[channel] = entry
    }

    /// A number of a report, which is external input, without a fraction.
    fileprivate static func integer(_ value: Double) -> Int { value > 0 ? Int(min(value, 1e12)) : 0 }
}

extension MeshStatus.Process {
    fileprivate init(_ report: ProcessReport, now: Double) {
        func value(_ name: String) -> Double? { report.metrics.first { $0.name == name }?.value }
        let info = report.metrics.first { $0.name == ProcessReport.Metric.processInfoName }?.labels ?? [:]
        instance = report.instance
        service = report.service
        version = info["version"]
        pid = info["pid"].flatMap { Int($0) }
        uptimeSeconds = MeshStatus.integer(now - (value("process_start_time_seconds") ?? now))
        memoryBytes = value("process_resident_memory_bytes").map(MeshStatus.integer)
        runningRequests = value("latchkey_bus_running_requests").map(MeshStatus.integer)
    }
}
