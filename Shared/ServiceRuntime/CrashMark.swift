package import Blocking
import Glibc

/// A line that a crashing process writes: the request that the crashing thread handled.
///
/// It goes to standard error. `latchkey up` reads it before it detects the exit, and keeps the request from the next
/// worker. Without such a reader nothing is written, because the digest of a guessable password is as good as the
/// password.
package enum CrashMark {
    /// Followed by 32 lower-case hexadecimal digits.
    package static let prefix = "latchkey-crashed-over="
    /// The signals of programming errors, in this program or in a library. All other signals are external.
    package static let signals = [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT]

    private static let digits = 32

    /// Everything that the handler uses. Created before it can run, because a handler must not allocate.
    private struct Prepared: @unchecked Sendable {
        // Written only by the crashing thread.
        let line: UnsafeMutablePointer<UInt8>
        let count: Int
        /// The previous handlers: Swift's own backtraces, if they are enabled.
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

    /// - Parameter isRead: whether `latchkey up` reads the output of this process.
    static func install(isRead: Bool) {
        guard isRead else { return }
        _ = prepared
        _ = RequestMark.current  // Initialized now, like everything else.
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
        // The fault occurs again and then runs the previous handler.
        var index = 0
        while index < signals.count, signals[index] != number { index += 1 }
        sigaction(number, prepared.former + index, nil)
        // A signal that was sent does not occur again by itself.
        if let info, info.pointee.si_code <= 0 { raise(number) }
    }

    /// The digits after the prefix, if the line is a crash mark.
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
