internal import Glibc

/// A thread outside of Swift's pool. It ends when its body returns; nobody joins it.
package enum DedicatedThread {
    /// Starts a thread.
    ///
    /// - Parameters:
    ///   - label: shown by `top -H` and debuggers; Linux keeps its first 15 bytes.
    ///   - niceness: -20 … 19; a higher number yields the processor to others. Numbers below the process's own need a
    ///     privilege, and without it the thread keeps the niceness of the process.
    ///   - body: what the thread does. Values it alone refers to need not be `Sendable`: they become the thread's.
    package static func start(label: String, niceness: Int32 = 0, _ body: sending @escaping () -> Void) {
        let start = Start(label: label, niceness: niceness, body: body)
        var thread = pthread_t()
        // The type is spelled out: with the implicit `Self` the compiler of Swift 6.3.1 crashes.
        let status = pthread_create(
            &thread, nil, { DedicatedThread.enter($0) }, Unmanaged.passRetained(start).toOpaque())
        // Only a machine out of threads or memory refuses, and only while a process starts: there is no way to go on.
        precondition(status == 0, "no thread for \(label): error \(status)")
        pthread_detach(thread)
    }

    /// The first function of the new thread.
    private static func enter(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        // The one release that belongs to the `passRetained` of `start`.
        let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
        name(start.label)
        // On Linux niceness belongs to a thread, and "process 0" is the calling thread (setpriority(2), NOTES).
        if start.niceness != 0 { setpriority(Int32(PRIO_PROCESS.rawValue), 0, start.niceness) }
        start.body()
        return nil
    }

    /// Names the calling thread, by the file proc(5) gives for it: the functions for it are GNU extensions or variadic,
    /// which Swift does not import. A thread without a name works as well, so failures are ignored.
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
