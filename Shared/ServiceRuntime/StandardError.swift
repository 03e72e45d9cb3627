import Glibc
import Synchronization

/// Writes log lines to standard error.
///
/// A line never waits for its reader. If the pipe is full (the reader hangs, a terminal is stopped), the line is
/// counted and dropped: a logging call may run on a cooperative thread, which must never block in C.
package final class StandardError: Sendable {
    /// The instance of this process; there is only one descriptor 2.
    package static let shared = StandardError()

    private let state = Mutex(State())

    private struct State {
        var dropped = 0
        /// The line about dropped lines.
        var notice: @Sendable (Int) -> String = { "\($0) log lines were dropped: they were not read in time" }
    }

    private init() {}

    /// Sets the form of the line about dropped lines, for a log that is not text.
    func setNotice(_ notice: @escaping @Sendable (_ dropped: Int) -> String) {
        state.withLock { $0.notice = notice }
    }

    /// Writes one line of at most `PIPE_BUF` bytes, including its end.
    package func write(_ line: String) {
        // The lock keeps the space that `poll` found until it is used.
        state.withLock { state in
            guard hasRoom else {
                state.dropped += 1
                return
            }
            if state.dropped > 0 {
                send(state.notice(state.dropped) + "\n")
                state.dropped = 0
                guard hasRoom else {
                    state.dropped = 1
                    return
                }
            }
            send(line + "\n")
        }
    }

    /// A pipe that polls as writable accepts `PIPE_BUF` bytes without waiting (pipe(7)); a file always does.
    private var hasRoom: Bool {
        var descriptor = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        return poll(&descriptor, 1, 0) == 1
    }

    private func send(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            // The result is ignored: without a reader, the failure cannot be reported either.
            _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        }
    }
}
