import Bus
import Vocabulary

/// The time of a simulation. It passes only when nothing can be done, and a little with each step.
struct SimulatedTime {
    typealias Instant = ContinuousClock.Instant

    /// The beginning. Only differences to it matter, so every run of a seed is the same.
    static let beginning = Instant.now

    private(set) var steady = Self.beginning

    /// Since the beginning.
    var elapsed: Duration { steady - Self.beginning }

    mutating func advance(by duration: Duration) { steady += duration }

    mutating func advance(to instant: Instant) { steady = max(steady, instant) }

    /// The clocks of a process, which differ from those of others by a constant.
    func clocks(of offsets: ClockOffsets) -> BusTime {
        let wall = Moment(milliseconds: 1_700_000_000_000) + elapsed + offsets.wall
        return BusTime(steady: steady + offsets.steady, wall: wall)
    }
}

/// How far the clocks of a process are from those of the simulation.
struct ClockOffsets {
    var steady = Duration.zero
    var wall = Duration.zero
}
