import Contracts
import Delivery
package import ServiceRuntime
import Synchronization
import Vocabulary

/// Metrics of the notifier by channel: delivery outcomes, queued messages, durations and outages.
package final class DeliveryMetrics: Sendable {
    private let metrics: Metrics
    private let activity: ActivityCounts
    private let outages = Mutex<[Channel: ReceiverState.Outage]>([:])
    /// Of keys of the installation, which other messages of their channel do without.
    private let keyOutages = Mutex<[Channel: ReceiverState.Outage]>([:])

    /// - Parameter instant: the steady clock.
    package init(
        _ metrics: Metrics, activity: ActivityCounts = ActivityCounts(),
        instant: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.metrics = metrics
        self.activity = activity
        for channel in Channel.allCases {
            for result in Result.allCases { counter(channel, result).increment(by: 0) }
        }
        metrics.addCollector { [weak self] in self?.outages(at: instant()) ?? [] }
    }

    private enum Result: String, CaseIterable {
        case accepted, sent, deferred, failed, suppressed
    }

    private func counter(
        _ channel: Channel, _ result: Result, _ problem: DeliveryFailure? = nil
    ) -> Metrics.Counter {
        var labels = ["channel": channel.rawValue, "result": result.rawValue]
        labels["reason"] = problem?.kind.rawValue
        return metrics.counter("latchkey_notifier_messages_total", labels)
    }

    func countAccepted(_ message: OutboxMessage) {
        counter(message.channel, .accepted).increment()
        if case .suppressed(let problem, _) = message.state {
            counter(message.channel, .suppressed, problem).increment()
        }
    }

    /// Counts the result of an attempt.
    func countAttempt(_ message: OutboxMessage, at now: Moment) {
        switch message.state {
        case .sent:
            counter(message.channel, .sent).increment()
            activity.count(.message(message.channel, .delivered), in: message.realm.project)
            metrics.histogram(
                "latchkey_notifier_delivery_duration_seconds", ["channel": message.channel.rawValue],
                bounds: [0.05, 0.25, 1, 5, 30, 300]
            ).observe(Double(max(0, now.milliseconds(since: message.acceptedAt))) / 1000)
        case .failed(let problem, _): countFailed(message, problem)
        case .queued: counter(message.channel, .deferred, message.problem).increment()
        case .leased, .suppressed: break
        }
    }

    func countExpired(_ messages: [OutboxMessage]) {
        for message in messages {
            guard case .failed(let problem, _) = message.state else { continue }
            countFailed(message, problem)
        }
    }

    private func countFailed(_ message: OutboxMessage, _ problem: DeliveryFailure) {
        counter(message.channel, .failed, problem).increment()
        activity.count(.message(message.channel, .failed), in: message.realm.project)
    }

    /// Counts a call to a provider.
    func countCall(of provider: String, _ result: String, took duration: Duration) {
        metrics.histogram(
            "latchkey_notifier_provider_call_duration_seconds", ["provider": provider],
            bounds: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
        ).observe(duration / .seconds(1))
        metrics.counter("latchkey_notifier_provider_calls_total", ["provider": provider, "result": result]).increment()
    }

    func countReceipt(of provider: String, _ receipt: Notifier.DeliveryRecord.Receipt?) {
        let labels = ["provider": provider, "receipt": receipt?.rawValue ?? "in_progress"]
        metrics.counter("latchkey_notifier_delivery_receipts_total", labels).increment()
    }

    /// - Parameter isOpen: its circuit breaker is open.
    func setCircuit(of provider: String, isOpen: Bool) {
        metrics.gauge("latchkey_notifier_provider_circuit_open", ["provider": provider]).set(isOpen ? 1 : 0)
    }

    func setWaiting(_ channel: Channel, _ backlog: Backlog, at now: Moment) {
        metrics.set(
            backlog, count: "latchkey_notifier_queued_messages",
            age: "latchkey_notifier_oldest_queued_message_age_seconds", ["channel": channel.rawValue], at: now)
    }

    /// Shows the beginning or the end of an outage of a channel.
    func show(_ change: OutageChange, of channel: Channel, _ log: Log) {
        outages.withLock { $0[channel] = change.outage }
        log.report(change, of: channel)
    }

    /// Shows the beginning or the end of a time in which the key of the installation is refused.
    func show(_ change: OutageChange, ofKeyOf channel: Channel, _ log: Log) {
        keyOutages.withLock { $0[channel] = change.outage }
        log.report(change, of: channel)
    }

    /// The gateway's `/readyz` shows every series of this name.
    private func outages(at now: ContinuousClock.Instant) -> [ProcessReport.Metric] {
        let current = outages.withLock { $0 }.merging(keyOutages.withLock { $0 }) { channel, _ in channel }
        return Channel.allCases.compactMap { channel in
            current[channel].map { outage in
                ProcessReport.Metric(
                    name: ProcessReport.Metric.outageName, kind: .gauge,
                    labels: ["component": channel.rawValue, "reason": outage.reason],
                    value: Double((now - outage.since).saturatedMilliseconds) / 1000)
            }
        }
    }
}

extension OutageChange {
    /// Nil at its end.
    fileprivate var outage: ReceiverState.Outage? {
        switch self {
        case .began(let outage), .continues(let outage): outage
        case .ended: nil
        }
    }
}

extension Log {
    fileprivate func report(_ change: OutageChange, of channel: Channel) {
        switch change {
        case .began(let outage):
            warn(
                .deliveryTransportFailed,
                ["channel": .public(channel.rawValue), "reason": .public(outage.reason)])
        case .continues: break
        case .ended: info(.deliveryTransportRecovered, ["channel": .public(channel.rawValue)])
        }
    }
}
