extension Sequence<UInt8> {
    /// Two lower-case hexadecimal digits for each byte.
    package var hexadecimal: String { Array(self).withUnsafeBytes(\.hexadecimal) }
}

extension UnsafeRawBufferPointer {
    /// Two lower-case hexadecimal digits for each byte.
    package var hexadecimal: String {
        String(unsafeUninitializedCapacity: 2 * count) { text in
            for (place, byte) in enumerated() {
                text[2 * place] = Self.digit(byte >> 4)
                text[2 * place + 1] = Self.digit(byte & 15)
            }
            return 2 * count
        }
    }

    private static func digit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
    }
}

extension UInt64 {
    /// 16 lower-case hexadecimal digits.
    package var hexadecimal: String { withUnsafeBytes(of: bigEndian) { $0.hexadecimal } }

    /// - Returns: nil unless there are 1 to 16 lower-case hexadecimal digits.
    package init?(hexadecimal digits: Span<UInt8>) {
        guard (1...16).contains(digits.count) else { return nil }
        self = 0
        for place in digits.indices {
            let nibble: UInt8
            switch digits[place] {
            case let digit where digit >= UInt8(ascii: "0") && digit <= UInt8(ascii: "9"):
                nibble = digit - UInt8(ascii: "0")
            case let digit where digit >= UInt8(ascii: "a") && digit <= UInt8(ascii: "f"):
                nibble = digit - UInt8(ascii: "a") + 10
            default: return nil
            }
            self = self << 4 | UInt64(nibble)
        }
    }
}

extension [UInt8] {
    /// The bytes of a text of hexadecimal digits in either case.
    /// - Parameter digits: ASCII.
    /// - Returns: nil for any other byte, and for an odd number of digits.
    package init?(hexadecimal digits: [UInt8]) {
        guard digits.count.isMultiple(of: 2), digits.allSatisfy(\.isASCIIHexadecimalDigit) else { return nil }
        func value(_ digit: UInt8) -> UInt8 {
            digit <= UInt8(ascii: "9") ? digit - UInt8(ascii: "0") : (digit | 0x20) - UInt8(ascii: "a") + 10
        }
        self = stride(from: 0, to: digits.count, by: 2).map { value(digits[$0]) << 4 | value(digits[$0 + 1]) }
    }

    /// The bytes of a text of hexadecimal digits in either case.
    /// - Returns: nil for any other character, and for an odd number of digits.
    package init?(hexadecimal text: some StringProtocol) {
        self.init(hexadecimal: Array(text.utf8))
    }
}
