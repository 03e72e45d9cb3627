/// Decides when the writing connection gives the pages in its memory back.
struct CacheSchedule: Sendable {
    /// Behind a pause of more than this. The check of the database every six seconds is a write, and ends a pause.
    static let pause = Duration.seconds(3)

    private var idleSince: ContinuousClock.Instant?

    /// No write waits.
    mutating func beginPause(at instant: ContinuousClock.Instant) {
        idleSince = instant
    }

    /// A write waits.
    /// - Returns: whether to give the pages back.
    mutating func endPause(at instant: ContinuousClock.Instant) -> Bool {
        defer { idleSince = nil }
        return idleSince.map { instant - $0 > Self.pause } ?? false
    }
}
