/// An absolute `http` or `https` URL to which a user may be redirected (RFC 3986). It is parsed strictly: text that
/// browsers and this parser could interpret differently is rejected (security rule FE10).
package struct WebURL: Hashable, Sendable {
    package static let maximumBytes = 2048

    /// The original text.
    package let text: String
    package let isSecure: Bool
    /// Host and port in their original form.
    package let authority: Substring
    /// In lower case, without port: a name of ASCII letters, digits, hyphens and dots, or an address in brackets.
    package let host: String
    /// The part after the `?`.
    package let query: Substring?
    /// After the `#`.
    package let fragment: Substring?

    /// - Returns: nil for any other text: other schemes, no host, credentials, a backslash, white space, control
    ///   characters, bytes beyond ASCII, or more than `maximumBytes`.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes,
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !#"\"<>^`{|}"#.utf8.contains($0) }),
            case let (scheme, rest?) = text.halves(at: ":"), rest.hasPrefix("//")
        else { return nil }
        switch scheme.asciiLowercased {
        case "http": isSecure = false
        case "https": isSecure = true
        default: return nil
        }
        let (beforeFragment, fragment) = rest.dropFirst(2).halves(at: "#")
        let (beforeQuery, query) = beforeFragment.halves(at: "?")
        authority = beforeQuery.halves(at: "/").before
        guard let host = Self.host(of: authority) else { return nil }
        self.text = text
        self.host = host
        self.query = query
        self.fragment = fragment
    }

    /// Whether it is this machine: such traffic never leaves the machine and needs no TLS.
    package var isLoopback: Bool { ["localhost", "127.0.0.1", "[::1]"].contains(host) }

    /// The same URL with more query items, which are percent-encoded here.
    package func appending(_ items: [(name: String, value: String)]) -> String {
        guard !items.isEmpty else { return text }
        let base = text.halves(at: "#").before
        let separator = query.map { $0.isEmpty || $0.hasSuffix("&") ? "" : "&" } ?? "?"
        let added = items.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.joined(separator: "&")
        return base + separator + added + (fragment.map { "#\($0)" } ?? "")
    }

    /// Percent-encodes everything except unreserved characters (RFC 3986 §2.3).
    package static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isLetterOrDigit(byte) || "-._~".utf8.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether `text` is a host name in the form of URLs and of domain lists.
    package static func isHostName(_ text: some StringProtocol) -> Bool {
        (1...253).contains(text.utf8.count)
            && text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.count) && label.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
            }
    }

    private static func host(of authority: Substring) -> String? {
        if authority.utf8.first == UInt8(ascii: "[") {
            guard case let (address, port?) = authority.dropFirst().halves(at: "]"),
                port.isEmpty || port.utf8.first == UInt8(ascii: ":") && isPort(port.dropFirst()),
                address.utf8.count > 2,
                address.utf8.allSatisfy({ isHexadecimal($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") })
            else { return nil }
            return "[\(address.asciiLowercased)]"
        }
        let (name, port) = authority.halves(at: ":")
        return isHostName(name) && port.map(isPort) ?? true ? name.asciiLowercased : nil
    }

    private static func isPort(_ digits: Substring) -> Bool { digits.isASCIIDigits && UInt16(digits) != nil }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte.asciiLowercased)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
