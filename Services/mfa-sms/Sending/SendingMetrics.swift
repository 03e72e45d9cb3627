import Contracts
import PhoneNumbers
package import ServiceRuntime
import Synchronization
import Vocabulary

/// Counts sent and refused messages, and logs limits of a prefix or project.
package final class SendingMetrics: Sendable {
    /// The number of alerts that are stored, so that each is logged once.
    private static let memory = 256

    private struct Alert: Hashable {
        var reason: Reason
        var project: ProjectID
        var region: String?
        var until: Moment
    }

    private enum Result: String, CaseIterable {
        case sent, refused, refunded, verified
    }

    private enum Reason: String, CaseIterable {
        case region, limit, budget, conversion
        case numberType = "number_type"
        case resendBackoff = "resend_backoff"
    }

    private let metrics: Metrics
    private let log: Log
    private let alerts = Mutex<[Alert]>([])

    package init(_ metrics: Metrics, log: Log) {
        self.metrics = metrics
        self.log = log
        for result in Result.allCases where result != .refused { counter(result).increment(by: 0) }
        for reason in Reason.allCases { counter(.refused, reason).increment(by: 0) }
    }

    private func counter(_ result: Result, _ reason: Reason? = nil) -> Metrics.Counter {
        var labels = ["result": result.rawValue]
        labels["reason"] = reason?.rawValue
        return metrics.counter("latchkey_sms_messages_total", labels)
    }

    func countSent() { counter(.sent).increment() }

    func countRefunded() { counter(.refunded).increment() }

    func countVerified() { counter(.verified).increment() }

    /// Counts a refused message. A limit of a prefix or project is logged once for each prefix and hour, with the
    /// region and without a digit of the number.
    func countRefused(_ send: SendAttempt, for error: SMSError) {
        guard let (reason, until) = Self.reason(error) else { return }
        counter(.refused, reason).increment()
        guard let until else { return }
        let alert = Alert(
            reason: reason, project: send.realm.project, region: reason == .conversion ? send.number.region : nil,
            until: until)
        let isNew = alerts.withLock { alerts in
            guard !alerts.contains(alert) else { return false }
            if alerts.count >= Self.memory { alerts.removeFirst() }
            alerts.append(alert)
            return true
        }
        guard isNew else { return }
        if reason == .conversion {
            log.warn(
                "sms.prefix-blocked",
                [
                    "project": .public(send.realm.project), "region": .public(send.number.region ?? ""),
                    "until": .public(until.timestamp),
                ])
        } else {
            log.warn(
                "sms.budget-exhausted",
                ["project": .public(send.realm.project), "until": .public(until.timestamp)])
        }
    }

    /// - Returns: the reason, and the end of a limit that is logged; nil for an error that is no limit.
    private static func reason(_ error: SMSError) -> (Reason, alertUntil: Moment?)? {
        switch error {
        case .regionBlocked: (.region, nil)
        case .numberTypeNotAllowed: (.numberType, nil)
        case .resendTooSoon: (.resendBackoff, nil)
        case .sendLimitExceeded: (.limit, nil)
        case .budgetExhausted(let until): (.budget, until)
        case .prefixBlocked(let until): (.conversion, until)
        case .tooManyFailedAttempts: nil
        }
    }
}
