import Glibc
import ServiceRuntime

/// Checks the addresses of the listeners before any process starts, so that an error is reported in one sentence.
enum ListenAddressCheck {
    /// Listens briefly, on all addresses at the same time: the kernel would choose a port that is free again for the next
    /// one, too.
    /// - Returns: the addresses in their order, each with the port that the kernel chose instead of port 0. If another
    ///   process takes a port before the gateway does, the gateway reports it.
    static func resolve(_ addresses: [HostPort]) throws(LauncherError) -> [HostPort] {
        var descriptors: [Int32] = []
        defer { for descriptor in descriptors { close(descriptor) } }
        return try addresses.map { address throws(LauncherError) in
            let descriptor = socket(address.host.contains(":") ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            guard descriptor >= 0 else { throw .cannotListen(address, reason: lastError()) }
            descriptors.append(descriptor)
            return try listening(descriptor, on: address)
        }
    }

    private static func listening(_ descriptor: Int32, on address: HostPort) throws(LauncherError) -> HostPort {
        var on: Int32 = 1
        // As the gateway does: connections of an earlier run do not block the address.
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))

        var port: UInt16
        if address.host.contains(":") {
            setsockopt(
                descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, socklen_t(MemoryLayout<Int32>.size))
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_port = address.port.bigEndian
            guard inet_pton(AF_INET6, address.host, &name.sin6_addr) == 1 else { throw notNumericError(address) }
            try bind(descriptor, &name, address)
            port = UInt16(bigEndian: name.sin6_port)
        } else {
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = address.port.bigEndian
            let host = address.host == "localhost" ? "127.0.0.1" : address.host
            guard inet_pton(AF_INET, host, &name.sin_addr) == 1 else { throw notNumericError(address) }
            try bind(descriptor, &name, address)
            port = UInt16(bigEndian: name.sin_port)
        }
        return HostPort(host: address.host, port: port)
    }

    /// Binds, listens, and reads the address back.
    private static func bind<Name>(_ descriptor: Int32, _ name: inout Name, _ address: HostPort) throws(LauncherError) {
        var length = socklen_t(MemoryLayout<Name>.size)
        let isDone = withUnsafeMutableBytes(of: &name) { bytes in
            // A socket address of any kind begins with its family; bind(2) expects this type.
            let general = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
            return Glibc.bind(descriptor, general, length) == 0 && listen(descriptor, 1) == 0
                && getsockname(descriptor, general, &length) == 0
        }
        guard isDone else { throw .cannotListen(address, reason: lastError()) }
    }

    private static func notNumericError(_ address: HostPort) -> LauncherError {
        .cannotListen(address, reason: "\(address.host) is neither an IP address nor localhost")
    }
}
