internal import Glibc

/// A thread outside of Swift's pool. It ends when its body returns; it is not joined.
package enum DedicatedThread {
    /// Starts a thread.
    ///
    /// - Parameters:
    ///   - label: shown by `top -H` and debuggers; Linux keeps its first 15 bytes.
    ///   - niceness: -20 … 19; a higher number gives other threads priority. Numbers below the niceness of the process
    ///     need a privilege. Without it the thread keeps the niceness of the process.
    ///   - body: the work of the thread. Values that only it refers to need not be `Sendable`: the thread takes
    ///     ownership of them.
    package static func start(label: String, niceness: Int32 = 0, _ body: sending @escaping () -> Void) {
        let start = Start(label: label, niceness: niceness, body: body)
        var thread = pthread_t()
        // The type is written explicitly: with the implicit `Self` the compiler of Swift 6.3.1 crashes.
        let status = pthread_create(
            &thread, nil, { DedicatedThread.enter($0) }, Unmanaged.passRetained(start).toOpaque())
        // It fails only without threads or memory, and only while a process starts: the process cannot continue.
        precondition(status == 0, "no thread for \(label): error \(status)")
        pthread_detach(thread)
    }

    /// The first function of the new thread.
    private static func enter(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        // The release for the `passRetained` in `start`.
        let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
        name(start.label)
        // On Linux each thread has its own niceness, and "process 0" is the calling thread (setpriority(2), NOTES).
        if start.niceness != 0 { setpriority(Int32(PRIO_PROCESS.rawValue), 0, start.niceness) }
        start.body()
        return nil
    }

    /// Names the calling thread through its file in proc(5). The functions for it are GNU extensions or variadic, which
    /// Swift does not import. Failures are ignored, because a thread needs no name.
    private static func name(_ label: String) {
        let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        let bytes = Array(label.utf8.prefix(15))
        _ = write(file, bytes, bytes.count)
        close(file)
    }

    private final class Start {
        let label: String
        let niceness: Int32
        let body: () -> Void

        init(label: String, niceness: Int32, body: @escaping () -> Void) {
            self.label = label
            self.niceness = niceness
            self.body = body
        }
    }
}
