import Crypto
package import FoundationEssentials

/// Identifies requests with equal content: the first 16 bytes of SHA-256 over the service's name, a zero byte, and the
/// operation and the parameters as sorted JSON. Id, deadline, trace and idempotency key are not part of it.
///
/// It is never logged: it allows an offline search for a password in the parameters.
package struct PayloadDigest: SixteenBytes {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// - Parameter envelope: a `RequestEnvelope` as JSON with its members in the order of their names.
    package init(service: BusName, sortedEnvelope envelope: Data) {
        var message = Array(service.rawValue.utf8)
        message.reserveCapacity(message.count + 1 + envelope.count)
        message.append(0)
        envelope.withUnsafeBytes { message.append(contentsOf: $0[Self.payload(in: $0)]) }
        let digest = SHA2.sha256(message)
        self = digest.withUnsafeBytes { bytes in
            guard let digest = PayloadDigest(UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.byteCount))) else {
                preconditionFailure("SHA-256 has 32 bytes")
            }
            return digest
        }
    }

    private static let beginning = Array("\"operation\":".utf8)
    private static let end = Array(",\"trace\":".utf8)

    /// `operation` and `params` are adjacent. The members before them are written by this code, and the members after
    /// them are those of the trace. Each mark is searched from the side on which no parameter can come first.
    private static func payload(in envelope: UnsafeRawBufferPointer) -> Range<Int> {
        func isMark(_ mark: [UInt8], at place: Int) -> Bool {
            envelope[place..<(place + mark.count)].elementsEqual(mark)
        }
        let start = envelope.indices.dropLast(Self.beginning.count).first { isMark(Self.beginning, at: $0) }
        let end = envelope.indices.dropLast(Self.end.count).last { isMark(Self.end, at: $0) }
        guard let start, let end, start < end else { return envelope.startIndex..<envelope.endIndex }
        return start..<end
    }
}
