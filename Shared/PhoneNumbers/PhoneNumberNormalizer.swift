import Vocabulary

/// Removes the usual formatting of phone numbers.
enum PhoneNumberNormalizer {
    /// Bytes of UTF-8: enough for 15 digits of four bytes each, with as many separators.
    static let maximumLength = 128
    /// ITU-T E.164 §6.
    static let maximumDigits = 15

    /// - Returns: `+` and all digits in ASCII. Digits of every script count. White space, brackets, dashes, dots,
    ///   slashes and invisible characters are removed, and a prefix `tel:` is accepted.
    /// - Throws: for any other character, unless there is exactly one `+` before the first digit, and for no digits or
    ///   too many.
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

    /// The URI scheme of RFC 3966, as in links to a number.
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
        // Dashes, the minus sign, and the Katakana mark that looks like one.
        case "\u{2010}"..."\u{2015}", "\u{2212}", "\u{30FC}": true
        // The full-width forms.
        case "\u{FF08}", "\u{FF09}", "\u{FF0D}"..."\u{FF0F}", "\u{FF3B}", "\u{FF3D}": true
        // Direction marks and zero-width spaces are often copied with a number.
        default: scalar.properties.isWhitespace || scalar.properties.generalCategory == .format
        }
    }
}
