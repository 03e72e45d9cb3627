/// A version 4 UUID (RFC 9562 §5.4).
package enum RandomUUID {
    /// The text in lower case.
    /// - Parameter random: 16 random bytes; six bits are replaced by the version and the variant.
    package static func text(of random: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for (position, byte) in random.enumerated() {
            let byte =
                switch position {
                case 6: byte & 0x0f | 0x40
                case 8: byte & 0x3f | 0x80
                default: byte  // Random.
                }
            if [4, 6, 8, 10].contains(position) { text.append(UInt8(ascii: "-")) }
            text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
