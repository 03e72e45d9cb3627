import Glibc
import ServiceRuntime
import Synchronization

/// A started process. Its output arrives through one pipe; its standard input is the lifeline.
final class ChildProcess: Sendable {
    /// The command to start.
    struct Command: Sendable {
        var executable: ProcessExecutable
        /// After its name.
        var arguments: [String] = []
        /// `NAME=value`.
        var environment: [String]
    }

    let pid: pid_t
    private let output: Int32
    /// False once the process is reaped, because the kernel may then reuse its number.
    private let isOurs = Mutex(true)

    /// Starts a process in its own process group: Ctrl-C at the terminal then reaches only the launcher, which stops
    /// the others in order. Call it from one thread at a time, because a pipe is briefly inheritable.
    init(_ command: Command, lifeline: borrowing Lifeline) throws(ProcessStartError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw ProcessStartError(errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[1]) }

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (source, target) in [(lifeline.readEnd, STDIN_FILENO), (ends[1], STDOUT_FILENO), (ends[1], STDERR_FILENO)] {
            posix_spawn_file_actions_adddup2(&actions, source, target)
        }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The launcher blocks SIGTERM and SIGINT and ignores SIGPIPE. The child gets the defaults, except that SIGHUP waits
        // until the child handles it (`ProcessSignals`).
        var blocked = sigset_t()
        sigemptyset(&blocked)
        sigaddset(&blocked, SIGHUP)
        var standard = sigset_t()
        sigemptyset(&standard)
        sigaddset(&standard, SIGPIPE)
        posix_spawnattr_setsigmask(&attributes, &blocked)
        posix_spawnattr_setsigdefault(&attributes, &standard)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

        let arguments = CStringArray([command.executable.name] + command.arguments)
        let environment = CStringArray(command.environment)
        var pid: pid_t = 0
        let failure = posix_spawn(
            &pid, command.executable.path, &actions, &attributes, arguments.pointers, environment.pointers)
        guard failure == 0 else {
            close(ends[0])
            throw ProcessStartError(failure)
        }
        self.pid = pid
        output = ends[0]
    }

    /// Reads the output to its end on a separate thread, then waits for the end of the process.
    func watch(line: @escaping @Sendable (String) -> Void, end: @escaping @Sendable (ProcessExit) -> Void) {
        DetachedThread.start { [self] in
            var lines = OutputLines()
            var buffer = [UInt8](repeating: 0, count: 16_384)
            while true {
                let count = read(output, &buffer, buffer.count)
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { break }
                lines.receive(buffer[..<count]).forEach(line)
            }
            lines.end().forEach(line)
            close(output)
            end(reap())
        }
    }

    /// Sends a signal unless the process has ended. SIGKILL goes to its process group, so that no descendant survives.
    func send(_ signal: Int32) {
        isOurs.withLock { isOurs in
            guard isOurs else { return }
            kill(signal == SIGKILL ? -pid : pid, signal)
        }
    }

    private func reap() -> ProcessExit {
        // Waits without reaping: the lock is not held meanwhile, and the process number stays reserved.
        var info = siginfo_t()
        while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
        return isOurs.withLock { isOurs in
            var status: Int32 = 0
            waitpid(pid, &status, 0)
            isOurs = false
            // The macros of <sys/wait.h>: the low seven bits are the signal, the next byte is the code.
            let signal = status & 0x7f
            return signal == 0 ? .code((status >> 8) & 0xff) : .signal(signal)
        }
    }
}

/// Why a process could not be started.
struct ProcessStartError: Error, Equatable {
    let reason: String

    init(_ code: Int32) { reason = String(cString: strerror(code)) }
}

/// A pipe that is never written to. Children hold its read end as standard input. When this process ends for any
/// reason, the kernel closes the write end, which the children detect.
struct Lifeline: ~Copyable {
    let readEnd: Int32
    private let writeEnd: Int32

    init() throws(ProcessStartError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw ProcessStartError(errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }
}

/// A null-terminated array of C strings, freed with its owner.
private struct CStringArray: ~Copyable {
    let pointers: [UnsafeMutablePointer<CChar>?]

    init(_ texts: [String]) { pointers = texts.map { strdup($0) } + [nil] }

    deinit { for pointer in pointers { free(pointer) } }
}
