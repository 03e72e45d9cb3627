/// External text is split at ASCII bytes. Swift's characters are not suitable: a separator with a combining mark after
/// it is another character than the separator.
extension StringProtocol where SubSequence == Substring {
    /// The parts before and after the first separator; the second is nil if there is no separator.
    package func halves(at separator: Unicode.Scalar) -> (before: Substring, behind: Substring?) {
        let text = self[...]
        guard let position = text.utf8.firstIndex(of: UInt8(ascii: separator)) else { return (text, nil) }
        return (text[..<position], text[text.utf8.index(after: position)...])
    }

    /// The parts before and after the last separator; nil if there is no separator.
    package func lastHalves(at separator: Unicode.Scalar) -> (before: Substring, behind: Substring)? {
        let text = self[...]
        guard let position = text.utf8.lastIndex(of: UInt8(ascii: separator)) else { return nil }
        return (text[..<position], text[text.utf8.index(after: position)...])
    }

    /// All parts between separators, including empty ones. The last of `maximumCount` parts is the whole rest.
    package func pieces(at separator: Unicode.Scalar, maximumCount: Int = .max) -> [Substring] {
        self[...].utf8.split(
            separator: UInt8(ascii: separator), maxSplits: Swift.max(0, maximumCount.subtractingSaturated(1)),
            omittingEmptySubsequences: false
        ).map { Substring($0) }
    }

    /// Converts A to Z to lower case and changes nothing else: the length stays, and no other letter becomes one of
    /// them.
    package var asciiLowercased: String {
        String(decoding: utf8.map(\.asciiLowercased), as: UTF8.self)
    }

    /// Converts a to z to upper case and changes nothing else.
    package var asciiUppercased: String {
        String(decoding: utf8.map { (0x61...0x7a).contains($0) ? $0 & 0xdf : $0 }, as: UTF8.self)
    }

    /// `0` to `9`, at least one.
    package var isASCIIDigits: Bool { !isEmpty && utf8.allSatisfy { (0x30...0x39).contains($0) } }

    /// `0` to `9` and `a` to `f` in either case, at least one.
    package var isASCIIHexadecimal: Bool {
        !isEmpty && utf8.allSatisfy(\.isASCIIHexadecimalDigit)
    }
}

extension UInt8 {
    /// The lower-case letter of an ASCII capital, or the byte itself.
    package var asciiLowercased: UInt8 { (0x41...0x5a).contains(self) ? self | 0x20 : self }

    /// `0` to `9` and `a` to `f` in either case.
    package var isASCIIHexadecimalDigit: Bool { (0x30...0x39).contains(self) || (0x61...0x66).contains(self | 0x20) }

    package var isASCIILetterOrDigit: Bool {
        (0x61...0x7a).contains(asciiLowercased) || (0x30...0x39).contains(self)
    }

    /// A letter or digit of ASCII, or a hyphen: what names on the wire are made of.
    package var isASCIINameByte: Bool {
        isASCIILetterOrDigit || self == UInt8(ascii: "-")
    }
}
