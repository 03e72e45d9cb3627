/// Base32 (RFC 4648 §6), the format of secrets in authenticator apps.
package enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    /// Without padding.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 8 + 4) / 5)
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 5 {
                bitCount -= 5
                text.append(alphabet[Int(bits >> bitCount & 0x1f)])
            }
        }
        if bitCount > 0 { text.append(alphabet[Int(bits << (5 - bitCount) & 0x1f)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Accepts both cases; padded to a multiple of eight, or not at all.
    /// - Returns: nil if the text is not a valid encoding.
    package static func decode(_ text: String) -> [UInt8]? {
        let characters = Array(text.utf8)
        let digits = characters.prefix { $0 != UInt8(ascii: "=") }
        let padding = characters[digits.endIndex...]
        guard padding.allSatisfy({ $0 == UInt8(ascii: "=") }), padding.isEmpty || characters.count % 8 == 0,
            padding.count < 8
        else { return nil }
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        for character in digits {
            guard let value = value(of: character) else { return nil }
            bits = bits << 5 | value
            bitCount += 5
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
            }
        }
        // Five or more bits are a character without meaning; fewer are the padding bits of the last one.
        guard bitCount < 5, bits & ((1 << bitCount) - 1) == 0 else { return nil }
        return bytes
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a"))
        case UInt8(ascii: "2")...UInt8(ascii: "7"): UInt32(character - UInt8(ascii: "2")) + 26
        default: nil
        }
    }
}
