internal import CSQLite
import Synchronization

/// The error log of SQLite: damage, failing disks, removed files (https://www.sqlite.org/errlog.html).
package enum SQLiteLog {
    package struct Message: Equatable, Sendable {
        /// SQLite's extended result code.
        package var code: Int32
        /// Contains file names and SQL texts, never values.
        package var text: String
        /// Whether it is part of regular work, for example the recovery of a journal after a crash.
        package var isNotice: Bool
        /// Messages with the same primary code that were suppressed since the last one.
        package var suppressed: Int
    }

    /// One message of each primary code is passed on in this time.
    package static let interval = Duration.seconds(60)

    /// Sets the receiver for the whole process; the latest one is used. It must be set before the first database is
    /// opened.
    package static func install(_ receive: @escaping @Sendable (Message) -> Void) {
        state.withLock { $0.receive = receive }
        _ = registration
    }

    private static let state = Mutex(State())

    /// SQLite rejects it after its first use; then nothing is reported.
    private static let registration: Int32 = csqlite_set_log { _, code, text in
        guard let text else { return }
        SQLiteLog.report(code, String(cString: text), at: .now)
    }

    private static func report(_ code: Int32, _ text: String, at now: ContinuousClock.Instant) {
        let delivery = state.withLock { state -> (receive: @Sendable (Message) -> Void, message: Message)? in
            guard let receive = state.receive, let message = state.filter.receive(code, text, at: now) else {
                return nil
            }
            return (receive, message)
        }
        // Outside the lock, because the receiver writes to a file.
        if let delivery { delivery.receive(delivery.message) }
    }

    private struct State {
        var receive: (@Sendable (Message) -> Void)?
        var filter = Filter()
    }

    /// Decides which messages are passed on.
    package struct Filter {
        private var last: [Int32: (time: ContinuousClock.Instant, suppressed: Int)] = [:]

        package init() {}

        /// Other codes (constraints, a busy file, an interrupted statement) reach the caller as errors.
        private static let reported: Set = [
            SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_FULL, SQLITE_READONLY, SQLITE_NOMEM,
            SQLITE_PROTOCOL, SQLITE_WARNING, SQLITE_NOTICE,
        ]

        package mutating func receive(_ code: Int32, _ text: String, at now: ContinuousClock.Instant) -> Message? {
            let primary = code & 0xff
            guard Self.reported.contains(primary) else { return nil }
            if let (time, suppressed) = last[primary], now - time < SQLiteLog.interval {
                last[primary] = (time, suppressed + 1)
                return nil
            }
            let suppressed = last[primary]?.suppressed ?? 0
            last[primary] = (now, 0)
            return Message(code: code, text: text, isNotice: primary == SQLITE_NOTICE, suppressed: suppressed)
        }
    }
}
