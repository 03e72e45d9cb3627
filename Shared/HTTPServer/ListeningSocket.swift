internal import CMicrohttpd
import Glibc

/// A bound and listening TCP socket. Its owner closes it, unless it is released.
struct ListeningSocket: ~Copyable {
    private let descriptor: Int32
    /// The port; the kernel chose it if 0 was requested.
    let port: UInt16

    /// - Parameters:
    ///   - host: `localhost` or an IP address.
    ///   - sharesAddress: whether other processes of the user may listen on the address, too, if they also share it.
    ///   - sendBufferBytes: for each connection.
    init(
        host: String, port: UInt16, sharesAddress: Bool = false, sendBufferBytes: Int = 128 << 10
    ) throws(HTTPServerError) {
        guard let address = host == "localhost" ? .loopback : IPAddress(host) else { throw .invalidHost(host) }
        let family = if case .v4 = address { AF_INET } else { AF_INET6 }
        let opened = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard opened >= 0 else { throw .system(errno) }
        do throws(HTTPServerError) {
            // Accepted sockets inherit it.
            Self.set(SO_SNDBUF, to: Int32(clamping: sendBufferBytes), of: opened)
            // A restart must not wait for the connections of the last run to leave TIME_WAIT.
            Self.enable(SO_REUSEADDR, SOL_SOCKET, of: opened)
            if sharesAddress { Self.enable(SO_REUSEPORT, SOL_SOCKET, of: opened) }
            // IPv6 only, so that one process can listen on `::` and on `0.0.0.0`.
            if family == AF_INET6 { Self.enable(IPV6_V6ONLY, Int32(IPPROTO_IPV6), of: opened) }
            let status = Self.withSocketAddress(address, port) { bind(opened, $0, $1) }
            guard status == 0, listen(opened, SOMAXCONN) == 0 else {
                let place = family == AF_INET6 ? "[\(host)]:\(port)" : "\(host):\(port)"
                throw switch errno {
                case EADDRINUSE: .addressInUse(place)
                case EADDRNOTAVAIL: .addressNotAvailable(place)
                case EACCES, EPERM: .permissionDenied(place)
                default: .system(errno)
                }
            }
            self.port = try Self.port(of: opened)
        } catch {
            close(opened)
            throw error
        }
        descriptor = opened
    }

    deinit {
        close(descriptor)
    }

    /// Transfers the descriptor to a new owner, which closes it.
    consuming func release() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }

    private static func enable(_ option: Int32, _ level: Int32, of descriptor: Int32) {
        set(option, level, to: 1, of: descriptor)
    }

    private static func set(_ option: Int32, _ level: Int32 = SOL_SOCKET, to value: Int32, of descriptor: Int32) {
        var value = value
        // Cannot fail for options that the kernel supports; otherwise `bind` would fail.
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout.size(ofValue: value)))
    }

    private static func withSocketAddress<R>(
        _ address: IPAddress, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
    ) -> R {
        var storage = sockaddr_storage()
        return withUnsafeMutableBytes(of: &storage) { bytes in
            let size: Int
            switch address {
            case .v4(let address):
                var v4 = sockaddr_in()
                v4.sin_family = sa_family_t(AF_INET)
                v4.sin_port = port.bigEndian
                v4.sin_addr.s_addr = address.bigEndian
                bytes.storeBytes(of: v4, as: sockaddr_in.self)
                size = MemoryLayout<sockaddr_in>.size
            case .v6(let high, let low):
                var v6 = sockaddr_in6()
                v6.sin6_family = sa_family_t(AF_INET6)
                v6.sin6_port = port.bigEndian
                withUnsafeMutableBytes(of: &v6.sin6_addr) {
                    $0.storeBytes(of: high.bigEndian, as: UInt64.self)
                    $0.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
                }
                bytes.storeBytes(of: v6, as: sockaddr_in6.self)
                size = MemoryLayout<sockaddr_in6>.size
            }
            return bytes.withMemoryRebound(to: sockaddr.self) { sockets in
                // Not nil: the buffer is a local variable.
                body(UnsafePointer(sockets.baseAddress!), socklen_t(size))
            }
        }
    }

    private static func port(of descriptor: Int32) throws(HTTPServerError) -> UInt16 {
        var storage = sockaddr_in6()
        var size = socklen_t(MemoryLayout.size(ofValue: storage))
        let status = withUnsafeMutableBytes(of: &storage) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { getsockname(descriptor, $0.baseAddress!, &size) }
        }
        guard status == 0 else { throw .system(errno) }
        // The port has the same offset in the addresses of both families.
        return UInt16(bigEndian: storage.sin6_port)
    }
}
