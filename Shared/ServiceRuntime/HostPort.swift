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
    /// same family, and the same host, or one of them is every address of the machine.
    package func overlaps(_ other: HostPort) -> Bool {
        guard port != 0, port == other.port, isIPv6 == other.isIPv6 else { return false }
        // A listener on `localhost` has no IPv6 address.
        let hosts = [host, other.host].map { $0 == "localhost" ? "127.0.0.1" : $0 }
        return hosts[0] == hosts[1] || hosts.contains(isIPv6 ? "::" : "0.0.0.0")
    }

    private var isIPv6: Bool { host.contains(":") }
}
