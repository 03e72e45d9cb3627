/// An e-mail address as an account carries it (security reference JS7).
///
/// The local part is kept as written, the domain is lower-cased. Two addresses are the same when their `folded` forms
/// are. Folding touches ASCII letters only, so that no exotic letter (dotless i, sharp s, long s) can reach the account
/// of another person.
package struct EmailAddress: Hashable, Sendable {
    package static let maximumBytes = 254
    /// RFC 5321 §4.5.3.1.1.
    package static let maximumLocalPartBytes = 64

    /// As the owner wrote it, with a lower-case domain.
    package let rawValue: String

    /// The form to compare and to look up by.
    package var folded: String { rawValue.asciiLowercased }

    /// The part before the `@`.
    package var localPart: Substring { rawValue[..<rawValue.lastIndex(of: "@")!] }

    /// - Returns: nil for anything that is not `local@domain` with one `@`, or holds white space, controls, quotes,
    ///   brackets or separators, or is longer than RFC 5321 allows.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes else { return nil }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let (local, domain) = (parts[0], parts[1])
        guard !local.isEmpty, local.utf8.count <= Self.maximumLocalPartBytes, Self.isDotAtom(local) else { return nil }
        guard domain.contains("."), Self.isDotAtom(domain), domain.split(separator: ".").allSatisfy(Self.isHostLabel)
        else { return nil }
        rawValue = local + "@" + String(domain).asciiLowercased
    }

    /// Non-empty atoms joined by single dots (RFC 5322 §3.2.3, with the UTF-8 letters of RFC 6532).
    private static func isDotAtom(_ text: Substring) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { atom in
            !atom.isEmpty && atom.unicodeScalars.allSatisfy(isAtomText)
        }
    }

    private static func isAtomText(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            return scalar.value > 0x20 && scalar.value != 0x7f && !"\"(),:;<>@[\\]".unicodeScalars.contains(scalar)
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator:
            return false
        default:  // Unicode's categories are not ours to enumerate: all that is visible may stand in an address.
            return true
        }
    }

    private static func isHostLabel(_ label: Substring) -> Bool {
        label.utf8.count <= 63 && label.first != "-" && label.last != "-"
            && label.unicodeScalars.allSatisfy {
                !$0.isASCII || $0.properties.isAlphabetic || $0 == "-" || ("0"..."9").contains($0)
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

extension String {
    /// Lower-cases A to Z and nothing else.
    package var asciiLowercased: String {
        String(decoding: utf8.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
