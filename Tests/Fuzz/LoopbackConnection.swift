import Blocking
import Glibc
import Synchronization

@testable import HTTPServer

/// A TCP connection of this machine, for targets that read bytes from a socket. Its methods block.
struct LoopbackConnection: ~Copyable {
    struct Failure: Error {
        let number = errno
    }

    private let socket: Int32

    /// Takes ownership of a connected socket.
    init(_ socket: Int32) { self.socket = socket }

    init(toPort port: UInt16) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw Failure() }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw Failure() }
    }

    deinit { close(socket) }

    /// Sends what the peer takes, and then says that nothing follows.
    borrowing func sendAll(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            // The peer may refuse to read on.
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        shutdown(socket, Int32(SHUT_WR))
    }

    /// What the peer sends until it closes or resets the connection.
    borrowing func readAll() -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { return bytes }
            bytes += buffer.prefix(count)
        }
    }
}

/// A server that sends the same bytes to each client, whatever it says.
final class FixedServer: Sendable {
    let port: UInt16
    private let bytes = Mutex<[UInt8]>([])

    init() throws {
        let socket = try ListeningSocket(host: "127.0.0.1", port: 0)
        port = socket.port
        let listener = socket.release()
        DedicatedThread.start(label: "fixed-server") { [self] in serve(listener) }
    }

    func set(_ bytes: some Sequence<UInt8>) { self.bytes.withLock { $0 = Array(bytes) } }

    /// One client after the other. A client that closes before it has read everything gets no reset from here.
    private func serve(_ listener: Int32) {
        while true {
            var ready = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            poll(&ready, 1, -1)
            let accepted = accept(listener, nil, nil)
            guard accepted >= 0 else { continue }
            let connection = LoopbackConnection(accepted)
            connection.sendAll(bytes.withLock { $0 })
            _ = connection.readAll()
        }
    }
}
