import Vocabulary

/// 16 random bytes that identify one request. In JSON: 32 lower-case hexadecimal digits.
package struct RequestID: Hashable, Sendable {
    package static let byteCount = 16

    private let high: UInt64
    private let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// - Returns: nil unless there are exactly 16 bytes.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount else { return nil }
        high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    /// A new id. It cannot be guessed, so no other caller can use it first.
    package static func random() -> Self {
        .init(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    }

    /// The 16 bytes of the frame.
    package func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian), body)
    }
}

extension RequestID: CustomStringConvertible {
    package var description: String { withBytes { $0.hexadecimal } }
}
