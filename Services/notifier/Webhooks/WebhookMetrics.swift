import Delivery
package import ServiceRuntime
import Vocabulary

/// Metrics of webhooks. They have no label of a webhook, because a project chooses how many there are.
package struct WebhookMetrics: Sendable {
    enum Result: String, CaseIterable {
        case accepted, delivered, failed, dropped
    }

    private let metrics: Metrics

    package init(_ metrics: Metrics) {
        self.metrics = metrics
        for result in Result.allCases { count(result, 0) }
        countRestored(0)
    }

    /// Counts events that were stored, or that ended.
    func count(_ result: Result, _ count: Int = 1) {
        metrics.counter("latchkey_notifier_webhook_events_total", ["result": result.rawValue])
            .increment(by: Double(count))
    }

    /// Counts pending events that no queue led to.
    func countRestored(_ count: Int) {
        metrics.counter("latchkey_notifier_restored_webhook_events_total").increment(by: Double(count))
    }

    func countAttempt(_ outcome: WebhookOutcome) {
        let result =
            switch outcome {
            case .delivered: "delivered"
            case .refused: "refused"
            case .unavailable: "unavailable"
            case .gone: "gone"
            case .interrupted: "interrupted"
            }
        metrics.counter("latchkey_notifier_webhook_attempts_total", ["result": result]).increment()
    }

    func setBacklog(_ pending: Backlog, failing: Int, at now: Moment) {
        metrics.set(
            pending, count: "latchkey_notifier_pending_webhook_events",
            age: "latchkey_notifier_oldest_pending_webhook_event_age_seconds", at: now)
        metrics.gauge("latchkey_notifier_failing_webhooks").set(Double(failing))
    }
}
