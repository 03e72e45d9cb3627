import Bus
import Contracts
import Delivery
import ServiceRuntime
import Tracing
import Vocabulary

/// The account events that identity has committed, and the webhooks that receive them, for the notifier, which accepts each
/// event once. Any number of processes may send the same rows.
struct AccountEventOutbox: Outbox {
    struct Outcome: Sendable {
        var handover: HandoverOutcome
        /// Webhooks that the notifier does not have.
        var unknownWebhooks: [WebhookID]
    }

    /// One request at a time keeps the order. The events of a busy process share one.
    static let limits = DeliveryLimits.service(attempts: 1, pace: .milliseconds(250))
    /// The time for one request.
    static let timeout = Duration.seconds(5)

    private let store: IdentityStore
    private let peers: any BusRequestSending
    private let now: @Sendable () -> Moment
    private let metrics: Metrics
    private let log: Log

    init(
        _ store: IdentityStore, peers: any BusRequestSending, now: @escaping @Sendable () -> Moment, metrics: Metrics,
        log: Log
    ) {
        self.store = store
        self.peers = peers
        self.now = now
        self.metrics = metrics
        self.log = log
        for result in Result.allCases { counter(result).increment(by: 0) }
    }

    var name: String { "account-events" }

    /// The loop polls after each commit of this process.
    func loop(_ environment: DeliveryEnvironment) -> DeliveryLoop<AccountEventOutbox> {
        let loop = DeliveryLoop(self, Self.limits, environment)
        store.commitObservers.add(loop.wake)
        return loop
    }

    func receivers(at now: Moment) async throws -> [SoleReceiver] { [.sole] }

    func lease(upTo count: Int, for receiver: SoleReceiver, at now: Moment) async throws -> [AccountEventBatch] {
        let batch = try await store.accountEventBatch(limit: Notifier.AcceptAccountEvents.maximumCount)
        return batch.isEmpty ? [] : [batch]
    }

    static var interrupted: Outcome { Outcome(handover: .interrupted, unknownWebhooks: []) }

    func attempt(_ batch: AccountEventBatch) async -> Outcome {
        // The reply comes when the notifier has stored the events. The same events again change nothing.
        let (outcome, reply) = await HandoverOutcome.of {
            try await peers.send(batch.request, trace: .current, timeout: Self.timeout)
        }
        return Outcome(handover: outcome, unknownWebhooks: reply?.unknownWebhooks ?? [])
    }

    func report(_ outcome: Outcome, of batch: AccountEventBatch) -> ReceiverReport {
        outcome.handover.reportOfFirstRows
    }

    func record(_ outcome: Outcome, of batch: AccountEventBatch, at now: Moment, jitter: Double) async throws {
        switch outcome.handover {
        case .accepted:
            try await store.recordAcceptance(of: batch, unknown: outcome.unknownWebhooks)
            counter(.accepted).increment(by: Double(batch.events.count))
        case .rejected(let code), .failed(let code):
            // The events are kept: a notifier of an earlier version rejects a kind that it does not know.
            counter(.failed).increment()
            log.errorOnceAMinute(
                .accountEventNotAccepted, about: code.rawValue, ["error": .public(code.rawValue)])
        case .unavailable, .interrupted: break
        }
    }

    func show(_ change: OutageChange, of receiver: SoleReceiver, at now: Moment) async {
        show(change, ofService: "notifier", in: log)
    }

    // MARK: Metrics

    private enum Result: String, CaseIterable {
        case accepted, failed
    }

    private func counter(_ result: Result) -> Metrics.Counter {
        metrics.counter("latchkey_identity_account_events_total", ["result": result.rawValue])
    }

    var maintenanceTasks: [MaintenanceTask] {
        [
            MaintenanceTask("account-event-metrics", every: .seconds(5)) {
                metrics.set(
                    try await store.accountEventBacklog(), count: "latchkey_identity_pending_account_events",
                    age: "latchkey_identity_oldest_pending_account_event_seconds", at: now())
            }
        ]
    }
}
