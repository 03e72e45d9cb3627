import Vocabulary

/// What is known of a range of numbers: how much was sent there of late, how much came back, and whether it is closed.
///
/// Messages are judged when their codes have had time to come back. The counts are halved now and then: what a range did
/// yesterday weighs less than what it does now, and a range that was good does not hide an attack for long.
struct RangeRecord: Equatable, Sendable {
    var sent = 0
    /// Never more than `sent`.
    var verified = 0
    /// Of `sent`, the messages old enough to be judged.
    var settled = 0
    /// What `sent` was at `markedAt`: these settle next.
    var marked = 0
    var markedAt: Moment
    var lastSentAt: Moment
    var closedUntil: Moment?
    /// How often it was closed since it was last found good.
    var closings = 0

    /// How long a range is remembered that nothing is sent to.
    static let memory = Duration.seconds(7 * 24 * 60 * 60)

    init(at now: Moment) {
        markedAt = now
        lastSentAt = now
    }

    /// Whether people sign in with numbers of this range.
    func hasProved(_ conversion: SendingPolicy.Conversion) -> Bool {
        verified >= SendingPolicy.Conversion.proof && verified * 100 >= sent * conversion.minimumPercent
    }

    enum Judgement: Equatable, Sendable {
        case open
        /// As many messages as are judged together are on their way, and nothing is known of the range yet: a new range
        /// costs no more than those before it is known for what it is.
        case held(until: Moment)
        case closed(until: Moment)
    }

    /// Brings the record to `now` and judges it.
    mutating func judge(_ conversion: SendingPolicy.Conversion, at now: Moment) -> Judgement {
        guard conversion.minimumPercent > 0 else { return .open }
        if let closedUntil, now < closedUntil { return .closed(until: closedUntil) }
        closedUntil = nil
        settle(at: now)
        guard settled >= SendingPolicy.Conversion.sample else {
            let isHeld = sent >= SendingPolicy.Conversion.sample && !hasProved(conversion)
            return isHeld ? .held(until: min(lastSentAt, now) + SendingPolicy.Conversion.settling) : .open
        }
        guard verified * 100 >= settled * conversion.minimumPercent else { return .closed(until: close(at: now)) }
        closings = 0
        while settled >= 2 * SendingPolicy.Conversion.sample { halve() }
        return .open
    }

    mutating func countSent(at now: Moment) {
        sent += 1
        lastSentAt = now
    }

    mutating func takeBackSent() {
        sent = max(0, sent - 1)
        (verified, settled, marked) = (min(verified, sent), min(settled, sent), min(marked, sent))
    }

    mutating func countVerified() {
        verified = min(sent, verified + 1)
    }

    private mutating func settle(at now: Moment) {
        let settling = SendingPolicy.Conversion.settling
        if lastSentAt + settling <= now {
            (settled, marked, markedAt) = (sent, sent, now)
        } else if markedAt + settling <= now {
            (settled, marked, markedAt) = (marked, sent, now)
        } else if now < markedAt {
            // The clock was set back.
            (markedAt, lastSentAt) = (now, min(lastSentAt, now))
        }
    }

    private mutating func close(at now: Moment) -> Moment {
        // Sixteen doublings are beyond the longest.
        let closing = SendingPolicy.Conversion.firstClosing * (1 << min(closings, 16))
        let until = now + min(closing, SendingPolicy.Conversion.longestClosing)
        let count = closings + 1
        self = RangeRecord(at: now)
        closings = count
        closedUntil = until
        return until
    }

    /// What came back is rounded up: a good range is not closed by arithmetic.
    private mutating func halve() {
        (sent, verified, settled, marked) = (sent - sent / 2, verified - verified / 2, settled / 2, marked / 2)
    }
}
