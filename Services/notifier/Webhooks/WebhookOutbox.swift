import Contracts
import Delivery
import EventLoop
import ServiceRuntime
import Vocabulary

/// The endpoint of a webhook.
struct WebhookEndpoint: DeliveryReceiver {
    var id: WebhookID
    var owner: ProjectID

    var project: ProjectID? { owner }
}

/// The queues of webhooks: the first event of each is sent. `QueuedEvent` decides what the outcome of an attempt means for
/// the event.
struct WebhookOutbox: Outbox {
    /// Endpoints that answer late, and those of one project, leave room for the others.
    static let limits: DeliveryLimits = {
        var limits = DeliveryLimits(
            attempts: 32, perReceiver: 8, backoff: Backoff(first: .seconds(1), longest: .seconds(60)))
        limits.slowAttempts = 16
        limits.beginsWithOne = true
        limits.refusalsOfOutage = 5
        return limits
    }()

    let store: NotifierStore
    let transport: WebhookTransport
    /// Unique among all processes that ever shared the database, also across restarts.
    let holder: LeaseHolder
    let metrics: WebhookMetrics
    let log: Log

    var name: String { "webhooks" }

    func loop(_ environment: DeliveryEnvironment) -> DeliveryLoop<WebhookOutbox> {
        DeliveryLoop(self, Self.limits, environment)
    }

    /// In random order, so that the webhooks of a project share its part of the attempts.
    func receivers(at now: Moment) async throws -> [WebhookEndpoint] {
        var random = MachineRandom()
        return try await store.dueWebhooks(at: now).shuffled(using: &random)
    }

    func lease(upTo count: Int, for endpoint: WebhookEndpoint, at now: Moment) async throws -> [LeasedEvent] {
        try await store.acquireWebhookLeases(
            endpoint.id, upTo: count, to: holder.text, for: WebhookTransport.timeout + DeliveryLease.margin, at: now)
    }

    static var interrupted: WebhookOutcome { .interrupted }

    func attempt(_ leased: LeasedEvent) async -> WebhookOutcome {
        let outcome = await resultUnlessCancelled { await transport.deliver(leased) } ?? .interrupted
        metrics.countAttempt(outcome)
        return outcome
    }

    func report(_ outcome: WebhookOutcome, of leased: LeasedEvent) -> ReceiverReport {
        switch outcome {
        case .delivered: .works
        case .refused(let problem): .refused(reason: problem.text, row: leased.event.event.id.rawValue)
        case .unavailable(let problem, let retryAfter): .unavailable(reason: problem.text, retryAfter: retryAfter)
        // The store stops the deliveries until the webhook changes.
        case .gone: .gone
        case .interrupted: .nothing
        }
    }

    func record(
        _ outcome: WebhookOutcome, of leased: LeasedEvent, at now: Moment, jitter: Double
    ) async throws {
        guard let event = try await store.recordOutcome(leased, outcome, at: now, jitter: jitter) else { return }
        if case .gone = outcome {
            log.warn(.webhookEndpointGone, ["webhook": .public(event.webhookID)])
        }
        switch event.progress {
        case .pending: break
        case .delivered: metrics.count(.delivered)
        case .failed:
            metrics.count(.failed)
            log.warn(
                .webhookDeliveryFailed,
                [
                    "webhook": .public(event.webhookID), "event": .public(event.event.id),
                    "kind": .public(event.event.kind.rawValue), "attempts": .public(event.attempts),
                    "reason": .public(event.problem?.text ?? "-"),
                ])
        }
    }

    func releaseLeases(
        ofEndedProcesses hasEnded: @escaping @Sendable (String) -> Bool, at now: Moment
    ) async throws -> Int {
        try await store.releaseWebhookLeases(ofEndedProcesses: hasEnded, at: now)
    }

    func show(_ change: OutageChange, of endpoint: WebhookEndpoint, at now: Moment) async {
        let reason: String?
        switch change {
        case .began(let outage):
            reason = outage.reason
            log.warn(
                .webhookEndpointFailed, ["webhook": .public(endpoint.id), "reason": .public(outage.reason)])
        case .continues: return
        case .ended:
            reason = nil
            log.info(.webhookEndpointRecovered, ["webhook": .public(endpoint.id)])
        }
        do {
            try await store.recordOutage(reason, of: endpoint.id, since: now)
        } catch {
            log.errorOnceAMinute(.deliveryStoreFailed, about: "outage", ["error": .kind(of: error)])
        }
    }
}
