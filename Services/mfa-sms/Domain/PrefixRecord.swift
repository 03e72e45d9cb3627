import Vocabulary

/// What is known of a range of numbers: how much was sent there of late, how much came back, and whether it is closed.
///
/// Messages are judged when their codes have had time to come back. The counts are halved now and then: what a range
/// did yesterday weighs less than what it does now, and a range that was good does not hide an attack for long.
struct PrefixRecord: Equatable, Sendable {
    var sent = 0
    /// Never more than `sent`.
    var verified = 0
    /// Of `sent`, the messages old enough to be judged.
    var maturedCount = 0
    /// What `sent` was at `checkpointAt`: these settle next.
    var checkpointSent = 0
    var checkpointAt: Moment
    var lastSentAt: Moment
    var blockedUntil: Moment?
    /// How often it was closed since it was last found good.
    var blockCount = 0

    /// How long a range is remembered that nothing is sent to.
    static let memory = Duration.seconds(7 * 24 * 60 * 60)

    init(at now: Moment) {
        checkpointAt = now
        lastSentAt = now
    }

    /// Whether people sign in with numbers of this range.
    func isTrusted(by conversion: SendingPolicy.Conversion) -> Bool {
        verified >= SendingPolicy.Conversion.trustedConversionCount
            && verified * 100 >= sent * conversion.minimumPercent
    }

    enum Decision: Equatable, Sendable {
        case open
        /// As many messages as are judged together are on their way, and nothing is known of the range yet: a new range
        /// costs no more than those before it is known for what it is.
        case deferred(until: Moment)
        case blocked(until: Moment)
    }

    /// Brings the record to `now` and judges it.
    mutating func evaluate(_ conversion: SendingPolicy.Conversion, at now: Moment) -> Decision {
        guard conversion.minimumPercent > 0 else { return .open }
        if let blockedUntil, now < blockedUntil { return .blocked(until: blockedUntil) }
        blockedUntil = nil
        matureSample(at: now)
        guard maturedCount >= SendingPolicy.Conversion.sampleSize else {
            let isHeld = sent >= SendingPolicy.Conversion.sampleSize && !isTrusted(by: conversion)
            return isHeld ? .deferred(until: min(lastSentAt, now) + SendingPolicy.Conversion.maturationTime) : .open
        }
        guard verified * 100 >= maturedCount * conversion.minimumPercent else { return .blocked(until: block(at: now)) }
        blockCount = 0
        while maturedCount >= 2 * SendingPolicy.Conversion.sampleSize { halve() }
        return .open
    }

    mutating func countSent(at now: Moment) {
        sent += 1
        lastSentAt = now
    }

    mutating func removeSent() {
        sent = max(0, sent - 1)
        (verified, maturedCount, checkpointSent) = (
            min(verified, sent), min(maturedCount, sent), min(checkpointSent, sent)
        )
    }

    mutating func countVerified() {
        verified = min(sent, verified + 1)
    }

    private mutating func matureSample(at now: Moment) {
        let settling = SendingPolicy.Conversion.maturationTime
        if lastSentAt + settling <= now {
            (maturedCount, checkpointSent, checkpointAt) = (sent, sent, now)
        } else if checkpointAt + settling <= now {
            (maturedCount, checkpointSent, checkpointAt) = (checkpointSent, sent, now)
        } else if now < checkpointAt {
            // The clock was set back.
            (checkpointAt, lastSentAt) = (now, min(lastSentAt, now))
        }
    }

    private mutating func block(at now: Moment) -> Moment {
        // Sixteen doublings are beyond the longest.
        let closing = SendingPolicy.Conversion.firstBlockDuration * (1 << min(blockCount, 16))
        let until = now + min(closing, SendingPolicy.Conversion.maximumBlockDuration)
        let count = blockCount + 1
        self = PrefixRecord(at: now)
        blockCount = count
        blockedUntil = until
        return until
    }

    /// What came back is rounded up: a good range is not closed by arithmetic.
    private mutating func halve() {
        (sent, verified, maturedCount, checkpointSent) = (
            sent - sent / 2, verified - verified / 2, maturedCount / 2, checkpointSent / 2
        )
    }
}
