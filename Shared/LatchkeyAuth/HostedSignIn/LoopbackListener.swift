import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#endif

/// A port of this computer on which one browser returns to a program (RFC 8252 section 7.3). It speaks as much HTTP as
/// the request line needs, to one client at a time.
final class LoopbackListener: Sendable {
    /// The longest request that is read, in bytes. The response of the page is shorter.
    private static let maximumRequestBytes = 64 << 10
    /// A client that sends nothing does not keep others away for longer.
    private static let clientTimeoutSeconds = 5

    /// Chosen by the system.
    let port: UInt16
    private let origin: String
    private let listening: Int32
    /// The read end and the write end of a pipe: its end of file ends the waiting.
    private let stopping: (read: Int32, write: Int32)
    private let isStopped = Locked(false)

    /// - Parameter redirectURL: `http://127.0.0.1/…` or `http://[::1]/…` without a port.
    /// - Throws: `internalError` for another URL, or without a free port.
    init(_ redirectURL: URL) throws(AuthErrorCode) {
        let host = redirectURL.host?.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        guard redirectURL.scheme == "http", redirectURL.port == nil, host == "127.0.0.1" || host == "::1" else {
            throw AuthErrorCode(
                .internalError,
                userInfo: [
                    NSLocalizedDescriptionKey:
                        "A tool returns to http://127.0.0.1/… or http://[::1]/… without a port."
                ])
        }
        let isIPv6 = host == "::1"
        guard let (socket, port) = Self.listen(isIPv6: isIPv6) else { throw AuthErrorCode(.internalError) }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            close(socket)
            throw AuthErrorCode(.internalError)
        }
        listening = socket
        self.port = port
        stopping = (ends[0], ends[1])
        origin = "http://" + (isIPv6 ? "[::1]" : "127.0.0.1") + ":\(port)"
    }

    deinit {
        stop()
        close(listening)
        close(stopping.read)
    }

    /// Ends the results.
    func stop() {
        let isFirst = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return !isStopped
        }
        if isFirst { close(stopping.write) }
    }

    /// The first URL that a browser opens and that is a result; every other request gets the status 404. The end of the
    /// reader, or ``stop()``, ends the listening.
    func results(where isResult: @escaping @Sendable (URL) -> Bool) -> AsyncStream<URL> {
        let (results, continuation) = AsyncStream.makeStream(of: URL.self, bufferingPolicy: .bufferingOldest(1))
        continuation.onTermination = { [weak self] _ in self?.stop() }
        let thread = Thread { [self] in
            while let client = nextClient() {
                let url = Self.path(in: Self.request(of: client)).flatMap { URL(string: origin + $0) }
                let result = url.flatMap { isResult($0) ? $0 : nil }
                Self.send(Self.response(isResult: result != nil), to: client)
                close(client)
                guard let result else { continue }
                continuation.yield(result)
                break
            }
            continuation.finish()
        }
        thread.name = "latchkey-loopback"
        thread.start()
        return results
    }

    /// Waits for a connection; nil after ``stop()``.
    private func nextClient() -> Int32? {
        while true {
            var waiting = [
                pollfd(fd: listening, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stopping.read, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&waiting, 2, -1) > 0 else {
                if errno == EINTR { continue }
                return nil
            }
            guard waiting.last?.revents == 0 else { return nil }
            let client = accept(listening, nil, nil)
            guard client >= 0 else { continue }
            var timeout = timeval(tv_sec: Self.clientTimeoutSeconds, tv_usec: 0)
            let size = socklen_t(MemoryLayout<timeval>.size)
            setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &timeout, size)
            setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &timeout, size)
            return client
        }
    }

    // MARK: - HTTP

    /// What the browser has sent up to the end of the headers.
    private static func request(of client: Int32) -> [UInt8] {
        var request: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        let end = Array("\r\n\r\n".utf8)
        while request.count < maximumRequestBytes {
            let count = recv(client, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            request += buffer.prefix(count)
            if request.suffix(count + end.count - 1).firstRange(of: end) != nil { break }
        }
        return request
    }

    /// The target of `GET TARGET HTTP/1.1`; nil for another request.
    static func path(in request: [UInt8]) -> String? {
        let line = request.prefix { $0 != UInt8(ascii: "\r") }.split(
            separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard line.count == 3, let method = line.first, let target = line.dropFirst().first, let version = line.last,
            method.elementsEqual("GET".utf8), version.starts(with: "HTTP/1.".utf8)
        else { return nil }
        guard target.first == UInt8(ascii: "/"), target.allSatisfy({ (0x21...0x7e).contains($0) }) else { return nil }
        return String(decoding: target, as: UTF8.self)
    }

    /// A page that loads nothing, and whose address no other page learns.
    static func response(isResult: Bool) -> String {
        let text = isResult ? "You can close this window, and return to the program." : "Not found."
        let page =
            "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>Latchkey</title><p>\(text)</p></html>"
        return [
            isResult ? "HTTP/1.1 200 OK" : "HTTP/1.1 404 Not Found", "Content-Type: text/html; charset=utf-8",
            "Content-Length: \(page.utf8.count)", "Connection: close", "Cache-Control: no-store",
            "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff",
            "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'", "", page,
        ].joined(separator: "\r\n")
    }

    /// A browser that is gone needs no answer.
    private static func send(_ text: String, to client: Int32) {
        var rest = Array(text.utf8)[...]
        #if canImport(Darwin)
            let flags: Int32 = 0
            var isOn: Int32 = 1
            setsockopt(client, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { bytes in
                #if canImport(Glibc)
                    Glibc.send(client, bytes.baseAddress, bytes.count, flags)
                #elseif canImport(Musl)
                    Musl.send(client, bytes.baseAddress, bytes.count, flags)
                #else
                    Darwin.send(client, bytes.baseAddress, bytes.count, flags)
                #endif
            }
            guard sent > 0 else { return }
            rest = rest.dropFirst(sent)
        }
    }

    // MARK: - The socket

    private static func listen(isIPv6: Bool) -> (socket: Int32, port: UInt16)? {
        #if canImport(Darwin)
            let stream = SOCK_STREAM
        #elseif canImport(Musl)
            let stream = Int32(SOCK_STREAM) | Int32(SOCK_CLOEXEC)
        #else
            let stream = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #endif
        let descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, stream, 0)
        guard descriptor >= 0 else { return nil }
        var four = sockaddr_in()
        four.sin_family = sa_family_t(AF_INET)
        four.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var six = sockaddr_in6()
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_addr = in6addr_loopback
        let port =
            isIPv6 ? bound(descriptor, &six, port: \.sin6_port) : bound(descriptor, &four, port: \.sin_port)
        guard let port else {
            close(descriptor)
            return nil
        }
        return (descriptor, port)
    }

    /// Binds a socket to an address with a port that the system chooses.
    private static func bound<Address>(
        _ descriptor: Int32, _ address: inout Address, port: KeyPath<Address, in_port_t>
    ) -> UInt16? {
        var size = socklen_t(MemoryLayout<Address>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 && getsockname(descriptor, address, &size) == 0
            }
        }
        #if canImport(Glibc)
            let isReady = isListening && Glibc.listen(descriptor, 8) == 0
        #elseif canImport(Musl)
            let isReady = isListening && Musl.listen(descriptor, 8) == 0
        #else
            let isReady = isListening && Darwin.listen(descriptor, 8) == 0
        #endif
        return isReady ? UInt16(bigEndian: address[keyPath: port]) : nil
    }
}
