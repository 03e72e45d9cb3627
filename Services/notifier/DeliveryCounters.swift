import Contracts
package import ServiceRuntime
import Synchronization
package import Vocabulary

/// What the notifier measures: messages by what became of them, what waits, and trouble on the way out.
package final class DeliveryCounters: Sendable {
    private struct State {
        var trouble: CourierState.Trouble?
    }

    private let metrics: Metrics
    private let state: Mutex<State>
    private let waiting: Metrics.Gauge
    private let oldest: Metrics.Gauge

    package init(_ metrics: Metrics, now: @escaping @Sendable () -> Moment) {
        self.metrics = metrics
        state = Mutex(State())
        let labels = ["channel": Channel.email.rawValue]
        waiting = metrics.gauge("latchkey_notifier_waiting", labels)
        oldest = metrics.gauge("latchkey_notifier_oldest_waiting_seconds", labels)
        for result in Result.allCases { counter(result).increment(by: 0) }
        metrics.measure { [weak self] in self?.troubles(at: now()) ?? [] }
    }

    private enum Result: String, CaseIterable {
        case accepted, sent, delayed, failed, suppressed
    }

    private func counter(_ result: Result, _ problem: DeliveryProblem? = nil) -> Metrics.Counter {
        var labels = ["channel": Channel.email.rawValue, "result": result.rawValue]
        labels["problem"] = problem?.kind.rawValue
        return metrics.counter("latchkey_notifier_messages_total", labels)
    }

    func countAccepted(_ message: OutboxMessage) {
        counter(.accepted).increment()
        if case .suppressed(let problem, _) = message.state { counter(.suppressed, problem).increment() }
    }

    /// Counts what came of an attempt.
    func countAttempt(_ message: OutboxMessage) {
        switch message.state {
        case .sent: counter(.sent).increment()
        case .failed(let problem, _): counter(.failed, problem).increment()
        case .queued: counter(.delayed, message.problem).increment()
        case .leased, .suppressed: break
        }
    }

    func countExpired(_ count: Int) {
        counter(.failed, DeliveryProblem(.expired)).increment(by: Double(count))
    }

    func setWaiting(_ count: Int, oldest acceptedAt: Moment?, at now: Moment) {
        waiting.set(Double(count))
        oldest.set(acceptedAt.map { Double(max(0, now.milliseconds - $0.milliseconds)) / 1000 } ?? 0)
    }

    func setTrouble(_ trouble: CourierState.Trouble?) {
        state.withLock { $0.trouble = trouble }
    }

    /// The gateway's `/readyz` shows every series of this name.
    private func troubles(at now: Moment) -> [ProcessReport.Metric] {
        guard let trouble = state.withLock({ $0.trouble }) else { return [] }
        return [
            ProcessReport.Metric(
                name: ProcessReport.Metric.troubleName, kind: .gauge,
                labels: ["part": Channel.email.rawValue, "problem": trouble.problem.text],
                value: Double(max(0, now.milliseconds - trouble.since.milliseconds)) / 1000)
        ]
    }
}
