import Glibc
import Synchronization

/// Random numbers of the system, which cannot be guessed. A system call draws some for those that come next; each is given out once,
/// and no copy of it is kept.
package struct SystemRandom: RandomNumberGenerator, Sendable {
    private static let drawn = Mutex(DrawnNumbers())

    package init() {}

    package mutating func next() -> UInt64 { Self.drawn.withLock { $0.next() } }

    /// A number other than zero, which is no identifier of a trace or a span (W3C Trace Context, 3.2.2.3).
    package mutating func nextIdentifier() -> UInt64 { max(1, next()) }
}

private struct DrawnNumbers: ~Copyable {
    /// 256 bytes are the limit of getentropy(3).
    private static let count = 32
    private var numbers = [UInt64](repeating: 0, count: count)
    private var used = count

    mutating func next() -> UInt64 {
        if used == Self.count {
            let status = numbers.withUnsafeMutableBytes { getentropy($0.baseAddress, $0.count) }
            precondition(status == 0, "the system gives no random numbers")
            used = 0
        }
        defer {
            numbers[used] = 0
            used += 1
        }
        return numbers[used]
    }
}
