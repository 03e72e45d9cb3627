internal import Glibc

/// Why a process is asked to stop.
package enum StopRequest: String, Sendable {
    case terminate = "SIGTERM"
    case interrupt = "SIGINT"
    /// `latchkey up` is gone: nobody watches this process any more.
    case launcherGone = "launcher gone"
}

/// The signals of this process.
package enum ProcessSignals {
    /// Set by `latchkey up`: standard input is a pipe that only it can write to, and never does. The kernel closes it
    /// when the launcher ends, however it ends.
    package static let lifelineVariable = "LATCHKEY_LIFELINE"

    /// Keeps SIGTERM and SIGINT for `stopRequests()`. Threads inherit this, so it has to come before the first one.
    /// Writing to a reader that went away becomes an ordinary error instead of the end of the process.
    @MainActor package static func take() {
        var signals = stopSignals
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        signal(SIGPIPE, SIG_IGN)
    }

    /// Every request to stop, in the order they come. A second signal ends the process at once: whoever sends it has
    /// lost patience.
    package static func stopRequests() -> AsyncStream<StopRequest> {
        let (requests, inbox) = AsyncStream.makeStream(of: StopRequest.self, bufferingPolicy: .bufferingOldest(4))
        DetachedThread.start {
            var signals = stopSignals
            var isImpatient = false
            while true {
                var number: Int32 = 0
                guard sigwait(&signals, &number) == 0 else { continue }
                if isImpatient { _exit(ExitCode.failure) }
                isImpatient = true
                inbox.yield(number == SIGINT ? .interrupt : .terminate)
            }
        }
        if Environment.process[lifelineVariable] != nil {
            DetachedThread.start {
                var byte: UInt8 = 0
                var count: Int
                repeat {
                    count = read(STDIN_FILENO, &byte, 1)
                } while count > 0 || (count < 0 && errno == EINTR)
                inbox.yield(.launcherGone)
            }
        }
        return requests
    }

    private static var stopSignals: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        return signals
    }
}
