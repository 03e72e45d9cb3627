/// Escapes text for one line of a log (security rule LG2).
package enum LogEscaping {
    /// Replaces characters that could end the line, move the cursor, color the terminal, or reorder the output:
    /// controls of ASCII and Latin-1, line and paragraph separators, and invisible format characters.
    /// - Parameters:
    ///   - maximumBytes: of the result; a longer one ends in `…`.
    ///   - betweenQuotes: escapes quotes and backslashes too, so that the result can be used between quotes; in JSON it
    ///     is the same text. A whole line of output does not need it.
    package static func escaped(
        _ text: some StringProtocol, maximumBytes: Int, betweenQuotes: Bool = true
    ) -> String {
        var result = ""
        var bytes = 0
        for scalar in text.unicodeScalars {
            let piece = escape(scalar, betweenQuotes: betweenQuotes)
            let length = piece.utf8.count
            guard bytes + length <= maximumBytes - ellipsis.utf8.count else {
                return result + ellipsis
            }
            result += piece
            bytes += length
        }
        return result
    }

    private static let ellipsis = "…"

    private static func escape(_ scalar: Unicode.Scalar, betweenQuotes: Bool) -> String {
        switch scalar {
        case "\n": return "\\n"
        case "\r": return "\\r"
        case "\t": return "\\t"
        case "\"" where betweenQuotes: return "\\\""
        case "\\" where betweenQuotes: return "\\\\"
        default: break
        }
        guard !scalar.isASCII || scalar.value < 0x20 || scalar.value == 0x7f else { return String(scalar) }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            return UTF16.encode(scalar)?.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined() ?? "\\ufffd"
        default:  // The other Unicode categories are visible characters.
            return String(scalar)
        }
    }
}
