extension Span<UInt8> {
    /// The place of the first byte that a JSON string cannot contain as it is, or that is not ASCII: a quote, a
    /// backslash, a control character (RFC 8259 §7), or a byte from 0x80. It is the end of the range if there is none.
    ///
    /// Most of a document is the text of strings, so eight bytes are compared at a time.
    func firstSpecialByte(in range: Range<Int>) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highBits: UInt64 = 0x8080_8080_8080_8080
        var place = range.lowerBound
        // `unsafeLoadUnaligned` checks its bounds. Any eight bytes are a valid integer.
        while place + 8 <= range.upperBound {
            let word = UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self))
            let quote = word ^ ones &* 0x22
            let backslash = word ^ ones &* 0x5c
            // The highest bit of a byte that is zero, or less than 0x20. A borrow can reach only bytes after the first.
            let found =
                (quote &- ones) & ~quote | (backslash &- ones) & ~backslash | (word &- ones &* 0x20) & ~word | word
            guard found & highBits == 0 else { return place + (found & highBits).trailingZeroBitCount / 8 }
            place += 8
        }
        while place < range.upperBound {
            let byte = self[place]
            if byte < 0x20 || byte >= 0x80 || byte == 0x22 || byte == 0x5c { return place }
            place += 1
        }
        return place
    }

    /// Whether a part has the same bytes as another span.
    func isEqual(_ range: Range<Int>, to other: borrowing Span<UInt8>) -> Bool {
        guard range.count == other.count else { return false }
        for place in 0..<other.count where self[range.lowerBound + place] != other[place] { return false }
        return true
    }
}
