import Glibc
import TestSupport

/// Occupies a port of this machine, so that no other process can listen on it.
final class LoopbackListener: Sendable {
    let port: UInt16
    private let descriptor: Int32

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        self.descriptor = descriptor
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isDone = withUnsafeMutableBytes(of: &name) { bytes in
            // A socket address of any kind begins with its family; bind(2) expects this type.
            let general = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
            return bind(descriptor, general, length) == 0 && listen(descriptor, 1) == 0
                && getsockname(descriptor, general, &length) == 0
        }
        port = UInt16(bigEndian: name.sin_port)
        guard isDone else { throw RunningMesh.Failure("no port to listen on") }
    }

    deinit { close(descriptor) }
}

/// A connection to a socket file, for bytes that no library would send.
struct UnixConnection: ~Copyable {
    private let descriptor: Int32

    init(_ path: String) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        self.descriptor = descriptor
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let isConnected = withUnsafeBytes(of: &name) { bytes in
            let general = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
            return connect(descriptor, general, socklen_t(bytes.count)) == 0
        }
        guard isConnected else { throw RunningMesh.Failure("\(path) takes no connection") }
    }

    deinit { close(descriptor) }

    /// Writes as many bytes as the peer accepts before it closes the connection.
    func send(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }
}

/// A TCP connection that sends nothing. The peer may close it at any time.
final class LoopbackConnection: Sendable {
    private let descriptor: Int32

    init(port: UInt16) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        self.descriptor = descriptor
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        name.sin_port = port.bigEndian
        let isConnected = withUnsafeBytes(of: &name) { bytes in
            // As in `LoopbackListener`.
            let general = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
            return connect(descriptor, general, socklen_t(bytes.count)) == 0
        }
        guard isConnected else { throw RunningMesh.Failure("port \(port) takes no connection") }
    }

    deinit { close(descriptor) }
}
