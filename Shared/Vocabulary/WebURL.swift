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
        guard text.utf8.count <= Self.maximumBytes, Self.hasUnambiguousBytes(text),
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

    /// What never leaves this machine needs no TLS.
    package var isLoopback: Bool { host.isLoopbackHost }

    /// The port in the authority, or that of the scheme.
    package var port: UInt16 {
        // An IPv6 address has colons, and no number after the last.
        authority.lastHalves(at: ":").flatMap { UInt16($0.behind) } ?? defaultPort
    }

    private var defaultPort: UInt16 { isSecure ? 443 : 80 }

    /// Scheme, host and port in the form of browsers (RFC 6454 §6.1): in lower case, without the default port.
    package var origin: String {
        let scheme = isSecure ? "https" : "http"
        return port == defaultPort ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }

    /// The same URL with more query items, which are percent-encoded here.
    package func appending(_ items: [(name: String, value: String)]) -> String {
        guard !items.isEmpty else { return text }
        let base = text.halves(at: "#").before
        let separator = query.map { $0.isEmpty || $0.hasSuffix("&") ? "" : "&" } ?? "?"
        return base + separator + PercentEncoding.query(items) + (fragment.map { "#\($0)" } ?? "")
    }

    /// Whether every parser reads the characters of an address alike: no white space, no control characters, nothing
    /// beyond ASCII, and none that RFC 3986 excludes.
    package static func hasUnambiguousBytes(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x21...0x7e).contains($0) && !#"\"<>^`{|}"#.utf8.contains($0) }
    }

    /// Whether `text` is a host name as it stands in URLs and in a list of domains.
    package static func isHostName(_ text: some StringProtocol) -> Bool {
        (1...253).contains(text.utf8.count)
            && text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.count) && label.allSatisfy { $0.isASCIINameByte }
            }
    }

    private static func host(of authority: Substring) -> String? {
        if authority.utf8.first == UInt8(ascii: "[") {
            guard case let (address, port?) = authority.dropFirst().halves(at: "]"),
                port.isEmpty || port.utf8.first == UInt8(ascii: ":") && isPort(port.dropFirst()),
                address.utf8.count > 2,
                address.utf8.allSatisfy({ $0.isASCIIHexadecimalDigit || ":.".utf8.contains($0) })
            else { return nil }
            return "[\(address.asciiLowercased)]"
        }
        let (name, port) = authority.halves(at: ":")
        return isHostName(name) && port.map(isPort) ?? true ? name.asciiLowercased : nil
    }

    private static func isPort(_ digits: Substring) -> Bool { digits.isASCIIDigits && UInt16(digits) != nil }
}
