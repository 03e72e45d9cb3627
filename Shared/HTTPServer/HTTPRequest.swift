package import FoundationEssentials

/// A complete request with verified framing. Its content is not yet validated.
package struct HTTPRequest: Sendable {
    /// Minor versions of HTTP/1 (RFC 9112 §2.3). Other versions are rejected before.
    package enum Version: Sendable {
        case http10
        case http11
    }

    package var method: HTTPMethod
    /// The path as sent, still percent-encoded. It starts with `/`, or is `*` for `OPTIONS *`.
    package var path: String
    /// The text after the first `?`, as sent.
    package var rawQuery: String?
    package var version: Version
    package var headers: HTTPHeaders
    /// At most `HTTPServerSettings.bodyBytes` long; empty if the request had none.
    package var body: Data
    /// The peer of the connection: the proxy if there is one.
    package var remoteAddress: IPAddress

    /// A request from its parts, for tests of request handlers.
    package init(
        _ method: HTTPMethod, _ path: String, query rawQuery: String? = nil, version: Version = .http11,
        headers: HTTPHeaders = HTTPHeaders(), body: Data = Data(), from remoteAddress: IPAddress = .loopback
    ) {
        self.method = method
        self.path = path
        self.rawQuery = rawQuery
        self.version = version
        self.headers = headers
        self.body = body
        self.remoteAddress = remoteAddress
    }

    /// The maximum number of query items that are parsed; further ones are ignored.
    package static let queryItemLimit = 100

    /// The decoded value of the first query item with this name: a repeated name cannot change it. An item without `=`
    /// has the empty value.
    package func queryItem(_ name: String) -> String? {
        queryItems.first { $0.name == name }?.value
    }

    /// The query items in order, decoded like forms (`+` is a space). An escape that is not two hexadecimal digits
    /// stays as it is; bytes that are not UTF-8 become U+FFFD.
    package var queryItems: [(name: String, value: String)] { rawQuery.map { Self.queryItems(of: $0[...]) } ?? [] }

    /// The items of the query of any URL.
    package static func queryItems(of query: Substring) -> [(name: String, value: String)] {
        query.utf8.split(separator: UInt8(ascii: "&"), maxSplits: queryItemLimit)
            .prefix(queryItemLimit)
            .map { item in
                let name = item.prefix { $0 != UInt8(ascii: "=") }
                return (formDecoded(name), formDecoded(item[name.endIndex...].dropFirst()))
            }
    }

    private static func formDecoded(_ text: Substring.UTF8View) -> String {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = rest.first?.hexDigit, let low = rest.dropFirst().first?.hexDigit {
                decoded.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte == UInt8(ascii: "+") ? ASCII.space : byte)
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var hexDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
