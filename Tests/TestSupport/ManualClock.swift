internal import Synchronization
package import Vocabulary

/// Time that stands still until a test moves it: a wall clock and a steady one, which move together.
package final class ManualClock: Sendable {
    private let state: Mutex<(wall: Moment, instant: ContinuousClock.Instant)>

    /// - Parameter start: what the wall clock says first.
    package init(_ start: Moment = Moment(milliseconds: 1_700_000_000_000)) {
        state = Mutex((start, ContinuousClock().now))
    }

    /// What the wall clock says.
    package var now: Moment { state.withLock { $0.wall } }

    /// What the steady clock says. Only the distance between two of them means anything.
    package var instant: ContinuousClock.Instant { state.withLock { $0.instant } }

    /// Moves both clocks.
    package func advance(by duration: Duration) {
        state.withLock {
            $0.wall = $0.wall + duration
            $0.instant = $0.instant.advanced(by: duration)
        }
    }

    /// Sets the wall clock alone, as an operator or a time server does.
    package func setWall(_ moment: Moment) {
        state.withLock { $0.wall = moment }
    }
}
