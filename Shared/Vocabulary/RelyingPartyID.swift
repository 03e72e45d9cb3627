/// The ID of a relying party (WebAuthn 5.1.3): a domain in lower case, or `localhost`. International names have their
/// ASCII form (`xn--…`). The public suffix list is not part of this type: `PublicSuffixes` has it.
package struct RelyingPartyID: Hashable, Sendable, CustomStringConvertible {
    package static let maximumBytes = 253
    /// For development: browsers allow it without TLS.
    package static let localhost = "localhost"

    package let rawValue: String

    package var description: String { rawValue }

    /// - Returns: nil for any other text: a scheme, a port, a path, an IP address, capitals, a trailing dot, or a single
    ///   label that is not `localhost`.
    package init?(_ text: String) {
        guard Self.isDomain(text) else { return nil }
        rawValue = text
    }

    /// Whether a host is the ID or below it. Pages of such a host may use credentials of the ID.
    /// - Parameter host: in lower case, without port.
    package func covers(host: some StringProtocol) -> Bool {
        host == rawValue || host.hasSuffix(".\(rawValue)")
    }

    private static func isDomain(_ text: String) -> Bool {
        if text == localhost { return true }
        let labels = text.pieces(at: ".")
        guard text.utf8.count <= maximumBytes, labels.count >= 2, labels.allSatisfy(isLabel),
            let last = labels.last
        else { return false }
        // Browsers read a host whose last label is a number as an IPv4 address (URL Standard, "ends in a number").
        return !last.isASCIIDigits && !last.hasPrefix("0x")
    }

    /// 1 to 63 lower-case letters, digits and inner hyphens.
    private static func isLabel(_ label: Substring) -> Bool {
        (1...63).contains(label.utf8.count) && label.utf8.first != UInt8(ascii: "-")
            && label.utf8.last != UInt8(ascii: "-")
            && label.utf8.allSatisfy { $0.isASCIINameByte && $0 == $0.asciiLowercased }
    }
}
