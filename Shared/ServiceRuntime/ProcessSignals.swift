internal import Glibc
internal import Settings

/// Why a process is asked to stop.
package enum StopRequest: String, Sendable {
    case terminate = "SIGTERM"
    case interrupt = "SIGINT"
    /// `latchkey up` is gone: nobody watches this process any more.
    case launcherExited = "launcher gone"
}

/// The signals of this process.
///
/// The handler writes the signal's number into a pipe, one of the few things a handler may do (signal-safety(7)), and a
/// thread reads it. To block the signals and wait for them would be simpler, but the main thread of an asynchronous
/// program ends up in libdispatch, which waits there with nothing blocked.
package enum ProcessSignals {
    private static let pipe = SignalPipe()

    /// Keeps SIGTERM and SIGINT for `stopRequests()`. Writing to a reader that went away, or beyond the size a file may
    /// have, becomes an ordinary error instead of the end of the process.
    package static func installHandlers() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        _ = pipe  // Made here, so that the handler finds it made.
        for number in [SIGTERM, SIGINT] {
            signal(number) { number in
                let error = errno
                var byte = UInt8(truncatingIfNeeded: number)
                // Refused by a full pipe, which holds more requests than anybody needs.
                _ = write(ProcessSignals.pipe.writeEnd, &byte, 1)
                errno = error
            }
        }
    }

    /// Every request to stop, in the order they come. A second signal ends the process at once: whoever sends it has
    /// lost patience.
    package static func stopRequests() -> AsyncStream<StopRequest> {
        let (requests, inbox) = AsyncStream.makeStream(of: StopRequest.self, bufferingPolicy: .bufferingOldest(4))
        // `latchkey up` sets it: standard input is a pipe that only the launcher can write to, and never does. The kernel
        // closes it when the launcher ends, however it ends.
        let hasLifeline = Environment.process[.lifeline] != nil
        DetachedThread.start {
            var sources = [
                pollfd(fd: pipe.readEnd, events: Int16(POLLIN), revents: 0),
                // poll(2) passes over a negative descriptor.
                pollfd(fd: hasLifeline ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
            ]
            var signals = 0
            while true {
                guard poll(&sources, nfds_t(sources.count), -1) > 0 else { continue }
                var byte: UInt8 = 0
                if sources[0].revents != 0, read(pipe.readEnd, &byte, 1) == 1 {
                    signals += 1
                    if signals > 1 { _exit(ExitCode.failure) }
                    inbox.yield(Int32(byte) == SIGINT ? .interrupt : .terminate)
                }
                if sources[1].revents != 0, read(STDIN_FILENO, &byte, 1) <= 0 {
                    sources[1].fd = -1
                    inbox.yield(.launcherExited)
                }
            }
        }
        return requests
    }
}

/// The pipe between the handler and the thread. It lasts as long as the process.
private struct SignalPipe: Sendable {
    let readEnd: Int32
    let writeEnd: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        precondition(Glibc.pipe(&ends) == 0, "no pipe for signals")
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        (readEnd, writeEnd) = (ends[0], ends[1])
    }
}
