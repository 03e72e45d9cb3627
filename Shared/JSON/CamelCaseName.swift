/// The bytes of a member name in camel case: `id_token` and `idToken` are one name. Underscores around a name stay. In
/// the second and later words, every letter that follows a character other than a letter is a capital.
///
/// Declared names are ASCII, so letters outside of it keep their case.
struct CamelCaseName: IteratorProtocol {
    private var rest: ArraySlice<UInt8>
    /// The place after the last byte that is not an underscore.
    private let end: Int
    /// Whether the name has several words. One word keeps its case.
    private let hasWords: Bool
    private var position = Position.start

    private enum Position {
        /// Before the first word.
        case start
        case firstWord
        /// In a later word, where the next letter is a capital.
        case beforeCapital
        case afterLetter
    }

    init(_ name: ArraySlice<UInt8>) {
        rest = name
        let first = name.firstIndex { $0 != UInt8(ascii: "_") } ?? name.endIndex
        end = name.lastIndex { $0 != UInt8(ascii: "_") }.map { $0 + 1 } ?? name.endIndex
        hasWords = first < end && name[first..<end].contains(UInt8(ascii: "_"))
    }

    mutating func next() -> UInt8? {
        guard let byte = rest.first else { return nil }
        guard hasWords, rest.startIndex < end else { return rest.popFirst() }
        if byte == UInt8(ascii: "_") {
            guard position != .start else { return rest.popFirst() }
            rest = rest.drop { $0 == UInt8(ascii: "_") }
            position = .beforeCapital
        }
        guard let letter = rest.popFirst() else { return nil }
        switch position {
        case .start, .firstWord:
            position = .firstWord
            return letter.asciiLowercase
        case .beforeCapital:
            if letter.isASCIILetter { position = .afterLetter }
            return letter.asciiUppercase
        case .afterLetter:
            if !letter.isASCIILetter { position = .beforeCapital }
            return letter.asciiLowercase
        }
    }
}

extension UInt8 {
    fileprivate var isASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

    fileprivate var asciiLowercase: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }

    fileprivate var asciiUppercase: UInt8 {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) ? self & ~0x20 : self
    }
}
