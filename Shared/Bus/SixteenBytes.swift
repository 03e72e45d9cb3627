/// A field of 16 bytes in a frame, as two numbers.
package protocol SixteenBytes: Hashable, Sendable {
    var high: UInt64 { get }
    var low: UInt64 { get }

    init(high: UInt64, low: UInt64)
}

extension SixteenBytes {
    package static var byteCount: Int { 16 }

    /// - Returns: nil unless there are exactly 16 bytes.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(
            high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
            low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }

    /// The 16 bytes of the frame.
    package func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian), body)
    }
}
