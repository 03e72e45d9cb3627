import Vocabulary

/// The trace of a request: a W3C Trace Context `traceparent` (version 00), `00-<32 hex>-<16 hex>-<2 hex>`, and the
/// `tracestate` that travels with it.
package struct TraceContext: Equatable, Sendable {
    /// The two halves of the trace id, not both zero.
    private let high: UInt64
    private let low: UInt64
    /// Not zero.
    private let span: UInt64
    package let isSampled: Bool
    /// The `tracestate` of the systems before this one, which is passed on unchanged; nil if there is none.
    package let state: String?

    /// Longer ones are dropped as a whole: a part of one is malformed (§3.3.1.5 requires 512).
    private static let maximumStateBytes = 512

    /// 32 lower-case hexadecimal digits, not all zero. Shown to users as the request id.
    package var traceID: String { withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { $0.hexadecimal } }

    /// 16 lower-case hexadecimal digits, not all zero.
    package var spanID: String { span.hexadecimal }

    package var traceparent: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }

    /// Parses a header of version 00; nil for anything else: the caller then starts its own trace (§3.2.4).
    /// - Parameter state: the header `tracestate`; without effect if it is too long or has other characters than visible
    ///   ASCII, spaces and tabs.
    package init?(traceparent text: String, state: String? = nil) {
        var parts = text.pieces(at: "-")[...]
        guard parts.count == 4, parts.popFirst() == "00", let trace = parts.popFirst(), trace.utf8.count == 32,
            let high = UInt64(hexadecimal: trace.utf8Span.span.extracting(first: 16)),
            let low = UInt64(hexadecimal: trace.utf8Span.span.extracting(last: 16)), high | low != 0,
            let parent = parts.popFirst(), parent.utf8.count == 16,
            let span = UInt64(hexadecimal: parent.utf8Span.span), span != 0,
            let end = parts.popFirst(), end.utf8.count == 2, let flags = UInt64(hexadecimal: end.utf8Span.span)
        else { return nil }
        self.init(
            high: high, low: low, span: span, isSampled: flags & 1 == 1, state: state.flatMap(Self.checkedState))
    }

    private static func checkedState(_ text: String) -> String? {
        let isHeld = text.utf8.allSatisfy { (0x20...0x7e).contains($0) || $0 == UInt8(ascii: "\t") }
        return isHeld && (1...maximumStateBytes).contains(text.utf8.count) ? text : nil
    }

    /// The same context with the `tracestate` that another message carries.
    package func with(state: String?) -> Self {
        .init(high: high, low: low, span: span, isSampled: isSampled, state: state.flatMap(Self.checkedState))
    }

    /// A new trace. Ids only distinguish requests, so the system generator is sufficient.
    package static func random(isSampled: Bool = false) -> Self {
        var random = SystemRandom()
        return .init(
            high: random.nextIdentifier(), low: random.next(), span: random.nextIdentifier(), isSampled: isSampled,
            state: nil)
    }

    /// A new trace, which is sampled if its last 56 bits are in the upper part that has this size: another system that
    /// samples by the id decides alike.
    /// - Parameter sampledPercent: 0 to 100.
    package static func random(sampledPercent: Int) -> Self {
        let trace = random(isSampled: true)
        let randomBits: UInt64 = 1 << 56
        let threshold = UInt64(100 - min(100, max(0, sampledPercent))) * randomBits / 100
        return .init(
            high: trace.high, low: trace.low, span: trace.span, isSampled: trace.low % randomBits >= threshold,
            state: nil)
    }

    /// The same trace with a new span.
    package func child() -> Self {
        var random = SystemRandom()
        return .init(high: high, low: low, span: random.nextIdentifier(), isSampled: isSampled, state: state)
    }

    private init(high: UInt64, low: UInt64, span: UInt64, isSampled: Bool, state: String?) {
        self.high = high
        self.low = low
        self.span = span
        self.isSampled = isSampled
        self.state = state
    }
}

/// As the `traceparent`: the `tracestate` is a member of its own in a message.
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
