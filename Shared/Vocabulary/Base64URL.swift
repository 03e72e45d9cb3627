/// Base64 with the URL and file name safe alphabet, without padding (RFC 4648 §5; RFC 7515 §2).
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The six bits of each byte, or `foreign`.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: foreign, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(truncatingIfNeeded: value) }
        return values
    }()
    private static let foreign: UInt8 = 0xff

    package static func encode(_ bytes: [UInt8]) -> String {
        let alphabet = alphabet
        return String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { text in
            var written = 0
            var bits: UInt32 = 0
            var bitCount: UInt32 = 0
            for byte in bytes {
                bits = bits << 8 | UInt32(byte)
                bitCount += 8
                while bitCount >= 6 {
                    bitCount -= 6
                    text[written] = alphabet[Int(bits >> bitCount & 0x3f)]
                    written += 1
                }
            }
            if bitCount > 0 {
                text[written] = alphabet[Int(bits << (6 - bitCount) & 0x3f)]
                written += 1
            }
            return written
        }
    }

    /// Strict: nil for padding, for a character outside the alphabet, for an impossible length, and for nonzero bits
    /// after the last byte. So no two texts decode to the same bytes.
    package static func decode(_ text: String) -> [UInt8]? { decode(text[...]) }

    /// The same for a substring.
    package static func decode(_ text: Substring) -> [UInt8]? {
        var text = text
        return text.withUTF8(decode)
    }

    private static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        let values = values
        var isSound = true
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count * 3 / 4) { bytes, written in
            var bits: UInt32 = 0
            var bitCount: UInt32 = 0
            for character in text {
                let value = values[Int(character)]
                isSound = isSound && value != foreign
                bits = bits << 6 | UInt32(value & 0x3f)
                bitCount += 6
                if bitCount >= 8 {
                    bitCount -= 8
                    bytes[written] = UInt8(truncatingIfNeeded: bits >> bitCount)
                    written += 1
                }
            }
            // Two or four bits are the padding bits of a byte. Six are a character without meaning.
            isSound = isSound && bitCount < 6 && bits & ((1 << bitCount) - 1) == 0
        }
        return isSound ? bytes : nil
    }
}
