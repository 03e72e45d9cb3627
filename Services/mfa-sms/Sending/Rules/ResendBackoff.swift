import Vocabulary

/// The messages to a number since its last verified code. Each one increases the delay before the next.
struct ResendBackoff: Equatable, Sendable {
    /// At least 1.
    var messages: Int
    var lastAt: Moment
    /// The time of the message before, for a refund of the last one.
    var previousAt: Moment?

    /// How long the backoff stays after the last message.
    static let memory = Duration.seconds(24 * 60 * 60)
}

extension ResendBackoff {
    init(at now: Moment) {
        self.init(messages: 1, lastAt: now)
    }

    /// The earliest time of the next message; nil: now.
    func nextAllowedAt(delays: [Duration], at now: Moment) -> Moment? {
        guard let last = delays.last else { return nil }
        let delay = messages <= delays.count ? delays[max(0, messages - 1)] : last
        // A message of the future was sent by a clock that was ahead: it delays nothing.
        return lastAt.beginsWindow(of: delay, containing: now) ? lastAt + delay : nil
    }

    mutating func recordMessage(at now: Moment) {
        self = ResendBackoff(messages: messages + 1, lastAt: now, previousAt: lastAt)
    }

    /// The backoff without its last message; nil when it was the first.
    var withoutLastMessage: ResendBackoff? {
        guard messages > 1 else { return nil }
        return ResendBackoff(messages: messages - 1, lastAt: previousAt ?? lastAt, previousAt: nil)
    }
}
