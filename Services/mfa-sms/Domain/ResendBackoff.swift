import Vocabulary

/// The messages that went to a number since its last code came back: each makes the wait for the next one longer.
struct ResendBackoff: Equatable, Sendable {
    /// At least 1.
    var messages: Int
    var lastAt: Moment
    /// When the one before was sent, to take the last one back.
    var previousAt: Moment?

    /// A ladder that nobody has climbed for so long is forgotten.
    static let memory = Duration.seconds(24 * 60 * 60)

    init(at now: Moment) {
        messages = 1
        lastAt = now
    }

    init(messages: Int, lastAt: Moment, previousAt: Moment?) {
        self.messages = messages
        self.lastAt = lastAt
        self.previousAt = previousAt
    }

    /// When the next message may be sent; nil: now.
    func nextAllowedAt(delays waits: [Duration], at now: Moment) -> Moment? {
        guard let last = waits.last else { return nil }
        let wait = messages <= waits.count ? waits[max(0, messages - 1)] : last
        // A clock that was set back must not make anybody wait for longer than this.
        let until = min(lastAt, now) + wait
        return until > now ? until : nil
    }

    mutating func recordMessage(at now: Moment) {
        self = ResendBackoff(messages: messages + 1, lastAt: now, previousAt: lastAt)
    }

    /// The ladder without its last message; nil when it was the first.
    var withoutLastMessage: ResendBackoff? {
        guard messages > 1 else { return nil }
        return ResendBackoff(messages: messages - 1, lastAt: previousAt ?? lastAt, previousAt: nil)
    }
}
