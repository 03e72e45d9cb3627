import Blocking
import Foundation
import Synchronization

/// A mail server on loopback with a configurable reaction to each command.
final class FakeSMTPServer: Sendable {
    enum Reaction: Sendable {
        /// Lines without their ends.
        case reply(String)
        /// No reply, as long as the client waits.
        case hang
        /// The reply in single bytes with delays.
        case drip(String)
        /// Closes the connection.
        case drop
    }

    struct Mail: Sendable {
        var commands: [String]
        var data: String
    }

    private struct State {
        var mails: [Mail] = []
        var connections = 0
        var isStopped = false
    }

    let port: UInt16
    private let listener: Int32
    private let state = Mutex(State())
    private let react: @Sendable (_ command: String, _ connection: Int) -> Reaction?

    /// - Parameter react: the reaction to each command; `""` is the greeting and `"."` the end of a message. Nil: the
    ///   normal reply of a server.
    init(_ react: @escaping @Sendable (_ command: String, _ connection: Int) -> Reaction? = { _, _ in nil }) throws {
        self.react = react
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        DedicatedThread.start(label: "fake-smtp") { [self] in acceptAll() }
    }

    var url: String { "smtp://127.0.0.1:\(port)" }
    var mails: [Mail] { state.withLock { $0.mails } }
    var connections: Int { state.withLock { $0.connections } }

    /// Ends the thread that accepts connections. Tests call it last.
    func stop() {
        state.withLock { $0.isStopped = true }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func acceptAll() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0, !state.withLock({ $0.isStopped }) else { break }
            let number = state.withLock { state in
                state.connections += 1
                return state.connections
            }
            DedicatedThread.start(label: "fake-smtp") { [self] in
                serve(connection, number)
                close(connection)
            }
        }
        close(listener)
    }

    private func serve(_ connection: Int32, _ number: Int) {
        var reader = LineReader(connection)
        var commands: [String] = []
        guard response("", "220 fake ESMTP", connection, number) != nil else { return }
        while let line = reader.next() {
            commands.append(line)
            let verb = line.prefix { $0 != " " && $0 != ":" }.uppercased()
            switch verb {
            case "EHLO":
                guard response(line, "250-fake\r\n250-8BITMIME\r\n250 SIZE 1000000", connection, number) != nil else {
                    return
                }
            case "DATA":
                guard let isInvited = response(line, "354 go on", connection, number) else { return }
                guard isInvited else { continue }
                var data = ""
                while let text = reader.next(), text != "." { data += text + "\r\n" }
                let mail = Mail(commands: commands, data: data)
                // The test may check before the client has read the reply.
                if react(".", number) == nil { state.withLock { $0.mails.append(mail) } }
                guard response(".", "250 taken", connection, number) != nil else { return }
                commands = []
            case "QUIT":
                _ = response(line, "221 bye", connection, number)
                return
            default:
                guard response(line, "250 ok", connection, number) != nil else { return }
            }
        }
    }

    /// - Returns: whether the reply was positive; nil if the session has ended.
    private func response(_ command: String, _ standard: String, _ connection: Int32, _ number: Int) -> Bool? {
        switch react(command, number) ?? .reply(standard) {
        case .reply(let text):
            send(text + "\r\n", connection)
            return text.hasPrefix("2") || text.hasPrefix("3")
        case .hang:
            var reader = LineReader(connection)
            while reader.next() != nil {}
            return nil
        case .drip(let text):
            for byte in text.utf8 {
                guard send(String(UnicodeScalar(byte)), connection) else { return nil }
                usleep(50_000)
            }
            return nil
        case .drop:
            return nil
        }
    }

    @discardableResult
    private func send(_ text: String, _ connection: Int32) -> Bool {
        let bytes = Array(text.utf8)
        return Foundation.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }
}

private struct LineReader {
    private let connection: Int32
    private var buffer: [UInt8] = []

    init(_ connection: Int32) {
        self.connection = connection
    }

    mutating func next() -> String? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let line = buffer[..<end]
                buffer.removeSubrange(...end)
                return String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
            }
            var chunk = [UInt8](repeating: 0, count: 4096)
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            buffer += chunk.prefix(count)
        }
    }
}
