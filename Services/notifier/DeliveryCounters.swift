import Contracts
package import ServiceRuntime
import Synchronization
package import Vocabulary

/// What the notifier measures, by channel: messages by what became of them, what waits, how long it took, and trouble on
/// the way out.
package final class DeliveryCounters: Sendable {
    private let metrics: Metrics
    private let troubles = Mutex<[Channel: CourierState.Trouble]>([:])

    package init(_ metrics: Metrics, now: @escaping @Sendable () -> Moment) {
        self.metrics = metrics
        for channel in Channel.allCases {
            for result in Result.allCases { counter(channel, result).increment(by: 0) }
        }
        metrics.measure { [weak self] in self?.troubles(at: now()) ?? [] }
    }

    private enum Result: String, CaseIterable {
        case accepted, sent, delayed, failed, suppressed
    }

    private func counter(
        _ channel: Channel, _ result: Result, _ problem: DeliveryProblem? = nil
    ) -> Metrics.Counter {
        var labels = ["channel": channel.rawValue, "result": result.rawValue]
        labels["problem"] = problem?.kind.rawValue
        return metrics.counter("latchkey_notifier_messages_total", labels)
    }

    func countAccepted(_ message: OutboxMessage) {
        counter(message.channel, .accepted).increment()
        if case .suppressed(let problem, _) = message.state {
            counter(message.channel, .suppressed, problem).increment()
        }
    }

    /// Counts what came of an attempt.
    func countAttempt(_ message: OutboxMessage, at now: Moment) {
        switch message.state {
        case .sent:
            counter(message.channel, .sent).increment()
            metrics.histogram(
                "latchkey_notifier_delivery_seconds", ["channel": message.channel.rawValue],
                bounds: [0.05, 0.25, 1, 5, 30, 300]
            ).observe(Double(max(0, now.milliseconds(since: message.acceptedAt))) / 1000)
        case .failed(let problem, _): counter(message.channel, .failed, problem).increment()
        case .queued: counter(message.channel, .delayed, message.problem).increment()
        case .leased, .suppressed: break
        }
    }

    func countExpired(_ messages: [OutboxMessage]) {
        for message in messages {
            guard case .failed(let problem, _) = message.state else { continue }
            counter(message.channel, .failed, problem).increment()
        }
    }

    /// Counts a call of a provider.
    func countCall(of provider: String, _ result: String) {
        metrics.counter("latchkey_notifier_provider_calls_total", ["provider": provider, "result": result]).increment()
    }

    func countReceipt(of provider: String, _ receipt: Notifier.DeliveryRecord.Receipt?) {
        let labels = ["provider": provider, "receipt": receipt?.rawValue ?? "underWay"]
        metrics.counter("latchkey_notifier_receipts_total", labels).increment()
    }

    /// - Parameter isAvoided: its breaker is open.
    func setProvider(_ provider: String, isAvoided: Bool) {
        metrics.gauge("latchkey_notifier_provider_avoided", ["provider": provider]).set(isAvoided ? 1 : 0)
    }

    func setWaiting(_ channel: Channel, _ count: Int, oldest acceptedAt: Moment?, at now: Moment) {
        let labels = ["channel": channel.rawValue]
        metrics.gauge("latchkey_notifier_waiting", labels).set(Double(count))
        metrics.gauge("latchkey_notifier_oldest_waiting_seconds", labels)
            .set(acceptedAt.map { Double(max(0, now.milliseconds(since: $0))) / 1000 } ?? 0)
    }

    func setTrouble(_ trouble: CourierState.Trouble?, of channel: Channel) {
        troubles.withLock { $0[channel] = trouble }
    }

    /// The gateway's `/readyz` shows every series of this name.
    private func troubles(at now: Moment) -> [ProcessReport.Metric] {
        let troubles = troubles.withLock { $0 }
        return Channel.allCases.compactMap { channel in
            troubles[channel].map { trouble in
                ProcessReport.Metric(
                    name: ProcessReport.Metric.troubleName, kind: .gauge,
                    labels: ["part": channel.rawValue, "problem": trouble.problem.text],
                    value: Double(max(0, now.milliseconds(since: trouble.since))) / 1000)
            }
        }
    }
}
