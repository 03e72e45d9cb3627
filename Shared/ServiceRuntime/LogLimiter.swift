import Synchronization

/// Limits an event that repeats with every request: it is logged when it is new, and then once a minute with the number
/// of suppressed lines. So the log itself does not fill a full disk.
final class LogLimiter: Sendable {
    /// Between two lines with the same subject.
    static let interval = Duration.seconds(60)
    /// Beyond it, every subject counts as new: events and their reasons are few.
    static let maximumSubjects = 256

    private struct Entry {
        var writtenAt: ContinuousClock.Instant
        var suppressed = 0
    }

    private let entries = Mutex<[String: Entry]>([:])

    /// - Parameters:
    ///   - subject: identifies the repeated lines, including the event.
    ///   - now: the time of the steady clock.
    /// - Returns: the number of lines suppressed since the last one; nil if this line is suppressed.
    func admit(_ subject: String, at now: ContinuousClock.Instant) -> Int? {
        entries.withLock { entries in
            if let entry = entries[subject], now < entry.writtenAt + Self.interval {
                entries[subject]?.suppressed += 1
                return nil
            }
            if entries.count >= Self.maximumSubjects {
                entries = entries.filter { now < $0.value.writtenAt + Self.interval }
            }
            let suppressed = entries[subject]?.suppressed ?? 0
            if entries.count < Self.maximumSubjects || entries[subject] != nil {
                entries[subject] = Entry(writtenAt: now)
            }
            return suppressed
        }
    }
}
