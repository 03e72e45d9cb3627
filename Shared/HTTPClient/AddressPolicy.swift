import Glibc

/// The addresses that an `HTTPClient` may connect to. It is evaluated for the address of each connection, after the
/// resolution of the name (security rule FE8).
package enum AddressPolicy: Sendable {
    case all
    /// Only addresses of the public Internet (IANA registries of special-purpose addresses).
    case publicOnly

    /// - Parameter socketAddress: a `sockaddr_in` or `sockaddr_in6`; others are not allowed.
    func allows(_ socketAddress: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .all: return true
        case .publicOnly:
            guard socketAddress.count >= MemoryLayout<sa_family_t>.size else { return false }
            switch Int32(socketAddress.loadUnaligned(as: sa_family_t.self)) {
            case AF_INET where socketAddress.count >= MemoryLayout<sockaddr_in>.size:
                return Self.isPublic(Array(socketAddress.dropFirst(4).prefix(4)))
            case AF_INET6 where socketAddress.count >= MemoryLayout<sockaddr_in6>.size:
                return Self.isPublic(Array(socketAddress.dropFirst(8).prefix(16)))
            default: return false  // Other families are not of the Internet.
            }
        }
    }

    /// Whether an address is of the public Internet.
    /// - Parameter address: 4 bytes of IPv4 or 16 of IPv6, in network order; other counts are not public.
    package static func isPublic(_ address: [UInt8]) -> Bool {
        switch address.count {
        case 4: !specialIPv4.contains { $0.contains(address) }
        // Everything outside of 2000::/3 is reserved, of one network, or an embedded IPv4 address.
        case 16: globalUnicast.contains(address) && !specialIPv6.contains { $0.contains(address) }
        default: false
        }
    }

    private struct Network {
        let prefix: [UInt8]
        let bits: Int

        init(_ prefix: [UInt8], _ bits: Int) {
            self.prefix = prefix
            self.bits = bits
        }

        /// The bytes of `prefix` end with the last significant one.
        func contains(_ address: [UInt8]) -> Bool {
            zip(prefix, address).enumerated().allSatisfy { index, pair in
                let mask = UInt8(truncatingIfNeeded: 0xff00 >> min(8, bits - index * 8))
                return (pair.0 ^ pair.1) & mask == 0
            }
        }
    }

    /// RFC 6890 and its successors, multicast and the reserved rest.
    private static let specialIPv4 = [
        Network([0], 8), Network([10], 8), Network([100, 64], 10), Network([127], 8), Network([169, 254], 16),
        Network([172, 16], 12), Network([192, 0, 0], 24), Network([192, 0, 2], 24), Network([192, 88, 99], 24),
        Network([192, 168], 16), Network([198, 18], 15), Network([198, 51, 100], 24), Network([203, 0, 113], 24),
        Network([224], 3),
    ]
    private static let globalUnicast = Network([0x20], 3)
    /// Protocol assignments with Teredo, documentation, and 6to4 with its embedded IPv4 addresses.
    private static let specialIPv6 = [
        Network([0x20, 0x01, 0x00], 23), Network([0x20, 0x01, 0x0d, 0xb8], 32), Network([0x20, 0x02], 16),
        Network([0x3f, 0xff, 0x00], 20),
    ]
}
