import Dispatch
import Foundation
import Glibc
import TestSupport
import Testing

/// A client that sends exactly the given bytes. Its methods block in C, each on its own thread.
final class SocketClient: Sendable {
    private let socket: Int32

    struct Failure: Error {
        let call: String
        let number = errno
    }

    /// A response, split into its parts.
    struct Response: Sendable {
        let status: Int
        let head: String
        let body: String

        func header(_ name: String) -> String? {
            head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
                .map { $0.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces) }
        }
    }

    /// - Parameter receiveBufferBytes: the kernel's buffer of a client that does not read.
    init(port: UInt16, receiveBufferBytes: Int32? = nil) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw Failure(call: "socket") }
        if var size = receiveBufferBytes {
            setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout.size(ofValue: size)))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        // `deinit` closes the socket, also after this error.
        guard status == 0 else { throw Failure(call: "connect") }
    }

    deinit {
        Glibc.close(socket)
    }

    /// Sends the complete text.
    func send(_ text: String) async throws {
        try await send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) async throws {
        try await onThread { [socket] in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard count > 0 else { throw Failure(call: "send") }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Closes the sending direction.
    func finishSending() {
        shutdown(socket, Int32(SHUT_WR))
    }

    /// Closes the connection with a reset.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        shutdown(socket, Int32(SHUT_RDWR))
    }

    /// Reads one response with `Content-Length`; `nil` if the server closes before its first byte.
    ///
    /// - Parameter hasBody: false for the response to `HEAD`.
    func response(hasBody: Bool = true) async throws -> Response? {
        try await onThread { [socket] in
            var bytes: [UInt8] = []
            while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
                guard let byte = try Self.read(socket, 1).first else {
                    if bytes.isEmpty { return nil }
                    throw Failure(call: "half a head: " + String(decoding: bytes, as: UTF8.self))
                }
                bytes.append(byte)
            }
            let head = String(decoding: bytes, as: UTF8.self)
            let status = try #require(Int(head.split(separator: " ", maxSplits: 2)[1]))
            let probe = Response(status: status, head: head, body: "")
            guard hasBody, let length = probe.header("Content-Length").flatMap(Int.init) else { return probe }
            var body: [UInt8] = []
            while body.count < length {
                let piece = try Self.read(socket, length - body.count)
                guard !piece.isEmpty else { throw Failure(call: "half a body") }
                body += piece
            }
            return Response(status: status, head: head, body: String(decoding: body, as: UTF8.self))
        }
    }

    /// Waits until the server has closed and drops what it still sends. A reset also ends the connection.
    func end() async throws {
        try await onThread { [socket] in
            while let piece = try? Self.read(socket, 4096), !piece.isEmpty {}
        }
    }

    /// What the server sends until it closes.
    func everything() async throws -> [UInt8] {
        try await onThread { [socket] in
            var bytes: [UInt8] = []
            while let piece = try? Self.read(socket, 1 << 16), !piece.isEmpty { bytes += piece }
            return bytes
        }
    }

    /// Reads until the connection ends.
    /// - Returns: whether that is a reset.
    func endsWithReset() async throws -> Bool {
        try await onThread { [socket] in
            do {
                while !(try Self.read(socket, 4096)).isEmpty {}
                return false
            } catch let failure as Failure {
                return failure.number == ECONNRESET
            }
        }
    }

    private static func read(_ socket: Int32, _ limit: Int) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = recv(socket, &buffer, limit, 0)
        guard count >= 0 else { throw Failure(call: "recv") }
        return Array(buffer.prefix(count))
    }
}
