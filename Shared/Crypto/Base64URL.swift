/// Base64 with the URL and file name safe alphabet, without padding (RFC 4648 §5; RFC 7515 §2).
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// For each byte the six bits it stands for, or `foreign`.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: foreign, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()
    private static let foreign: UInt8 = 0xff

    package static func encode(_ bytes: [UInt8]) -> String {
        let length = (bytes.count * 4 + 2) / 3
        return String(unsafeUninitializedCapacity: length) { text in
            var written = 0
            var bits: UInt32 = 0
            var bitCount = 0
            for byte in bytes {
                bits = bits << 8 | UInt32(byte)
                bitCount += 8
                while bitCount >= 6 {
                    bitCount -= 6
                    text[written] = alphabet[Int(bits >> UInt32(bitCount) & 0x3f)]
                    written += 1
                }
            }
            if bitCount > 0 {
                text[written] = alphabet[Int(bits << UInt32(6 - bitCount) & 0x3f)]
                written += 1
            }
            return written
        }
    }

    /// Strict: nil for padding, for any character outside the alphabet, for a length no encoding has, and for bits after
    /// the last byte that are not zero, so that no two texts stand for the same bytes.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count * 3 / 4)
        var bits: UInt32 = 0
        var bitCount = 0
        for character in text.utf8 {
            let value = values[Int(character)]
            guard value != foreign else { return nil }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            }
        }
        // Six bits left over are half a byte's worth of nothing; two and four are the tail of a byte.
        guard bitCount < 6, bits & (1 << UInt32(bitCount) - 1) == 0 else { return nil }
        return bytes
    }
}
