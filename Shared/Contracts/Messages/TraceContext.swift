internal import Vocabulary

/// The trace of a request: a W3C Trace Context `traceparent` (version 00), `00-<32 hex>-<16 hex>-<2 hex>`.
package struct TraceContext: Equatable, Sendable {
    /// 32 lower-case hexadecimal digits, not all zero. Shown to users as the request id.
    package let traceID: String
    /// 16 lower-case hexadecimal digits, not all zero.
    package let spanID: String
    package let isSampled: Bool

    package var traceparent: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }

    /// Parses a header of version 00; nil for anything else: the caller then starts its own trace (§3.2.4).
    package init?(traceparent text: String) {
        var parts = text.pieces(at: "-")[...]
        let zero = UInt8(ascii: "0")
        guard parts.map(\.utf8.count) == [2, 32, 16, 2], parts.allSatisfy({ $0.utf8.allSatisfy(Self.isHexadecimal) }),
            parts.popFirst() == "00", let traceID = parts.popFirst(), traceID.utf8.contains(where: { $0 != zero }),
            let spanID = parts.popFirst(), spanID.utf8.contains(where: { $0 != zero }),
            let flags = parts.popFirst().flatMap({ UInt8($0, radix: 16) })
        else { return nil }
        self.traceID = String(traceID)
        self.spanID = String(spanID)
        isSampled = flags & 1 == 1
    }

    /// A new trace. Ids only distinguish requests, so the system generator is sufficient.
    package static func random() -> Self {
        .init(
            traceID: UInt64.random(in: 1...UInt64.max).hexadecimal + UInt64.random(in: 0...UInt64.max).hexadecimal,
            spanID: UInt64.random(in: 1...UInt64.max).hexadecimal, isSampled: true)
    }

    /// The same trace with a new span.
    package func child() -> Self {
        .init(traceID: traceID, spanID: UInt64.random(in: 1...UInt64.max).hexadecimal, isSampled: isSampled)
    }

    private init(traceID: String, spanID: String, isSampled: Bool) {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}

extension TraceContext: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let trace = TraceContext(traceparent: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a traceparent")
        }
        self = trace
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(traceparent)
    }
}
