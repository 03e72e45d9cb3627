internal import CCBOR

/// The start of an item: a complete scalar, or the head of a container.
enum CBORHead {
    case scalar(CBORValue)
    case array(count: UInt64)
    case map(count: UInt64)

    var isMap: Bool {
        switch self {
        case .map: true
        case .scalar, .array: false
        }
    }
}

/// Reads one head after the other with libcbor's stream decoder, which neither allocates nor recurses.
struct CBORHeadReader {
    private let bytes: [UInt8]
    private(set) var position = 0
    private var callbacks = CallbackResult.callbacks

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var remainingBytes: Int { bytes.count - position }

    /// Reads the next head, and the content of a string.
    mutating func next() throws(CBORError) -> CBORHead {
        var result: CallbackResult = .none
        let (status, byteCount) = bytes.withUnsafeBufferPointer { buffer in
            let rest = UnsafeBufferPointer(rebasing: buffer[position...])
            let decoded = withUnsafeMutablePointer(to: &result) { result in
                cbor_stream_decode(rest.baseAddress, rest.count, &callbacks, result)
            }
            return (decoded.status, decoded.read)
        }
        guard status == CBOR_DECODER_FINISHED, byteCount > 0, byteCount <= remainingBytes else { throw .malformed }
        position += byteCount
        switch result {
        case .none: throw .malformed
        case .unsupported: throw .unsupported
        case .unsigned(let number):
            try Self.check(byteCount, isShortestFor: number)
            return .scalar(.unsigned(number))
        case .negative(let number):
            try Self.check(byteCount, isShortestFor: number)
            return .scalar(.negative(number))
        case .bytes(let content):
            try Self.check(byteCount - content.count, isShortestFor: UInt64(content.count))
            return .scalar(.bytes(content))
        case .text(let content):
            try Self.check(byteCount - content.count, isShortestFor: UInt64(content.count))
            guard let text = String(validating: content, as: UTF8.self) else { throw .malformed }
            return .scalar(.text(text))
        case .array(let count):
            try Self.check(byteCount, isShortestFor: count)
            return .array(count: count)
        case .map(let count):
            try Self.check(byteCount, isShortestFor: count)
            return .map(count: count)
        case .scalar(let value):
            return .scalar(value)
        }
    }

    /// The argument of a head is in its first byte below 24, else in the 1, 2, 4 or 8 bytes after it (RFC 8949 §3).
    private static func check(_ headBytes: Int, isShortestFor argument: UInt64) throws(CBORError) {
        let shortest =
            switch argument {
            case 0..<24: 1
            case 24...0xff: 2
            case 0x100...0xffff: 3
            case 0x1_0000...0xffff_ffff: 5
            default: 9
            }
        guard headBytes == shortest else { throw .notShortest }
    }
}

/// Writes to the result whose address the decoder received. A function outside of types, as C functions capture nothing.
private func store(_ result: CallbackResult, _ context: UnsafeMutableRawPointer?) {
    context?.assumingMemoryBound(to: CallbackResult.self).pointee = result
}

/// What a callback of the decoder received.
private enum CallbackResult {
    case none
    case unsupported
    case unsigned(UInt64)
    case negative(UInt64)
    case bytes([UInt8])
    case text([UInt8])
    case array(count: UInt64)
    case map(count: UInt64)
    case scalar(CBORValue)

    /// Swift imports lengths as signed: those of 2^63 and more are negative.
    static var callbacks: cbor_callbacks {
        cbor_callbacks(
            uint8: { store(.unsigned(UInt64($1)), $0) },
            uint16: { store(.unsigned(UInt64($1)), $0) },
            uint32: { store(.unsigned(UInt64($1)), $0) },
            uint64: { store(.unsigned($1), $0) },
            negint64: { store(.negative($1), $0) },
            negint32: { store(.negative(UInt64($1)), $0) },
            negint16: { store(.negative(UInt64($1)), $0) },
            negint8: { store(.negative(UInt64($1)), $0) },
            byte_string_start: { store(.unsupported, $0) },
            byte_string: { store(.bytes(Array(UnsafeBufferPointer(start: $1, count: $2))), $0) },
            string: { store(.text(Array(UnsafeBufferPointer(start: $1, count: $2))), $0) },
            string_start: { store(.unsupported, $0) },
            indef_array_start: { store(.unsupported, $0) },
            array_start: { store(.array(count: UInt64(truncatingIfNeeded: $1)), $0) },
            indef_map_start: { store(.unsupported, $0) },
            map_start: { store(.map(count: UInt64(truncatingIfNeeded: $1)), $0) },
            tag: { context, _ in store(.unsupported, context) },
            float2: { store(.scalar(.float(Double($1))), $0) },
            float4: { store(.scalar(.float(Double($1))), $0) },
            float8: { store(.scalar(.float($1)), $0) },
            undefined: { store(.scalar(.undefined), $0) },
            null: { store(.scalar(.null), $0) },
            boolean: { store(.scalar(.bool($1)), $0) },
            indef_break: { store(.unsupported, $0) })
    }
}
