import Contracts
import Vocabulary

extension Moment {
    /// Longer than any pause between attempts, and than any lease.
    static let longestPause = Duration.seconds(15 * 60)

    /// Whether the time has come for the next attempt. One that is further away than any pause was set while the clock was
    /// ahead, and has come.
    func hasCome(at now: Moment) -> Bool { self <= now || self > now + Self.longestPause }
}

/// The life of one accepted message. What it says is not here.
struct OutboxMessage: Equatable, Sendable {
    enum State: Equatable, Sendable {
        /// Waits until its time.
        case queued(dueAt: Moment)
        /// A process is about to send it. When the lease has run out, that process is taken for lost.
        case leased(holder: String, until: Moment)
        case sent(at: Moment)
        /// Given up.
        case failed(DeliveryFailure, at: Moment)
        /// Never to be sent, for a limit.
        case suppressed(DeliveryFailure, at: Moment)
    }

    let id: MessageID
    let realm: Realm
    let channel: Channel
    let purpose: String
    let acceptedAt: Moment
    /// From then on nobody wants it any more.
    let expiresAt: Moment
    var state: State
    /// Leases so far. The number tells one lease from the next.
    var attempts = 0
    /// Attempts that failed for the message's own sake: they make its pauses longer.
    var failedAttempts = 0
    /// What the last attempt met.
    var problem: DeliveryFailure?
    /// The provider that may have the message without having said so: nobody else is given it.
    var provider: String?

    /// A message as it comes in.
    static func accepted(
        _ id: MessageID, _ message: OutgoingMessage, suppressedFor limit: DeliveryFailure?, at now: Moment
    ) -> OutboxMessage {
        OutboxMessage(
            id: id, realm: message.realm, channel: message.channel, purpose: message.purpose, acceptedAt: now,
            expiresAt: now + message.lifetime,
            state: limit.map { .suppressed($0, at: now) } ?? .queued(dueAt: now), problem: limit)
    }

    /// Nil once nothing is left to do.
    var dueAt: Moment? {
        switch state {
        case .queued(let dueAt): dueAt
        case .leased(_, let until): until
        case .sent, .failed, .suppressed: nil
        }
    }

    /// Takes the message for a process, or ends its life if it came to its turn too late.
    /// - Returns: whether the process has it now. False also while somebody else has.
    mutating func acquireLease(to holder: String, for duration: Duration, at now: Moment) -> Bool {
        switch state {
        case .queued(let dueAt): guard dueAt.hasCome(at: now) else { return false }
        case .leased(_, let until): guard until <= now else { return false }
        case .sent, .failed, .suppressed: return false
        }
        guard now < expiresAt else {
            fail(problem ?? DeliveryFailure(.expired), at: now)
            return false
        }
        attempts = attempts.addingSaturated(1)
        state = .leased(holder: holder, until: now + duration)
        return true
    }

    /// Says what came of an attempt.
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
        case .uncertain(let doubt):
            provider = doubt.provider
            failedAttempts += 1
            let pause = doubt.pause
            wait(
                doubt.problem,
                until: now + (pause ?? channel.messageBackoff.delay(forAttempt: failedAttempts, jitter: jitter)),
                at: now)
        case .transportUnavailable(let reason):
            // When to ask the server again is not for a message to say. Behind the others: if it is this one after all
            // that the server chokes on, they get their turn.
            wait(reason, until: now + channel.transportBackoff.first, at: now)
        case .interrupted:
            state = .queued(dueAt: now)
        }
        return true
    }

    /// Makes a message due again whose process has ended.
    mutating func releaseLease(from holder: String, at now: Moment) -> Bool {
        guard case .leased(holder, _) = state else { return false }
        state = .queued(dueAt: now)
        return true
    }

    /// Takes the word of the provider that it has the message, whatever we know of it.
    mutating func recordAcceptance(_ provider: String, at now: Moment) {
        self.provider = provider
        problem = nil
        state = .sent(at: now)
    }

    /// Gives the message up.
    mutating func fail(_ reason: DeliveryFailure, at now: Moment) {
        problem = reason
        state = .failed(reason, at: now)
    }

    private mutating func wait(_ reason: DeliveryFailure, until dueAt: Moment, at now: Moment) {
        problem = reason
        // What could only be sent too late is given up now, with the reason that is known.
        state = dueAt < expiresAt ? .queued(dueAt: dueAt) : .failed(reason, at: now)
    }
}
