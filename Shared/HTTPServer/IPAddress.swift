// The library's header also declares `sockaddr`, and the compiler may attribute it to either module.
internal import CMicrohttpd
import Glibc

/// An IPv4 or IPv6 address. An IPv4-mapped IPv6 address (`::ffff:a.b.c.d`) becomes the IPv4 address.
package enum IPAddress: Hashable, Sendable {
    /// In host byte order: 127.0.0.1 is `0x7f00_0001`.
    case v4(UInt32)
    /// The upper and lower 64 bits in host byte order. Created by the initializers, which convert mapped addresses.
    case v6(high: UInt64, low: UInt64)

    /// 127.0.0.1.
    package static let loopback = IPAddress.v4(0x7f00_0001)

    /// Parses the usual notations (RFC 4291 §2.2; dotted decimal with four parts). No brackets, no zone, no port.
    package init?(_ text: String) {
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            self.init(v4)
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            self.init(v6)
        } else {
            return nil
        }
    }

    /// The address of a peer; `nil` for address families other than IPv4 and IPv6.
    init?(_ address: UnsafePointer<sockaddr>) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            self.init(UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_addr)
        case AF_INET6:
            self.init(UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self).sin6_addr)
        default:
            return nil
        }
    }

    private init(_ address: in_addr) {
        self = .v4(UInt32(bigEndian: address.s_addr))
    }

    private init(_ address: in6_addr) {
        let (high, low) = withUnsafeBytes(of: address) {
            (
                UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
        if high == 0, low >> 32 == 0xffff {
            self = .v4(UInt32(truncatingIfNeeded: low))
        } else {
            self = .v6(high: high, low: low)
        }
    }

    /// Whether it is a loopback address: 127.0.0.0/8 or ::1.
    package var isLoopback: Bool {
        switch self {
        case .v4(let address): address >> 24 == 127
        case .v6(let high, let low): high == 0 && low == 1
        }
    }

    /// The /48 of an IPv6 address, for limits over several networks; nil for IPv4.
    package var site: IPAddress? {
        switch self {
        case .v4: nil
        case .v6(let high, _): .v6(high: high & ~0xffff, low: 0)
        }
    }

    /// The unit that limits count: the address itself, or its /64 for IPv6, because a single customer has that many.
    package var network: IPAddress {
        switch self {
        case .v4: self
        case .v6(let high, _): .v6(high: high, low: 0)
        }
    }
}

extension IPAddress: CustomStringConvertible {
    /// The canonical notation (RFC 5952).
    package var description: String {
        switch self {
        case .v4(let address):
            return "\(address >> 24).\(address >> 16 & 255).\(address >> 8 & 255).\(address & 255)"
        case .v6(let high, let low):
            var address = in6_addr()
            withUnsafeMutableBytes(of: &address) {
                $0.storeBytes(of: high.bigEndian, as: UInt64.self)
                $0.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
            }
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            // Fails only if the buffer is too short, which it is not.
            inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
            return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}
