package import HTTPServer
import Vocabulary

/// Finds the client address of a request (security rule RL5).
enum ClientAddress {
    /// Only this many hops are evaluated.
    private static let maximumHops = 16

    /// The peer. If the peer is a trusted proxy: the rightmost address of `X-Forwarded-For` that is not one. The client
    /// could have written the addresses to the left of it.
    static func find(for request: HTTPRequest, trusting proxies: [AddressRange]) -> IPAddress {
        var address = request.remoteAddress
        guard proxies.contains(where: { $0.contains(address) }) else { return address }
        let hops = request.headers.values("x-forwarded-for").flatMap { $0.pieces(at: ",") }
        for hop in hops.suffix(maximumHops).reversed() {
            guard let next = IPAddress(hop: hop) else { return address }
            address = next
            guard proxies.contains(where: { $0.contains(next) }) else { return next }
        }
        return address
    }
}

extension IPAddress {
    /// In the formats of proxies: `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]:4711`.
    fileprivate init?(hop: Substring) {
        let text = hop.drop { $0 == " " }.prefix { $0 != " " }
        if text.utf8.first == UInt8(ascii: "[") {
            guard case let (address, _?) = text.dropFirst().halves(at: "]") else { return nil }
            self.init(String(address))
        } else if text.utf8.contains(UInt8(ascii: ".")), case let (address, port?) = text.halves(at: ":"),
            !port.utf8.contains(UInt8(ascii: ":"))
        {
            self.init(String(address))
        } else {
            self.init(String(text))
        }
    }
}

/// A block of addresses in CIDR notation: `10.0.0.0/8`, `2001:db8::/32`, or one address.
package struct AddressRange: Hashable, Sendable {
    private let network: IPAddress
    private let prefixLength: Int

    /// - Returns: nil for any other format and for a prefix longer than the address.
    package init?(_ text: String) {
        let (address, prefix) = text.halves(at: "/")
        guard let network = IPAddress(String(address)) else { return nil }
        let bits =
            switch network {
            case .v4: 32
            case .v6: 128
            }
        guard let length = prefix.map({ Int($0) }) ?? bits, (0...bits).contains(length) else { return nil }
        self.network = network
        prefixLength = length
    }

    /// Whether the leading bits match. Addresses of the other family are outside.
    package func contains(_ address: IPAddress) -> Bool {
        // A shift by the full width yields 0, which is correct for an empty prefix.
        switch (network, address) {
        case (.v4(let own), .v4(let other)):
            return (own ^ other) >> (32 - prefixLength) == 0
        case (.v6(let high, let low), .v6(let otherHigh, let otherLow)):
            return (high ^ otherHigh) >> max(0, 64 - prefixLength) == 0
                && (low ^ otherLow) >> min(64, 128 - prefixLength) == 0
        case (.v4, .v6), (.v6, .v4):
            return false
        }
    }
}
