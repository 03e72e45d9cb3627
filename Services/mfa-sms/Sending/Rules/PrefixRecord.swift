import Vocabulary

/// The conversion of a prefix: recent messages, verified codes, and whether the prefix is blocked.
///
/// A message is evaluated when its code had time to be verified. The counts are halved from time to time, so that
/// recent messages weigh more, and a good past does not hide an attack for long.
struct PrefixRecord: Equatable, Sendable {
    var sent = 0
    /// At most `sent`.
    var verified = 0
    /// The messages in `sent` that are old enough to be evaluated.
    var maturedCount = 0
    /// The value of `sent` at `checkpointAt`: these messages mature next.
    var checkpointSent = 0
    var checkpointAt: Moment
    var lastSentAt: Moment
    var blockedUntil: Moment?
    /// How often the prefix was blocked since its conversion was last sufficient.
    var blockCount = 0

    /// How long a record stays after the last message.
    static let memory = Duration.seconds(7 * 24 * 60 * 60)

    init(at now: Moment) {
        checkpointAt = now
        lastSentAt = now
    }

    /// Whether codes of this prefix are verified.
    func isTrusted(by conversion: SendingPolicy.Conversion) -> Bool {
        verified >= SendingPolicy.Conversion.trustedConversionCount
            && verified * 100 >= sent * conversion.minimumPercent
    }

    enum Decision: Equatable, Sendable {
        case open
        /// The first sample was sent and has not matured. A new prefix gets no more messages until then.
        case deferred(until: Moment)
        case blocked(until: Moment)
    }

    /// Advances the record to `now` and evaluates it.
    mutating func evaluate(_ conversion: SendingPolicy.Conversion, at now: Moment) -> Decision {
        guard conversion.minimumPercent > 0 else { return .open }
        if let blockedUntil,
            blockedUntil.endsWindow(ofAtMost: Self.blockDuration(afterBlocks: blockCount - 1), at: now)
        {
            return .blocked(until: blockedUntil)
        }
        blockedUntil = nil
        matureSample(at: now)
        guard maturedCount >= SendingPolicy.Conversion.sampleSize else {
            let isDeferred = sent >= SendingPolicy.Conversion.sampleSize && !isTrusted(by: conversion)
            return isDeferred ? .deferred(until: min(lastSentAt, now) + SendingPolicy.Conversion.maturationTime) : .open
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
        let maturationTime = SendingPolicy.Conversion.maturationTime
        if lastSentAt + maturationTime <= now {
            (maturedCount, checkpointSent, checkpointAt) = (sent, sent, now)
        } else if checkpointAt + maturationTime <= now {
            (maturedCount, checkpointSent, checkpointAt) = (checkpointSent, sent, now)
        } else if now < checkpointAt {
            // The clock was set back.
            (checkpointAt, lastSentAt) = (now, min(lastSentAt, now))
        }
    }

    private static func blockDuration(afterBlocks count: Int) -> Duration {
        // Sixteen doublings exceed the maximum.
        let duration = SendingPolicy.Conversion.firstBlockDuration * (1 << min(max(0, count), 16))
        return min(duration, SendingPolicy.Conversion.maximumBlockDuration)
    }

    private mutating func block(at now: Moment) -> Moment {
        let until = now + Self.blockDuration(afterBlocks: blockCount)
        let count = blockCount + 1
        self = PrefixRecord(at: now)
        blockCount = count
        blockedUntil = until
        return until
    }

    /// Verified codes are rounded up, so that rounding blocks no prefix.
    private mutating func halve() {
        (sent, verified, maturedCount, checkpointSent) = (
            sent - sent / 2, verified - verified / 2, maturedCount / 2, checkpointSent / 2
        )
    }
}
