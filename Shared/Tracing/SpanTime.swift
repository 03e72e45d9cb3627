import Glibc

/// The beginning of a span by two clocks: the time of day, and the steady clock, which measures the duration.
package struct SpanTime: Sendable {
    /// Since 1970.
    package var nanoseconds: UInt64
    package var steady: ContinuousClock.Instant

    package init(nanoseconds: UInt64, steady: ContinuousClock.Instant) {
        self.nanoseconds = nanoseconds
        self.steady = steady
    }

    package static func now() -> Self {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)  // Cannot fail for this clock.
        let seconds = UInt64(clamping: time.tv_sec)
        return .init(nanoseconds: seconds &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec), steady: .now)
    }
}
