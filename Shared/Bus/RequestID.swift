import EventLoop
import Vocabulary

/// 16 random bytes that identify one request. In JSON: 32 lower-case hexadecimal digits.
package struct RequestID: SixteenBytes {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A new id. It cannot be guessed, so no other caller can use it first.
    package static func random() -> Self {
        var random = MachineRandom()
        return .init(high: random.next(), low: random.next())
    }
}

extension RequestID: CustomStringConvertible {
    package var description: String { withBytes { $0.hexadecimal } }
}
