/// The e-mail address of an account (security rule JS7).
///
/// It has one form: ASCII letters are lower case in both parts, as production stores and returns them. Two addresses
/// are equal if their bytes are equal. No other letter is folded, so that a special one (dotless i, sharp s, long s)
/// cannot match the account of another user.
package struct EmailAddress: Hashable, Sendable {
    package static let maximumBytes = 254
    /// RFC 5321 §4.5.3.1.1.
    package static let maximumLocalPartBytes = 64

    /// With lower-case ASCII letters, whatever the case of the input.
    package let rawValue: String

    /// The form for comparison and lookup: `rawValue`, which already has that form.
    package var folded: String { rawValue }

    /// The part before the `@`.
    package var localPart: Substring { Substring(rawValue.utf8.prefix { $0 != UInt8(ascii: "@") }) }

    /// The part after the `@`.
    package var domain: Substring { Substring(rawValue.utf8.drop { $0 != UInt8(ascii: "@") }.dropFirst()) }

    /// - Returns: nil for a text that is not `local@domain` with one `@`. Nil also if it contains white space, control
    ///   characters, quotes, brackets or separators, or a part begins with a combining mark. Nil also if it is longer
    ///   than RFC 5321 allows.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.maximumBytes else { return nil }
        // A second `@` would be in the domain, where it is not allowed.
        let local = bytes.prefix { $0 != UInt8(ascii: "@") }
        let domain = bytes.dropFirst(local.count).dropFirst()
        guard local.count < bytes.count, local.count <= Self.maximumLocalPartBytes, Self.isDotAtom(local, Self.isAtom),
            domain.contains(UInt8(ascii: ".")), Self.isDotAtom(domain, Self.isHostLabel),
            bytes.allSatisfy({ $0 < 0x80 }) || text.unicodeScalars.allSatisfy(Self.isVisible)
        else { return nil }
        rawValue = String(decoding: bytes.map(\.asciiLowercased), as: UTF8.self)
    }

    /// Parts joined by single dots (RFC 5322 §3.2.3, with the UTF-8 letters of RFC 6532).
    private static func isDotAtom(_ bytes: ArraySlice<UInt8>, _ isPart: (ArraySlice<UInt8>) -> Bool) -> Bool {
        bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { part in
            isPart(part) && !beginsWithMark(part)
        }
    }

    /// Whether the separator before the part and its first scalars form one character.
    private static func beginsWithMark(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, first >= 0x80,
            let scalar = String(decoding: bytes.prefix(4), as: UTF8.self).unicodeScalars.first
        else { return false }
        let properties = scalar.properties
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return true
        default: return properties.isGraphemeExtend || properties.isEmojiModifier  // The other kinds extend nothing.
        }
    }

    private static let refusedInAtoms = Set("\"(),:;<>@[\\]".utf8)

    private static func isAtom(_ bytes: ArraySlice<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { $0 > 0x20 && $0 != 0x7f && !refusedInAtoms.contains($0) }
    }

    /// Letters, digits and inner hyphens; beyond ASCII, all visible characters.
    private static func isHostLabel(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard (1...63).contains(bytes.count), bytes.first != UInt8(ascii: "-"), bytes.last != UInt8(ascii: "-") else {
            return false
        }
        return bytes.allSatisfy { byte in
            byte >= 0x80 || byte == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte.asciiLowercased)
        }
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator:
            false
        default: true  // The other Unicode categories are visible characters, which are allowed.
        }
    }
}

extension EmailAddress: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let address = EmailAddress(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an e-mail address")
        }
        self = address
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
