/// The tasks that sleep on a loop. It decides which of them wake up when.
///
/// A sleep ends in a window of time. A loop that wakes up in the window for another reason ends the sleep too, so that
/// periodic work of one process shares its wake-ups.
package struct Sleepers<Continuation: Sendable>: Sendable {
    package typealias Instant = ContinuousClock.Instant

    private struct Sleeper {
        var continuation: Continuation
        var earliest: Instant
        var latest: Instant
    }

    private var sleepers: [UInt64: Sleeper] = [:]

    package init() {}

    /// - Parameter id: unique among the sleepers.
    package mutating func insert(
        _ id: UInt64, _ continuation: Continuation, forAbout duration: Duration, at now: Instant
    ) {
        sleepers[id] = Sleeper(
            continuation: continuation, earliest: now + duration * 17 / 20, latest: now + Self.longest(duration))
    }

    /// - Returns: nil if the sleep has ended.
    package mutating func remove(_ id: UInt64) -> Continuation? {
        sleepers.removeValue(forKey: id)?.continuation
    }

    /// Removes those whose sleep may end now.
    package mutating func removeDue(at now: Instant) -> [Continuation] {
        if sleepers.isEmpty { return [] }
        let due = sleepers.filter { now >= $0.value.earliest }
        for id in due.keys { sleepers[id] = nil }
        return due.values.map(\.continuation)
    }

    /// The latest time at which `removeDue` must be called again.
    package var dueAt: Instant? { sleepers.values.lazy.map(\.latest).min() }

    /// The maximum time of a sleep.
    package static func longest(_ duration: Duration) -> Duration { duration * 11 / 10 }
}
