internal import Synchronization
internal import Vocabulary

/// Lets an event that repeats with every request be written when it is new, and then once a minute with the number of
/// times it was not: under a full disk the log must not be what fills it.
final class LogLimiter: Sendable {
    /// From one line about the same to the next.
    static let interval = Duration.seconds(60)
    /// Beyond it, everything counts as new: our events and their reasons are few.
    static let maximumSubjects = 256

    private struct Entry {
        var writtenAt: Moment
        var suppressed = 0
    }

    private let entries = Mutex<[String: Entry]>([:])

    /// - Parameter subject: what is the same about the lines, the event included.
    /// - Returns: how many were suppressed since the last line; nil if this one is to be.
    func admit(_ subject: String, at now: Moment) -> Int? {
        entries.withLock { entries in
            if let entry = entries[subject], now < entry.writtenAt + Self.interval, now >= entry.writtenAt {
                entries[subject]?.suppressed += 1
                return nil
            }
            if entries.count >= Self.maximumSubjects {
                entries = entries.filter { now >= $0.value.writtenAt && now < $0.value.writtenAt + Self.interval }
            }
            let suppressed = entries[subject]?.suppressed ?? 0
            if entries.count < Self.maximumSubjects || entries[subject] != nil {
                entries[subject] = Entry(writtenAt: now)
            }
            return suppressed
        }
    }
}
