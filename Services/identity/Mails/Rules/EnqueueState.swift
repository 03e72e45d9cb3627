import Contracts
import Vocabulary

/// The outcome of one attempt to give rows of an outbox to their receiver: mails and account events to the notifier, deleted
/// accounts to the services that store something about them.
enum EnqueueOutcome: Equatable, Sendable {
    /// The receiver has stored it, now or before.
    case accepted
    /// There was nothing to send.
    case dropped
    /// The receiver will never accept it.
    case rejected(WireError.Code)
    /// The receiver failed on this message.
    case failed(WireError.Code)
    /// The receiver is unavailable.
    case receiverUnavailable(WireError.Code)
    /// This process is stopping.
    case interrupted

    private static let acceptances: Set<WireError.Code> = [.idempotencyKeyReused]
    private static let rejections: Set<WireError.Code> = [.invalidRequest, .invalidEmailTemplate]
    private static let outages: Set<WireError.Code> = [.unavailable, .overloaded, .deadlineExceeded, .unknownOperation]

    /// - Parameter error: thrown by the call to the receiver.
    init(_ error: WireError) {
        if Self.acceptances.contains(error.code) {
            self = .accepted
        } else if Self.rejections.contains(error.code) {
            self = .rejected(error.code)
        } else if Self.outages.contains(error.code) {
            self = .receiverUnavailable(error.code)
        } else {
            // `internal`, or a code of a later version: the message is kept.
            self = .failed(error.code)
        }
    }
}

/// The state of a receiver as seen by one process. It uses a monotonic clock.
struct EnqueueState: Equatable, Sendable {
    struct Outage: Equatable, Sendable {
        var reason: WireError.Code
        var since: ContinuousClock.Instant
        /// Consecutive failed probes.
        var failures: Int
        /// No attempt before this time.
        var retryAt: ContinuousClock.Instant
    }

    /// Maximum calls in flight.
    static let maximumInFlight = 16
    private static let firstPause = Duration.milliseconds(250)
    private static let longestPause = Duration.seconds(5)

    private(set) var outage: Outage?

    /// How many messages may be sent now. During an outage it is one probe when its time has come: if the receiver accepts
    /// it, the others follow.
    func room(at now: ContinuousClock.Instant) -> Int {
        guard let outage else { return Self.maximumInFlight }
        return now >= outage.retryAt ? 1 : 0
    }

    enum Change: Equatable, Sendable {
        case began(WireError.Code)
        case ended(after: Duration)
    }

    /// Records the outcomes of messages that were sent together.
    /// - Parameter jitter: 0 ..< 1.
    mutating func record(_ outcomes: [EnqueueOutcome], at now: ContinuousClock.Instant, jitter: Double) -> Change? {
        var reason: WireError.Code?
        for outcome in outcomes {
            switch outcome {
            case .accepted, .rejected, .failed:
                // One reply is enough: the receiver is available.
                defer { outage = nil }
                return outage.map { .ended(after: $0.since.duration(to: now)) }
            case .receiverUnavailable(let code): reason = code
            case .dropped, .interrupted: break
            }
        }
        guard let reason else { return nil }
        let failures = (outage?.failures ?? 0) + 1
        let pause = min(Self.longestPause, Self.firstPause * (1 << min(failures - 1, 10)))
        let isNew = outage == nil
        outage = Outage(
            reason: reason, since: outage?.since ?? now, failures: failures,
            retryAt: now + pause * (0.5 + min(max(0, jitter), 1) / 2))
        return isNew ? .began(reason) : nil
    }
}
