/// An absolute `http` or `https` URL that a person may be sent to (RFC 3986), read as strictly as a redirect must be:
/// what browsers and we could read differently is refused (security reference FE10).
package struct WebURL: Hashable, Sendable {
    package static let maximumBytes = 2048

    /// As it was written.
    package let text: String
    package let isSecure: Bool
    /// In lower case, without port: a name of ASCII letters, digits, hyphens and dots, or an address in brackets.
    package let host: String
    /// Where the query begins: after the `?`.
    package let query: Substring?
    /// After the `#`.
    package let fragment: Substring?

    /// - Returns: nil for anything else: other schemes, no host, credentials, a backslash, blanks, controls, bytes beyond
    ///   ASCII, or more than `maximumBytes`.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes,
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !#"\"<>^`{|}"#.utf8.contains($0) }),
            let colon = text.firstIndex(of: ":")
        else { return nil }
        switch text[..<colon].lowercased() {
        case "http": isSecure = false
        case "https": isSecure = true
        default: return nil
        }
        let rest = text[text.index(after: colon)...]
        guard rest.hasPrefix("//") else { return nil }
        let afterSlashes = rest.dropFirst(2)
        let authority = afterSlashes.prefix { !"/?#".contains($0) }
        guard let host = Self.host(of: authority) else { return nil }
        self.text = text
        self.host = host
        let path = afterSlashes[authority.endIndex...]
        let hash = path.firstIndex(of: "#")
        fragment = hash.map { path[path.index(after: $0)...] }
        let beforeFragment = path[..<(hash ?? path.endIndex)]
        query = beforeFragment.firstIndex(of: "?").map { beforeFragment[beforeFragment.index(after: $0)...] }
    }

    /// This machine, by any of its names: what never leaves it needs no TLS.
    package var isLoopback: Bool { ["localhost", "127.0.0.1", "[::1]"].contains(host) }

    /// The same URL with more items in its query, which are percent-encoded here.
    package func appending(_ items: [(name: String, value: String)]) -> String {
        guard !items.isEmpty else { return text }
        let base = fragment.map { text[..<text.index(before: $0.startIndex)] } ?? text[...]
        let separator = query.map { $0.isEmpty || $0.hasSuffix("&") ? "" : "&" } ?? "?"
        let added = items.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.joined(separator: "&")
        return base + separator + added + (fragment.map { "#\($0)" } ?? "")
    }

    /// Everything but unreserved characters as `%` and two digits (RFC 3986 §2.3).
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

    /// Whether `text` is a host name as it stands in URLs and in a list of domains.
    package static func isHostName(_ text: some StringProtocol) -> Bool {
        (1...253).contains(text.utf8.count)
            && text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.count) && label.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
            }
    }

    private static func host(of authority: Substring) -> String? {
        var name = authority
        if name.hasPrefix("[") {
            guard let close = name.firstIndex(of: "]"), isPort(name[name.index(after: close)...]) else { return nil }
            name = name[...close]
            guard name.utf8.count > 4, name.dropFirst().dropLast().allSatisfy({ $0.isHexDigit || ":.".contains($0) })
            else { return nil }
            return name.lowercased()
        }
        if let colon = name.firstIndex(of: ":") {
            guard isPort(name[colon...]) else { return nil }
            name = name[..<colon]
        }
        return isHostName(name) ? name.lowercased() : nil
    }

    /// Nothing, or a colon and a number.
    private static func isPort(_ text: Substring) -> Bool {
        guard !text.isEmpty else { return true }
        let digits = text.dropFirst()
        return text.first == ":" && digits.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt16(digits) != nil
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
