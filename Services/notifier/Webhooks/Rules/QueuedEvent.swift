import Contracts
import Vocabulary

/// An event that a webhook receives.
struct QueuedEvent: Equatable, Sendable {
    typealias Progress = Notifier.WebhookDelivery.State

    let webhookID: WebhookID
    /// Increases with each event of the webhook.
    let position: Int64
    let event: AccountEvent
    let acceptedAt: Moment
    /// The event fails if it is not delivered until then.
    var expiresAt: Moment
    var progress = Progress.pending
    var attempts = 0
    /// Attempts that the endpoint refused because of the event: they increase its delay.
    var refusals = 0
    var lastAttemptAt: Moment?
    /// The failure of the last attempt.
    var problem: DeliveryFailure?
    var finishedAt: Moment?

    /// A new event.
    static func accepted(
        _ event: AccountEvent, for webhookID: WebhookID, at position: Int64, _ now: Moment
    ) -> QueuedEvent {
        QueuedEvent(
            webhookID: webhookID, position: position, event: event, acceptedAt: now,
            expiresAt: now + WebhookRetry.lifetime)
    }

    /// Records the outcome of an attempt.
    /// - Parameter jitter: 0 ..< 1.
    /// - Returns: when the queue of the account is due again, for its next event if this one is finished.
    mutating func recordOutcome(_ outcome: WebhookOutcome, at now: Moment, jitter: Double) -> Moment {
        switch outcome {
        case .interrupted: return now
        case .delivered, .refused, .unavailable, .gone:
            attempts = attempts.addingSaturated(1)
            lastAttemptAt = now
        }
        switch outcome {
        case .delivered:
            problem = nil
            finish(.delivered, at: now)
            return now
        case .refused(let reason):
            refusals = refusals.addingSaturated(1)
            return wait(reason, until: now + WebhookRetry.delay(afterRefusals: refusals, jitter: jitter), at: now)
        case .unavailable(let reason, _):
            // `DeliveryState` decides when the endpoint is tried again. The queue moves behind the others, in case this
            // event causes the failure.
            return wait(reason, until: now, at: now)
        case .gone: return wait(DeliveryFailure(.serverRefused, code: 410), until: now, at: now)
        case .interrupted: return now
        }
    }

    /// Ends an event that was not delivered in time.
    mutating func expire(at now: Moment) {
        problem = problem ?? DeliveryFailure(.expired)
        finish(.failed, at: now)
    }

    /// Makes a finished event pending again.
    mutating func replay(at now: Moment) {
        progress = .pending
        refusals = 0
        finishedAt = nil
        expiresAt = now + WebhookRetry.lifetime
    }

    private mutating func wait(_ reason: DeliveryFailure, until dueAt: Moment, at now: Moment) -> Moment {
        problem = reason
        guard dueAt >= expiresAt else { return dueAt }
        // It would expire before the next attempt.
        finish(.failed, at: now)
        return now
    }

    private mutating func finish(_ state: Progress, at now: Moment) {
        progress = state
        finishedAt = now
    }
}

/// The pending events of one account for one webhook.
struct WebhookQueue: Hashable, Sendable {
    var webhookID: WebhookID
    /// Empty for none.
    var tenantColumn: String
    /// Empty for a test.
    var accountColumn: String

    /// The number before the first lease of a new row. A row goes with its last event and comes back with the next one: a
    /// process that records an outcome again must not end a lease of the row that came back. So the numbers of both
    /// differ by the time and the event.
    static func firstLeaseNumber(of event: QueuedEvent, at now: Moment) -> Int64 {
        // 42 bits of milliseconds, 10 of the position, and 10 for the leases of the row.
        (now.milliseconds & (1 << 42 - 1)) << 20 | (event.position & (1 << 10 - 1)) << 10
    }
}
