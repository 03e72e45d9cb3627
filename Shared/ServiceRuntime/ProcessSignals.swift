import Glibc
import Settings
import Synchronization

/// The reason of a request to stop.
package enum StopRequest: String, Sendable {
    case terminate = "SIGTERM"
    case interrupt = "SIGINT"
    /// `latchkey up` asks the process to close: to take no work from outside, and to serve only the other processes.
    case close = "SIGUSR1"
    /// `latchkey up` has exited, so this process is no longer supervised.
    case launcherExited = "launcher gone"
    /// `latchkey up`, of which the service is a part, stops.
    case launcherStops = "launcher stops"
}

/// The signals of this process.
///
/// The handler writes the signal's number into a pipe, and a thread reads it. Writing is one of the few operations that
/// are allowed in a handler (signal-safety(7)). Blocking the signals and waiting for them would be simpler. But the
/// main thread of an asynchronous program ends up in libdispatch, which waits there with no signal blocked.
package enum ProcessSignals {
    private static let pipe = SignalPipe()
    private static let hangups = Mutex<[@Sendable () -> Void]>([])

    /// Handles SIGTERM, SIGINT and SIGUSR1 for `stopRequests()`, and SIGHUP for `onHangup`. Writing to a closed pipe, or
    /// beyond the maximum file size, becomes an ordinary error and does not end the process.
    package static func installHandlers() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        _ = pipe  // Created here, so that it exists before the handler runs.
        for number in [SIGTERM, SIGINT, SIGUSR1] { handle(number) }
        guard hangupReloads else { return }
        handle(SIGHUP)
        // `ChildProcess` starts a process with the signal blocked: it can arrive before this line.
        var hangup = sigset_t()
        sigemptyset(&hangup)
        sigaddset(&hangup, SIGHUP)
        pthread_sigmask(SIG_UNBLOCK, &hangup, nil)
    }

    /// Whether SIGHUP asks to read files again, as of every service of the machine. To a process of a terminal it says that
    /// the terminal has gone, and ends it. A process that `latchkey up` watches hears from that first.
    private static let hangupReloads: Bool = {
        guard Environment.process[.lifeline] == nil else { return true }
        let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else { return true }
        close(terminal)
        return false
    }()

    /// From now on SIGHUP calls `body`, on the thread of the signals, where it asks to read files again.
    package static func onHangup(_ body: @escaping @Sendable () -> Void) {
        hangups.withLock { $0.append(body) }
    }

    private static func handle(_ number: Int32) {
        signal(number) { number in
            let error = errno
            var byte = UInt8(truncatingIfNeeded: number)
            // Fails if the pipe is full; it then contains more requests than needed.
            _ = write(ProcessSignals.pipe.writeEnd, &byte, 1)
            errno = error
        }
    }

    /// The requests to stop of a process of a mesh.
    package static func stopRequests() -> AsyncStream<StopRequest> { stopRequests(watchingLauncher: true) }

    /// The requests to stop in their order. A second signal ends the process at once, unless the first asked to close.
    /// - Parameter watchesLauncher: whether the end of the launcher is one. It reads standard input, so a command that gets a
    ///   password there says no.
    package static func stopRequests(watchingLauncher watchesLauncher: Bool) -> AsyncStream<StopRequest> {
        let (requests, inbox) = AsyncStream.makeStream(of: StopRequest.self, bufferingPolicy: .bufferingOldest(4))
        // `latchkey up` sets it: standard input is a pipe that only the launcher can write to, and it never does. The
        // kernel closes it when the launcher ends for any reason.
        let hasLifeline = watchesLauncher && Environment.process[.lifeline] != nil
        DetachedThread.start {
            var sources = [
                pollfd(fd: pipe.readEnd, events: Int16(POLLIN), revents: 0),
                // poll(2) skips a negative descriptor.
                pollfd(fd: hasLifeline ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
            ]
            var signals = 0
            while true {
                guard poll(&sources, nfds_t(sources.count), -1) > 0 else { continue }
                var byte: UInt8 = 0
                if sources[0].revents != 0, read(pipe.readEnd, &byte, 1) == 1 {
                    if Int32(byte) == SIGHUP {
                        for body in hangups.withLock({ $0 }) { body() }
                        continue
                    }
                    let request: StopRequest =
                        switch Int32(byte) {
                        case SIGINT: .interrupt
                        case SIGUSR1: .close
                        default: .terminate
                        }
                    if request != .close { signals += 1 }
                    if signals > 1 { _exit(ExitCode.failure) }
                    inbox.yield(request)
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

/// The pipe between the handler and the thread. It exists as long as the process.
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
