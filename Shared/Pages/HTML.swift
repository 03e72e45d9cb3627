import Vocabulary

/// A piece of HTML. Interpolated text is escaped, for text and for quoted attribute values alike; only another piece of
/// HTML is inserted unchanged. External values are therefore safe everywhere between quotes or tags. The output is also
/// well-formed XML.
package struct HTML: ExpressibleByStringInterpolation, Sendable {
    package let text: String

    package init(stringLiteral text: String) { self.text = text }

    package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    package struct StringInterpolation: StringInterpolationProtocol {
        var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        package mutating func appendLiteral(_ literal: String) { text += literal }

        package mutating func appendInterpolation(_ value: String) { text += HTML.escaped(value) }

        package mutating func appendInterpolation(_ html: HTML) { text += html.text }

        package mutating func appendInterpolation(_ pieces: [HTML]) {
            for piece in pieces { text += piece.text }
        }

        /// Empty for nil.
        package mutating func appendInterpolation(_ html: HTML?) { text += html?.text ?? "" }
    }

    /// Control characters except line ends and tabs become U+FFFD: parsers reject them, and no displayed text needs
    /// them.
    private static func escaped(_ text: String) -> String {
        var displayable = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\u{0}"..."\u{8}", "\u{B}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}":
                displayable.append("\u{FFFD}")
            default: displayable.append(scalar)
            }
        }
        return String(displayable).markupEscaped
    }
}
