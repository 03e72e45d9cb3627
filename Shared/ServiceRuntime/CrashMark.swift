package import Blocking
internal import Glibc

/// The last words of a process that crashes: which request the crashing thread worked for.
///
/// They go to standard error, where `latchkey up` reads them before it hears of the end, and keeps the request from the
/// next worker. Where nobody reads them, nothing is written: of a guessable password the digest is as good as the password.
package enum CrashMark {
    /// Before 32 lower-case hexadecimal digits.
    package static let prefix = "latchkey-crashed-over="
    /// What a mistake of ours, or of a library's, ends a process with. Everything else comes from outside.
    package static let signals = [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT]

    private static let digits = 32

    /// Everything the handler uses. Made before it can run, because a handler must not allocate.
    private struct Prepared: @unchecked Sendable {
        // Written by a thread that crashes, and by nobody else.
        let line: UnsafeMutablePointer<UInt8>
        let count: Int
        /// What was there before us: Swift's own backtraces, if they are switched on.
        let former: UnsafeMutablePointer<sigaction>
    }

    private static let prepared: Prepared = {
        let text = Array("\(prefix)\(String(repeating: "0", count: digits))\n".utf8)
        let line = UnsafeMutablePointer<UInt8>.allocate(capacity: text.count)
        line.initialize(from: text, count: text.count)
        let former = UnsafeMutablePointer<sigaction>.allocate(capacity: signals.count)
        former.initialize(repeating: sigaction(), count: signals.count)
        return Prepared(line: line, count: text.count, former: former)
    }()

    /// - Parameter isRead: whether `latchkey up` reads what this process writes.
    static func install(isRead: Bool) {
        guard isRead else { return }
        _ = prepared
        _ = RequestMark.current  // Made now, as everything else.
        for (index, number) in signals.enumerated() {
            var action = sigaction()
            sigemptyset(&action.sa_mask)
            action.sa_flags = SA_SIGINFO
            action.__sigaction_handler.sa_sigaction = { number, info, _ in CrashMark.handle(number, info) }
            sigaction(number, &action, prepared.former + index)
        }
    }

    private static func handle(_ number: Int32, _ info: UnsafeMutablePointer<siginfo_t>?) {
        if let mark = RequestMark.current {
            let line = prepared.line
            var place = prepared.count - 1 - digits
            var shift: UInt64 = 128
            while shift > 0 {
                shift -= 4
                let word = shift >= 64 ? mark.high : mark.low
                let digit = UInt8(truncatingIfNeeded: (word >> (shift % 64)) & 0xf)
                line[place] = digit < 10 ? 0x30 + digit : 0x61 + digit - 10
                place += 1
            }
            _ = write(STDERR_FILENO, line, prepared.count)
        }
        // The fault comes again, to whoever had the signal before.
        var index = 0
        while index < signals.count, signals[index] != number { index += 1 }
        sigaction(number, prepared.former + index, nil)
        // A signal that was sent does not come again by itself.
        if let info, info.pointee.si_code <= 0 { raise(number) }
    }

    /// The digits behind the prefix, if the line is the last words of a crash.
    package static func mark(in line: String) -> RequestMark? {
        guard line.hasPrefix(prefix) else { return nil }
        let digits = line.utf8.dropFirst(prefix.utf8.count)
        guard digits.count == Self.digits,
            let high = UInt64(String(decoding: digits.prefix(16), as: UTF8.self), radix: 16),
            let low = UInt64(String(decoding: digits.suffix(16), as: UTF8.self), radix: 16)
        else { return nil }
        return RequestMark(high: high, low: low)
    }
}
