internal import Vocabulary

/// What people and their address books put around the digits of a number.
enum PhoneNumberNormalizer {
    /// Of UTF-8. Fifteen digits of four bytes each with as many separators fit in.
    static let maximumLength = 128
    /// ITU-T E.164 §6.
    static let maximumDigits = 15

    /// - Returns: `+` and ASCII digits, as many as there were. Digits of every script count; white space, brackets,
    ///   dashes, dots, slashes and characters that show nothing are left out; `tel:` may stand in front.
    /// - Throws: for any other character, for anything but one `+` before the first digit, for no digit or too many.
    static func normalize(_ text: String) throws(PhoneNumberError) -> String {
        guard text.utf8.count <= maximumLength else { throw .tooLong }
        var digits = ""
        var hasPlus = false
        for scalar in withoutScheme(text).unicodeScalars {
            if scalar == "+" || scalar == "\u{FF0B}" {
                guard !hasPlus, digits.isEmpty else { throw .malformed }
                hasPlus = true
            } else if let digit = decimalValue(of: scalar) {
                digits.append(Character(Unicode.Scalar(UInt8(ascii: "0") + digit)))
            } else if !isSeparator(scalar) {
                throw .malformed
            }
        }
        guard hasPlus, !digits.isEmpty else { throw .malformed }
        guard digits.utf8.count <= maximumDigits else { throw .tooLong }
        return "+" + digits
    }

    /// Of RFC 3966, which is what a link to a number holds.
    private static func withoutScheme(_ text: String) -> Substring {
        let (scheme, number) = text.halves(at: ":")
        return scheme.asciiLowercased == "tel" ? number ?? text[...] : text[...]
    }

    private static func decimalValue(of scalar: Unicode.Scalar) -> UInt8? {
        guard scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue else { return nil }
        return (0...9).contains(value) ? UInt8(exactly: value) : nil
    }

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "-", ".", "/", "(", ")", "[", "]": true
        // Dashes, the minus sign, the Katakana mark that is taken for one.
        case "\u{2010}"..."\u{2015}", "\u{2212}", "\u{30FC}": true
        // The same, full width.
        case "\u{FF08}", "\u{FF09}", "\u{FF0D}"..."\u{FF0F}", "\u{FF3B}", "\u{FF3D}": true
        // Marks of direction and zero-width spaces come along when a number is copied.
        default: scalar.properties.isWhitespace || scalar.properties.generalCategory == .format
        }
    }
}
