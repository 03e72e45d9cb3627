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
    private let activity: ActivityCounts
    private let policy: SendingPolicy
    private let alerts = Mutex<[Alert]>([])

    /// - Parameter policy: knows the price of a message.
    package init(_ metrics: Metrics, activity: ActivityCounts = ActivityCounts(), policy: SendingPolicy, log: Log) {
        self.metrics = metrics
        self.activity = activity
        self.policy = policy
        self.log = log
        for result in Result.allCases where result != .refused { counter(result).increment(by: 0) }
        for reason in Reason.allCases { counter(.refused, reason).increment(by: 0) }
        cost.increment(by: 0)
    }

    private func counter(_ result: Result, _ reason: Reason? = nil) -> Metrics.Counter {
        var labels = ["result": result.rawValue]
        labels["reason"] = reason?.rawValue
        return metrics.counter("latchkey_sms_messages_total", labels)
    }

    func countSent(_ send: CountedSend) {
        counter(.sent).increment()
        countCost(of: send)
    }

    private var cost: Metrics.Counter { metrics.counter("latchkey_sms_cost_total") }

    func countRefunded() { counter(.refunded).increment() }

    /// Counts a message that may have been sent: its budget pays for it.
    func countCost(of send: CountedSend) {
        let price = policy.price(in: send.number.region)
        activity.count(.smsCode(.sent), in: send.realm.project)
        activity.count(.smsCostMicros, in: send.realm.project, by: price)
        cost.increment(by: Double(max(0, price)) / 1_000_000)
    }

    func countVerified() { counter(.verified).increment() }

    func countRefused(_ send: CountedSend, for refusal: RegionRefusal) {
        activity.count(.smsCode(.refused), in: send.realm.project)
        switch refusal {
        case .region: counter(.refused, .region).increment()
        case .numberType: counter(.refused, .numberType).increment()
        }
    }

    /// Counts a message that a limit of sending refuses. One of a prefix or project is logged once for each prefix and
    /// hour, with the region and without a digit of the number.
    func countRefused(_ send: CountedSend, for error: ServiceError) {
        guard let reason = error.limit.flatMap(Self.reason) else { return }
        counter(.refused, reason).increment()
        activity.count(.smsCode(.refused), in: send.realm.project)
        guard [.budget, .conversion].contains(reason), case .at(let until) = error.retry else { return }
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
                .smsPrefixBlocked,
                [
                    "project": .public(send.realm.project), "region": .public(send.number.region ?? ""),
                    "until": .public(until.timestamp),
                ])
        } else {
            log.warn(
                .smsBudgetExhausted,
                ["project": .public(send.realm.project), "until": .public(until.timestamp)])
        }
    }

    /// - Returns: nil for a limit that is none of sending.
    private static func reason(_ limit: LimitName) -> Reason? {
        switch limit {
        case .smsResendBackoff: .resendBackoff
        case .smsPerNumber, .smsPerAccount, .smsPerNetwork, .smsPerPrefix: .limit
        case .smsProjectBudget: .budget
        case .smsPrefixConversion: .conversion
        case .signInRequests, .signUpRequests, .refreshRequests, .otherRequests, .passwordAttempts,
            .importedPasswordTime, .emailCodeAttempts, .recoveryCodeAttempts, .signUpsPerNetwork,
            .passwordResetsPerAddress,
            .emailsPerAddress, .emailsPerAccount, .emailsPerNetwork, .emailsPerProject, .totpCodeAttempts,
            .totpEnrollmentAttempts, .smsCodeAttempts, .appVerificationsPerNetwork:
            nil
        }
    }
}
