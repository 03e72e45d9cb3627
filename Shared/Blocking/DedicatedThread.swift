import Glibc

/// A thread outside of Swift's pool. It ends when its body returns; it is not joined.
package enum DedicatedThread {
    /// Starts a thread.
    ///
    /// - Parameters:
    ///   - label: shown by `top -H` and debuggers; Linux keeps its first 15 bytes.
    ///   - niceness: -20 … 19; a higher number gives other threads priority. Numbers below the niceness of the process
    ///     need a privilege. Without it the thread keeps the niceness of the process.
    ///   - stackBytes: for a thread that only waits. The default of the system is 8 MiB.
    ///   - body: the work of the thread. Values that only it refers to need not be `Sendable`: the thread takes
    ///     ownership of them.
    package static func start(
        label: String, niceness: Int32 = 0, stackBytes: Int? = nil, _ body: sending @escaping () -> Void
    ) {
        guard !startIfPossible(label: label, niceness: niceness, stackBytes: stackBytes, body) else { return }
        // It fails only without threads or memory: the process cannot continue.
        endProcess("no thread for \(label)")
    }

    /// The exit code of a process that gets no thread or no memory (sysexits.h, `EX_OSERR`).
    package static let shortageExitCode: Int32 = 71

    /// Ends the process with a sentence. Nothing else that this process could do would work.
    private static func endProcess(_ problem: String) -> Never {
        let sentence =
            "\(problem): there is not enough memory, or there are too many threads. Raise the limits of the process "
            + "(RLIMIT_DATA, RLIMIT_NPROC, and MemoryMax and TasksMax of its unit).\n"
        let bytes = Array(sentence.utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
        _exit(shortageExitCode)
    }

    /// Starts a thread, as `start`.
    /// - Returns: false if the system has no thread or memory for it.
    package static func startIfPossible(
        label: String, niceness: Int32 = 0, stackBytes: Int? = nil, _ body: sending @escaping () -> Void
    ) -> Bool {
        let start = Start(label: label, niceness: niceness, body: body)
        let retained = Unmanaged.passRetained(start)
        var thread = pthread_t()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        // Fails only for a size that no thread can have; then it keeps the default.
        if let stackBytes { pthread_attr_setstacksize(&attributes, stackBytes) }
        // The type is written explicitly: with the implicit `Self` the compiler of Swift 6.3.1 crashes.
        let status = pthread_create(
            &thread, &attributes, { DedicatedThread.enter($0) }, retained.toOpaque())
        guard status == 0 else {
            retained.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    /// The first function of the new thread.
    private static func enter(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        // The release for the `passRetained` of the start.
        let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
        write(name: start.label, to: "/proc/thread-self/comm")
        // On Linux each thread has its own niceness, and "process 0" is the calling thread (setpriority(2), NOTES).
        if start.niceness != 0 { setpriority(Int32(PRIO_PROCESS.rawValue), 0, start.niceness) }
        start.body()
        return nil
    }

    /// Names the process, which is the name of its first thread, for `ps`, `top` and `pgrep`. The default is the name of
    /// the file that it executes.
    package static func nameProcess(_ name: String) {
        write(name: name, to: "/proc/self/comm")
    }

    /// Writes a name to the file of a thread in proc(5). The functions for it are GNU extensions or variadic, which Swift
    /// does not import. Failures are ignored, because a thread needs no name.
    private static func write(name: String, to path: String) {
        let file = open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        let bytes = Array(name.utf8.prefix(15))
        _ = Glibc.write(file, bytes, bytes.count)
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
