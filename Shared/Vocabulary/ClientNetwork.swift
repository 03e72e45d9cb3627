internal import Glibc

/// The unit in which clients are counted by address: an IPv4 address, or the /64 of an IPv6 address, because a single
/// customer has that many (security rule RL1).
package enum ClientNetwork: Hashable, Sendable {
    case loopback
    /// Four bytes of IPv4, or the first eight of IPv6.
    case network([UInt8])

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

    /// Identifies this network, for digests.
    package var bytes: [UInt8] {
        switch self {
        case .loopback: [127]
        case .network(let bytes): bytes
        }
    }
}
