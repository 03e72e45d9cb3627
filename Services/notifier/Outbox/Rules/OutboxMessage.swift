import Contracts
import Delivery
import Vocabulary

/// The state of one accepted message, without its content.
struct OutboxMessage: Equatable, Sendable {
    enum State: Equatable, Sendable {
        /// Waits until its due time.
        case queued(dueAt: Moment)
        /// A process is sending it. After the lease has expired, the process counts as lost.
        case leased(holder: String, until: Moment)
        case sent(at: Moment)
        /// No further attempts.
        case failed(DeliveryFailure, at: Moment)
        /// Never sent, because of a limit.
        case suppressed(DeliveryFailure, at: Moment)
    }

    let id: MessageID
    let realm: Realm
    let channel: Channel
    let purpose: String
    let acceptedAt: Moment
    /// After this time the message is no longer useful.
    let expiresAt: Moment
    /// The request that this message belongs to; nil if that is unknown.
    let trace: TraceContext?
    var state: State
    /// When the message began to wait for its due time.
    var pausedAt: Moment
    /// Leases so far. The number distinguishes successive leases.
    var attempts = 0
    /// Attempts that failed because of the message itself: they increase its backoff.
    var failedAttempts = 0
    /// The failure of the last attempt.
    var problem: DeliveryFailure?
    /// The provider that may have accepted the message without a response: no other provider receives it.
    var provider: String?

    /// A new message.
    static func accepted(
        _ id: MessageID, _ message: OutgoingMessage, suppressedFor limit: DeliveryFailure?, trace: TraceContext? = nil,
        at now: Moment
    ) -> OutboxMessage {
        OutboxMessage(
            id: id, realm: message.realm, channel: message.channel, purpose: message.purpose, acceptedAt: now,
            expiresAt: now + message.lifetime, trace: trace,
            state: limit.map { .suppressed($0, at: now) } ?? .queued(dueAt: now), pausedAt: now, problem: limit)
    }

    /// Nil for a finished message.
    var dueAt: Moment? {
        switch state {
        case .queued(let dueAt): dueAt
        case .leased(_, let until): until
        case .sent, .failed, .suppressed: nil
        }
    }

    /// Records the outcome of an attempt.
    /// - Parameters:
    ///   - lease: the message as it was when it was leased.
    ///   - jitter: 0 ..< 1.
    /// - Returns: false if the lease was lost: then another process decides.
    mutating func recordOutcome(_ outcome: DeliveryOutcome, of lease: OutboxMessage, at now: Moment, jitter: Double)
        -> Bool
    {
        guard case .leased = state, state == lease.state, attempts == lease.attempts else { return false }
        switch outcome {
        case .sent(let receipt):
            state = .sent(at: now)
            problem = nil
            provider = receipt?.provider
        case .rejected(let reason):
            fail(reason, at: now)
        case .deferred(let reason):
            failedAttempts += 1
            wait(reason, until: now + channel.messageBackoff.delay(forAttempt: failedAttempts, jitter: jitter), at: now)
        case .uncertain(let uncertainty):
            provider = uncertainty.provider
            failedAttempts += 1
            let pause = uncertainty.pause
            wait(
                uncertainty.problem,
                until: now + (pause ?? channel.messageBackoff.delay(forAttempt: failedAttempts, jitter: jitter)),
                at: now)
        case .transportUnavailable(let reason):
            // `DeliveryState` decides when the server is tried again. The delay moves this message behind the
            // others, in case this message causes the failure.
            wait(reason, until: now + channel.transportBackoff.first, at: now)
        case .interrupted:
            (state, pausedAt) = (.queued(dueAt: now), now)
        }
        return true
    }

    /// Records the provider's acceptance, in whatever state the message is.
    mutating func recordAcceptance(_ provider: String, at now: Moment) {
        self.provider = provider
        problem = nil
        state = .sent(at: now)
    }

    /// Ends the message as failed.
    mutating func fail(_ reason: DeliveryFailure, at now: Moment) {
        problem = reason
        state = .failed(reason, at: now)
    }

    private mutating func wait(_ reason: DeliveryFailure, until dueAt: Moment, at now: Moment) {
        (problem, pausedAt) = (reason, now)
        // A message that would expire before the next attempt fails now, with the known reason.
        state = dueAt < expiresAt ? .queued(dueAt: dueAt) : .failed(reason, at: now)
    }
}
