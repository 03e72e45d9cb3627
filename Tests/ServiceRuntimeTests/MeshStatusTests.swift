import Contracts
import Testing

@testable import ServiceRuntime

@Suite struct MeshStatusTests {
    private func report(
        _ service: ServiceName, _ instance: String, _ metrics: [(name: String, labels: [String: String], value: Double)]
    ) -> ProcessReport {
        ProcessReport(
            service: service, instance: instance,
            metrics: metrics.map { .init(name: $0.name, kind: .gauge, labels: $0.labels, value: $0.value) })
    }

    private func broker(_ instance: String, queued: Double) -> ProcessReport {
        let labels = ["target_service": "identity"]
        return report(
            .broker, instance,
            [
                ("latchkey_broker_workers", labels, 2), ("latchkey_broker_queued_requests", labels, queued),
                ("latchkey_broker_running_requests", labels, 1),
            ])
    }

    @Test func reportsAreCombined() {
        let identity = report(
            .identity, "identity.1",
            [
                ("latchkey_process_info", ["version": "0.2.0", "pid": "77"], 1),
                ("process_start_time_seconds", [:], 900), ("process_resident_memory_bytes", [:], 4096),
                ("latchkey_bus_running_requests", [:], 3),
                ("latchkey_component_outage_seconds", ["component": "store identity", "reason": "full"], 12.9),
            ])
        let status = MeshStatus(
            [broker("broker.2", queued: 4), identity, broker("broker.1", queued: 3)], secondsSince1970: 1000)
        #expect(status.processes.map(\.instance) == ["broker.1", "broker.2", "identity.1"])
        #expect(
            status.processes.last
                == .init(
                    instance: "identity.1", service: .identity, version: "0.2.0", pid: 77, uptimeSeconds: 100,
                    memoryBytes: 4096, runningRequests: 3))
        #expect(status.queues == [.init(service: .identity, workers: 2, queuedRequests: 7, runningRequests: 2)])
        #expect(
            status.outages == [
                .init(instance: "identity.1", component: "store identity", reason: "full", seconds: 12)
            ])
        #expect(status.missingServices == [.gateway])
    }

    /// Several notifiers have one outbox.
    @Test func waitingMessagesAreCountedOnce() {
        func notifier(_ number: Int) -> ProcessReport {
            report(
                .notifier, "notifier.\(number)",
                [
                    ("latchkey_notifier_queued_messages", ["channel": "email"], 5),
                    ("latchkey_notifier_oldest_queued_message_age_seconds", ["channel": "email"], 60),
                ])
        }
        let status = MeshStatus([notifier(1), notifier(2)], secondsSince1970: 0)
        #expect(status.messages == [.init(channel: "email", queued: 5, oldestSeconds: 60)])
    }

    @Test(arguments: [Double.infinity, -Double.infinity, Double.nan, 1e300, -1]) func extremeNumberIsBounded(
        value: Double
    ) {
        let status = MeshStatus(
            [report(.broker, "broker.1", [("process_resident_memory_bytes", [:], value)])], secondsSince1970: value)
        #expect(status.processes.count == 1)
    }

    /// Each process reports its own settings, and several have the same.
    @Test func exampleSettingIsNamedOnce() throws {
        let labels = ["setting": "LATCHKEY_SMTP_FROM", "problem": "names example.com"]
        let reports = ["notifier.1", "notifier.2"].map { instance in
            report(.notifier, instance, [(ProcessReport.Metric.exampleSettingName, labels, 1)])
        }
        let status = MeshStatus(reports, secondsSince1970: 0)
        #expect(status.exampleSettings == [.init(setting: "LATCHKEY_SMTP_FROM", problem: "names example.com")])
        let settings = try ProcessSettings(
            .notifier,
            Environment([
                "LATCHKEY_BROKERS": "ipc:///tmp/none.sock", "LATCHKEY_DATA": "/tmp/none",
                "LATCHKEY_SMTP_FROM": "Shop <noreply@example.com>",
            ]))
        #expect(settings.exampleSettings.map(\.setting) == ["LATCHKEY_SMTP_FROM"])
    }
}
