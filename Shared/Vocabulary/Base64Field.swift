/// Bytes in a text field of the REST protocol or of a file of users. iOS libraries send padded base64 and decode nothing
/// else; JavaScript libraries send base64url without padding and decode both.
package enum Base64Field {
    /// Standard base64 with padding.
    package static func encode(_ bytes: [UInt8]) -> String {
        String(
            decoding: encodeURL(bytes).utf8.map { byte in urlOnly[byte] ?? byte }, as: UTF8.self)
    }

    /// base64url with padding, as the protocol writes hashes.
    package static func encodeURL(_ bytes: [UInt8]) -> String {
        let digits = Base64URL.encode(bytes)
        return digits + String(repeating: "=", count: (4 - digits.utf8.count % 4) % 4)
    }

    /// Base64 of either alphabet, with or without padding.
    /// - Returns: nil for characters of both alphabets in one text or of neither, for incomplete padding, for an
    ///   impossible length, and for nonzero bits after the last byte.
    package static func decode(_ text: String) -> [UInt8]? {
        var digits = Array(text.utf8)
        let padding = digits.suffix(2).count { $0 == UInt8(ascii: "=") }
        guard padding == 0 || digits.count.isMultiple(of: 4) else { return nil }
        digits.removeLast(padding)
        if digits.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") }) {
            guard !digits.contains(where: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }) else { return nil }
            digits = digits.map { standardOnly[$0] ?? $0 }
        }
        return Base64URL.decode(String(decoding: digits, as: UTF8.self))
    }

    /// The two characters that only the standard alphabet has, and those of base64url in their place.
    private static let standardOnly = [UInt8(ascii: "+"): UInt8(ascii: "-"), UInt8(ascii: "/"): UInt8(ascii: "_")]
    private static let urlOnly = [UInt8(ascii: "-"): UInt8(ascii: "+"), UInt8(ascii: "_"): UInt8(ascii: "/")]
}
