import Glibc

/// Whether this process may have the memory that each process of a mesh needs when it starts. Its processes have the same
/// limits. Without it some thread or some object could not be made, and the process would end without a sentence.
enum MemoryCheck {
    /// Mostly the stacks of threads, of which little is used.
    static let neededBytes = 128 << 20

    /// - Throws: `LauncherError.noMemory`
    static func run() throws(LauncherError) {
        // Counted by the limits, and not used.
        let memory = mmap(
            nil, neededBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard memory != MAP_FAILED else {
            var limits = rlimit()
            // Cannot fail for this resource.
            getrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limits)
            let isLimited = limits.rlim_cur != rlim_t.max
            throw .noMemory(needed: neededBytes, limit: isLimited ? UInt(limits.rlim_cur) : nil)
        }
        munmap(memory, neededBytes)
    }

    /// The same for `latchkey up`, before anything asynchronous: with still less memory Swift's runtime would wait for its
    /// first thread without a word.
    static func runBeforeThreads() {
        guard CommandLine.arguments.dropFirst().first == "up" else { return }
        do throws(LauncherError) {
            try run()
        } catch {
            let text = error.messages.map { "latchkey: \($0)\n" }.joined()
            let bytes = Array(text.utf8)
            _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
            exit(error.exitCode)
        }
    }
}
