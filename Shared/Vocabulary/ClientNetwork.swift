import Glibc

/// The unit in which clients are counted by address: an IPv4 address, or the /64 of an IPv6 address, because a single
/// customer has that many (security rule RL1).
package enum ClientNetwork: Hashable, Sendable {
    case loopback
    /// Four bytes of IPv4, the first eight of IPv6, or the first six for the /48 of an IPv6 network.
    case network([UInt8])

    /// How many times the limit of a network its /48 may have. Providers assign a customer one or many /64 networks of a
    /// /48, so a limit per /64 alone is none for the holder of a /48.
    package static let siteFactor = 4

    /// - Returns: nil if it is not an IP address.
    package init?(_ address: String) {
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, address, &v4) == 1 {
            self.init(v4: withUnsafeBytes(of: v4, Array.init))
        } else if inet_pton(AF_INET6, address, &v6) == 1 {
            let bytes = withUnsafeBytes(of: v6, Array.init)
            if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10...11] == [0xff, 0xff] {
                // An IPv4-mapped IPv6 address.
                self.init(v4: Array(bytes[12...]))
            } else if bytes == [UInt8](repeating: 0, count: 15) + [1] {
                self = .loopback
            } else {
                self = .network(Array(bytes[..<8]))
            }
        } else {
            return nil
        }
    }

    private init(v4 bytes: [UInt8]) {
        self = bytes.first == 127 ? .loopback : .network(bytes)
    }

    /// The /48 around an IPv6 network, which is counted beside it with `siteFactor` times the limit; nil for others.
    package var site: ClientNetwork? {
        guard case .network(let bytes) = self, bytes.count == 8 else { return nil }
        return .network(Array(bytes.prefix(6)))
    }

    /// This network with its factor, and the /48 around it. A limit counts in each, and refuses when one is full.
    package var counted: [(network: ClientNetwork, factor: Int)] {
        [(self, 1)] + (site.map { [($0, Self.siteFactor)] } ?? [])
    }

    /// The network as its user is shown it: the /24 of an IPv4 address, the /48 of an IPv6 address.
    package var shownText: String {
        guard bytes.count > 4 else {
            let shown = (bytes + [0, 0, 0]).prefix(3).map { "\($0)" }.joined(separator: ".")
            return "\(shown).0/24"
        }
        var groups: [UInt16] = []
        var rest = bytes.prefix(6)
        while let high = rest.popFirst(), let low = rest.popFirst() { groups.append(UInt16(high) << 8 | UInt16(low)) }
        // Zeros at the end are part of `::` (RFC 5952 section 4.2).
        while groups.last == 0 { groups.removeLast() }
        return groups.map { String($0, radix: 16) }.joined(separator: ":") + "::/48"
    }

    /// Identifies this network, for digests. The number of bytes is part of it.
    package var bytes: [UInt8] {
        switch self {
        case .loopback: [127]
        case .network(let bytes): bytes
        }
    }
}
