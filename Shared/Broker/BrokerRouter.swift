package import Bus
import Glibc
import Vocabulary
import ZeroMQ

/// The connections of the broker to its peers. Neither call waits. Used on the thread of the broker only.
package protocol BrokerRouting: AnyObject {
    /// The next message, if one has arrived.
    func receive() throws -> (Peer, BusInput)?

    /// - Returns: `full` if the peer reads too slowly to take the message, `gone` if its connection has ended.
    func send(_ message: BusMessage, to peer: Peer) throws -> BrokerSendOutcome

    /// Readable when a message may have arrived. Every use of the connections may consume this signal.
    var descriptor: Int32 { get throws }

    /// Whether messages have arrived that no descriptor signals.
    var hasUnsignaledInput: Bool { get }
}

extension BrokerRouting {
    package var hasUnsignaledInput: Bool { false }
}

/// What became of a message to a peer.
package enum BrokerSendOutcome { case sent, full, gone }

/// The ROUTER socket, which reads and writes bus messages.
final class BrokerRouter: BrokerRouting {
    private let socket: ZeroMQSocket
    private var message = ZeroMQMessage()
    private var draft = ZeroMQMessageBuilder()

    /// - Throws: `BrokerError`.
    init(listen: BusEndpoint) throws {
        try Self.requirePrivateDirectory(of: listen.path)
        var options = ZeroMQSocket.Options()
        // As many as one process can have waiting calls (`BusSettings.Limits.pendingReplies`): a burst of replies to a
        // process that reads slowly must not be lost.
        options.highWaterMark = 10_000
        let socket = try ZeroMQSocket(.router, in: ZeroMQContext(), options: options)
        do throws(ZeroMQError) {
            try socket.bind(to: listen.text)
        } catch {
            guard case .failed(_, _, let reason) = error else { throw error }
            throw BrokerError.cannotListen(endpoint: listen.text, reason: reason)
        }
        self.socket = socket
    }

    func receive() throws -> (Peer, BusInput)? {
        guard try socket.receive(into: &message) else { return nil }
        guard let number = message.withUnsafeBytes(of: 0, { ZeroMQRoutingID.number($0) }) else {
            return (Peer(0), .malformed(.customRoutingID))  // There is no peer number to record.
        }
        do throws(BusMessageError) {
            return (Peer(number), .frames(try BusMessage(&message, from: 1)))
        } catch {
            if let refusal = BusMessage.refusalOfOldRequest(message, from: 1) {
                // Not delivered without room in the connection: the caller then stops waiting at its deadline.
                _ = try send(refusal, to: Peer(number))
            }
            return (Peer(number), .malformed(error))
        }
    }

    func send(_ frames: BusMessage, to peer: Peer) throws -> BrokerSendOutcome {
        frames.write(to: &draft)
        return try send(draft, to: peer)
    }

    private func send(_ draft: borrowing ZeroMQMessageBuilder, to peer: Peer) throws -> BrokerSendOutcome {
        do throws(ZeroMQError) {
            try socket.send(draft, to: peer.number)
            return .sent
        } catch {
            switch error {
            case .wouldBlock: return .full
            case .noSuchPeer: return .gone
            case .failed: throw error
            }
        }
    }

    var descriptor: Int32 { get throws { try socket.descriptor() } }

    /// A process that can open the socket file can send any request to every service (security rule BU1).
    private static func requirePrivateDirectory(of path: String) throws(BrokerError) {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        let directory = end == path.startIndex ? "/" : String(path[..<end])
        var status = stat()
        guard stat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw .settings(.noDirectory(path: directory))
        }
        guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw .settings(.directoryNotPrivate(path: directory))
        }
    }
}
