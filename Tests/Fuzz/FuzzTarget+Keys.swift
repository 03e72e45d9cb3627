import Bus
import Glibc
import ServiceRuntime
import TestSupport
import ZeroMQ

@testable import Broker

extension FuzzTarget {
    /// Reads the input as `peers.toml`. Each peer of an accepted table is found by its name and by each of its keys.
    static func readPeerTable(_ input: [UInt8]) throws {
        guard let table = try? PeerTable(input) else { return }
        for peer in table.all {
            try demand(table[peer.name] == peer, "a peer has its name alone")
            for key in peer.keys { try demand(table.peer(with: key) == peer, "a peer has its keys alone") }
        }
    }

    /// Private, as a broker requires. It lives as long as the program.
    private static let socketFolder: TemporaryDirectory? = {
        guard let folder = try? TemporaryDirectory(), chmod(folder.path, 0o700) == 0 else { return nil }
        return folder
    }()

    /// Sends the input as the bytes of a connection to the socket of a broker with keys, which knows nobody: greeting and handshake.
    /// The connection ends with them, and no message arrives.
    static func readHandshake(_ input: [UInt8]) throws {
        // The corpus has a first command that this key can read.
        guard let own = CurveKeyPair(secretKey: "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6") else {
            throw BrokenPromise(description: "the key of the broker is none")
        }
        let broker = try listen(keys: BusKeys(own: own, table: PeerTable([])))
        try demand(sendAndWaitForEnd(input, to: broker.path), "the connection ends with its input")
        try demand(try broker.router.receive() == nil, "nobody proves a key by chance")
    }

    /// Sends the input as the bytes of a connection to a broker without keys: greeting, handshake, and messages in their frames. The
    /// broker serves what arrives, and its state stays consistent.
    static func readConnection(_ input: [UInt8]) throws {
        let broker = try listen(keys: nil)
        try demand(sendAndWaitForEnd(input, to: broker.path), "the connection ends with its input")
        let loop = BrokerLoop(
            broker.router, limits: .init(), inbox: BrokerInbox(), log: Log(instance: "broker.1", write: { _ in }),
            now: BusTime.now)
        _ = try loop.turn(hasInput: true)
        try demand(loop.state.inconsistency == nil, loop.state.inconsistency ?? "")
    }

    private static func listen(keys: BusKeys?) throws -> (router: BrokerRouter, path: String) {
        guard let socketFolder else { throw BrokenPromise(description: "no folder for the socket") }
        let path = "\(socketFolder.path)/bus.sock"
        return (try BrokerRouter(listen: BusEndpoint("ipc://\(path)"), keys: keys), path)
    }

    /// - Returns: whether the other end has closed the connection after the end of the input.
    private static func sendAndWaitForEnd(_ input: [UInt8], to path: String) -> Bool {
        let connection = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(connection) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(connection, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isConnected else { return false }
        // It may have ended before it has read everything.
        _ = send(connection, input, input.count, Int32(MSG_NOSIGNAL))
        shutdown(connection, Int32(SHUT_WR))
        var buffer = [UInt8](repeating: 0, count: 512)
        while true {
            var polled = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, 10_000) > 0 else { return false }
            if recv(connection, &buffer, buffer.count, 0) <= 0 { return true }
        }
    }
}
