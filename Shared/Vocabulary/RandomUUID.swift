/// A version 4 UUID (RFC 9562 §5.4).
package enum RandomUUID {
    /// In lower case.
    /// - Parameter random: 16 random bytes; the version and the variant replace six of their bits.
    package static func text(of random: [UInt8]) -> String {
        let bytes = random.enumerated().map { position, byte in
            switch position {
            case 6: byte & 0x0f | 0x40
            case 8: byte & 0x3f | 0x80
            default: byte  // Random.
            }
        }
        return grouped(bytes.hexadecimal)
    }

    /// 32 hexadecimal digits with the hyphens of a UUID.
    package static func grouped(_ digits: String) -> String {
        var rest = digits[...]
        return [8, 4, 4, 4, 12].map { length in
            defer { rest = rest.dropFirst(length) }
            return String(rest.prefix(length))
        }.joined(separator: "-")
    }
}
