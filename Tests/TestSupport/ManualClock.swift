import Synchronization
package import Vocabulary

/// Time that advances only when a test moves it: a wall clock and a steady clock, which move together.
package final class ManualClock: Sendable {
    private let state: Mutex<(wall: Moment, instant: ContinuousClock.Instant)>

    /// - Parameter start: the first time of the wall clock.
    package init(_ start: Moment = Moment(milliseconds: 1_700_000_000_000)) {
        state = Mutex((start, ContinuousClock().now))
    }

    /// The time of the wall clock.
    package var now: Moment { state.withLock { $0.wall } }

    /// The time of the steady clock. Only differences between two times are meaningful.
    package var instant: ContinuousClock.Instant { state.withLock { $0.instant } }

    /// Moves both clocks.
    package func advance(by duration: Duration) {
        state.withLock {
            $0.wall = $0.wall + duration
            $0.instant = $0.instant.advanced(by: duration)
        }
    }

    /// Moves only the steady clock, by which pauses end. Leases are of the wall clock: those of attempts in flight stay,
    /// however slow the machine is.
    package func advanceSteady(by duration: Duration) {
        state.withLock { $0.instant = $0.instant.advanced(by: duration) }
    }

    /// Sets only the wall clock, as an operator or a time server does.
    package func setWall(_ moment: Moment) {
        state.withLock { $0.wall = moment }
    }
}
