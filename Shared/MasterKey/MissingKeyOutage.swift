import Contracts
import ServiceRuntime
import Synchronization

/// The time since a process lacks a master key under which records are, for `/readyz` and the metrics.
final class MissingKeyOutage: Sendable {
    private let began = Mutex<ContinuousClock.Instant?>(nil)

    init(_ metrics: Metrics) {
        metrics.addCollector { [weak self] in self?.measurements ?? [] }
    }

    /// - Parameter isComplete: whether the process has every key.
    func set(_ isComplete: Bool) {
        began.withLock { $0 = isComplete ? nil : $0 ?? .now }
    }

    private var measurements: [ProcessReport.Metric] {
        guard let began = began.withLock({ $0 }) else { return [] }
        return [
            ProcessReport.Metric(
                name: ProcessReport.Metric.outageName, kind: .gauge,
                labels: ["component": "sealed records", "reason": "missing master key"],
                value: Double((ContinuousClock.now - began).components.seconds))
        ]
    }
}
