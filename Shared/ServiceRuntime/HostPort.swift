import Glibc
import Vocabulary

/// An address of a listener: `127.0.0.1:9099`, `[::1]:9099`, `localhost:9099`.
package struct HostPort: Hashable, Sendable, CustomStringConvertible {
    /// A name, an IPv4 address, or an IPv6 address without brackets.
    package var host: String
    /// 0 lets the kernel choose.
    package var port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// - Returns: nil unless the text is a host of visible ASCII, a colon and a port. IPv6 addresses need their
    ///   brackets.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = UInt16(digits)
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard host.contains(":") else { return nil }
        } else {
            guard !host.contains(":") else { return nil }
        }
        guard !host.isEmpty, host.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !"[]/@\\".utf8.contains($0) }) else {
            return nil
        }
        self.init(host: String(host), port: port)
    }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Whether only this machine can reach the address.
    package var isLoopback: Bool { host.isLoopbackHost }

    /// Whether a client of one of the listen addresses can reach the listener of the other: they have the same port in the
    /// same family, and the same address in any notation, or one of them is every address of the machine.
    package func overlaps(_ other: HostPort) -> Bool {
        guard port != 0, port == other.port, let own = listenAddress, let others = other.listenAddress,
            own.count == others.count
        else { return false }
        return own == others || [own, others].contains { address in address.allSatisfy { $0 == 0 } }
    }

    /// In network byte order, 4 or 16 bytes, as a listener reads the host: `localhost` is 127.0.0.1, and an IPv4-mapped
    /// address is the IPv4 address. Nil for another name, on which nobody listens.
    private var listenAddress: [UInt8]? {
        let text = host == "localhost" ? "127.0.0.1" : host
        var (v4, v6) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, text, &v4) == 1 { return withUnsafeBytes(of: v4) { Array($0) } }
        guard inet_pton(AF_INET6, text, &v6) == 1 else { return nil }
        let bytes = withUnsafeBytes(of: v6) { Array($0) }
        let isMapped = bytes.starts(with: Array(repeating: 0, count: 10) + [0xff, 0xff])
        return isMapped ? Array(bytes.dropFirst(12)) : bytes
    }
}
