extension StringProtocol {
    /// Whether a page shows this name as it is: no character ends a line, hides itself or another one, or changes the
    /// direction of the text around it. One rule for every name that somebody gives and another one reads.
    ///
    /// Joiners and variation selectors stay where writing needs them (RFC 5892 appendices A.1 and A.2, UTS #51): in names
    /// of Persian and of Indic scripts, and in emoji.
    package var isShownAsItIs: Bool {
        let scalars = Array(unicodeScalars)
        return scalars.indices.allSatisfy { place in
            scalars[place].isShown(
                after: place > 0 ? scalars[place - 1] : nil,
                before: place + 1 < scalars.count ? scalars[place + 1] : nil)
        }
    }
}

extension Unicode.Scalar {
    fileprivate func isShown(after previous: Self?, before next: Self?) -> Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: return false
        default: break  // The other Unicode categories may be visible.
        }
        if (0xfff9...0xfffb).contains(value) { return false }  // Notes between the lines of a text.
        guard properties.isDefaultIgnorableCodePoint else { return true }
        guard let previous else { return false }
        switch value {
        case 0x200c: return previous.endsConsonant || previous.isCursive && next?.isCursive == true
        case 0x200d: return previous.endsConsonant || previous.isPartOfEmoji && next?.isPartOfEmoji == true
        default:
            return properties.isVariationSelector && !previous.properties.isDefaultIgnorableCodePoint
                && !previous.properties.isWhitespace
        }
    }

    /// A virama, behind which a joiner chooses the form of a letter.
    private var endsConsonant: Bool { properties.canonicalCombiningClass == .virama }

    /// Of a script whose letters join: Arabic, Syriac and Mongolian.
    private var isCursive: Bool {
        properties.isAlphabetic
            && [0x0600...0x074f, 0x0750...0x077f, 0x0860...0x08ff, 0x1800...0x18af].contains { $0.contains(value) }
    }

    /// A picture, its color, or the selector of its form.
    private var isPartOfEmoji: Bool { value == 0xfe0f || properties.isEmoji && !isASCII }
}
