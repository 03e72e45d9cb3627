internal import CSQLite
import Glibc

/// Interrupts statements of one connection that exceed their time. Used on the connection's thread only, also by
/// SQLite.
final class StatementClock {
    /// Steps of SQLite's virtual machine between two readings of the clock: some tens of microseconds.
    private static let steps: Int32 = 10_000

    /// Monotonic time in nanoseconds; nil without a time limit.
    private var endsAt: Int64?

    /// Registers a periodic callback in SQLite. The clock must live as long as the connection is open.
    func watch(_ handle: OpaquePointer?) {
        sqlite3_progress_handler(
            handle, Self.steps,
            { context in
                guard let context else { return 0 }
                return Unmanaged<StatementClock>.fromOpaque(context).takeUnretainedValue().isOver ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    func start(_ time: Duration?) {
        endsAt = time.map { time in
            let (seconds, attoseconds) = time.components
            return Self.now() + seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        }
    }

    func stop() {
        endsAt = nil
    }

    private var isOver: Bool {
        guard let endsAt else { return false }
        return Self.now() >= endsAt
    }

    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)  // Cannot fail for this clock.
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
