import Glibc
import ServiceRuntime
import Synchronization

/// Ends a command on Ctrl-C and SIGTERM without finishing its work. `latchkey up` is none of them: it ends its mesh first.
enum InterruptHandler {
    private static let cleanups = Mutex<[@Sendable () -> Void]>([])

    /// Call it once, before the command runs.
    static func install() {
        let requests = ProcessSignals.stopRequests(watchingLauncher: false)
        Task {
            for await request in requests {
                for tidy in cleanups.withLock(\.self) { tidy() }
                StandardError.shared.write("latchkey: stopped by \(request.rawValue) before it was done.")
                _exit(ExitCode.failure)
            }
        }
    }

    /// - Parameter tidy: called at such an end, for example to remove temporary files.
    static func add(cleanup tidy: @escaping @Sendable () -> Void) {
        cleanups.withLock { $0.append(tidy) }
    }
}
