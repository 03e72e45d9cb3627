internal import HTTPServer

/// Where a request really comes from (security reference RL5).
enum ClientAddress {
    /// More hops than this in front of us are not believed.
    private static let maximumHops = 16

    /// The peer, or, when the peer is one of our proxies, the rightmost address of `X-Forwarded-For` that is not: what
    /// stands left of it the client could have written itself.
    static func find(for request: HTTPRequest, trusting proxies: [AddressRange]) -> IPAddress {
        var address = request.remoteAddress
        guard proxies.contains(where: { $0.contains(address) }) else { return address }
        let hops = request.headers.values("x-forwarded-for").flatMap { $0.split(separator: ",") }
        for hop in hops.suffix(maximumHops).reversed() {
            guard let next = IPAddress(hop: hop) else { return address }
            address = next
            guard proxies.contains(where: { $0.contains(next) }) else { return next }
        }
        return address
    }
}

extension IPAddress {
    /// As proxies write it: `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]:4711`.
    fileprivate init?(hop: Substring) {
        let text = hop.drop { $0 == " " }.prefix { $0 != " " }
        if text.hasPrefix("["), let close = text.firstIndex(of: "]") {
            self.init(String(text[text.index(after: text.startIndex)..<close]))
        } else if text.contains("."), let colon = text.lastIndex(of: ":"), !text[..<colon].contains(":") {
            self.init(String(text[..<colon]))
        } else {
            self.init(String(text))
        }
    }

    /// What one customer of a network provider usually holds: an IPv4 address, an IPv6 /64.
    var clientNetwork: [UInt8] {
        let bytes = addressBytes
        return bytes.count == 4 ? bytes : Array(bytes.prefix(8))
    }
}

/// A block of addresses in CIDR notation: `10.0.0.0/8`, `2001:db8::/32`, or one address.
package struct AddressRange: Hashable, Sendable {
    private let network: [UInt8]
    private let prefixLength: Int

    /// - Returns: nil for anything else, also for a prefix longer than the address.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let address = IPAddress(String(parts[0])) else { return nil }
        network = address.addressBytes
        guard parts.count == 2 else {
            prefixLength = network.count * 8
            return
        }
        guard let length = Int(parts[1]), (0...network.count * 8).contains(length) else { return nil }
        prefixLength = length
    }

    package func contains(_ address: IPAddress) -> Bool {
        let bytes = address.addressBytes
        guard bytes.count == network.count else { return false }
        let (whole, rest) = prefixLength.quotientAndRemainder(dividingBy: 8)
        guard bytes.prefix(whole) == network.prefix(whole) else { return false }
        return rest == 0 || (bytes[whole] ^ network[whole]) >> UInt8(8 - rest) == 0
    }
}
