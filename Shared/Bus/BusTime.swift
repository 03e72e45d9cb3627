import Glibc
package import Vocabulary

/// One reading of the two clocks of the bus. The steady clock, which cannot be set back, measures timeouts and
/// heartbeats. The wall clock measures deadlines, which handlers compare with the time of day. Between processes a
/// deadline travels as the time left.
package struct BusTime: Sendable {
    /// Monotonic; has no meaning outside of this process.
    package var steady: ContinuousClock.Instant
    package var wall: Moment

    package init(steady: ContinuousClock.Instant, wall: Moment) {
        self.steady = steady
        self.wall = wall
    }

    package static func now() -> Self {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)  // Cannot fail for this clock.
        let milliseconds = Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
        return .init(steady: .now, wall: .init(milliseconds: milliseconds))
    }

    /// Both clocks, advanced by the duration.
    package static func + (time: Self, duration: Duration) -> Self {
        .init(steady: time.steady + duration, wall: time.wall + duration)
    }
}
