internal import FoundationEssentials
internal import Vocabulary

/// Bytes in a text field. iOS libraries send padded base64 and decode nothing else;
/// JavaScript libraries send base64url without padding and decode both.
enum Base64Field {
    /// Standard base64 with padding.
    static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    /// Base64 of either alphabet, with or without padding.
    /// - Returns: nil for characters of both alphabets in one text or of neither, for incomplete padding, for an
    ///   impossible length, and for nonzero bits after the last byte.
    static func decode(_ text: String) -> [UInt8]? {
        var digits = Array(text.utf8)
        let padding = digits.suffix(2).count { $0 == UInt8(ascii: "=") }
        guard padding == 0 || digits.count.isMultiple(of: 4) else { return nil }
        digits.removeLast(padding)
        if digits.contains(where: { standardOnly[$0] != nil }) {
            guard !digits.contains(where: standardOnly.values.contains) else { return nil }
            digits = digits.map { standardOnly[$0] ?? $0 }
        }
        return Base64URL.decode(String(decoding: digits, as: UTF8.self))
    }

    /// The two characters that only the standard alphabet has, and those of base64url in their place.
    private static let standardOnly = [UInt8(ascii: "+"): UInt8(ascii: "-"), UInt8(ascii: "/"): UInt8(ascii: "_")]
}
