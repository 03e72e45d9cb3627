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
    /// Before it no sleep ends. Stored, as `dueAt`, because a loop asks in every turn.
    private var earliest: Instant?
    /// The latest time at which `removeDue` must be called again.
    package private(set) var dueAt: Instant?

    package init() {}

    /// - Parameter id: unique among the sleepers.
    package mutating func insert(
        _ id: UInt64, _ continuation: Continuation, forAbout duration: Duration, at now: Instant
    ) {
        let sleeper = Sleeper(
            continuation: continuation, earliest: now + duration * 17 / 20, latest: now + Self.longest(duration))
        sleepers[id] = sleeper
        updateTimes(with: sleeper)
    }

    /// - Returns: nil if the sleep has ended.
    package mutating func remove(_ id: UInt64) -> Continuation? {
        guard let sleeper = sleepers.removeValue(forKey: id) else { return nil }
        computeTimes()
        return sleeper.continuation
    }

    /// Removes those whose sleep may end now.
    package mutating func removeDue(at now: Instant) -> [Continuation] {
        guard let earliest, now >= earliest else { return [] }
        let due = sleepers.filter { now >= $0.value.earliest }
        for id in due.keys { sleepers[id] = nil }
        computeTimes()
        return due.values.map { $0.continuation }
    }

    private mutating func computeTimes() {
        (earliest, dueAt) = (nil, nil)
        for sleeper in sleepers.values { updateTimes(with: sleeper) }
    }

    private mutating func updateTimes(with sleeper: Sleeper) {
        earliest = min(earliest ?? sleeper.earliest, sleeper.earliest)
        dueAt = min(dueAt ?? sleeper.latest, sleeper.latest)
    }

    /// The maximum time of a sleep.
    package static func longest(_ duration: Duration) -> Duration { duration * 11 / 10 }
}
