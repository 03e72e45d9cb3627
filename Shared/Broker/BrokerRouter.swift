package import Bus
import Glibc
import Vocabulary
import ZeroMQ

/// The connections of the broker to its peers. Neither call waits. Used on the thread of the broker only.
package protocol BrokerRouting: AnyObject {
    /// The next message, if one has arrived.
    func receive() throws -> BrokerInput?

    /// - Returns: `full` if the peer reads too slowly to take the message, `gone` if its connection has ended.
    func send(_ message: BusMessage, to peer: Peer) throws -> BrokerSendOutcome

    /// Readable when a message may have arrived. Every use of the connections may consume this signal.
    var descriptors: [Int32] { get }

    /// Whether messages have arrived that no descriptor signals.
    var hasUnsignaledInput: Bool { get }
}

extension BrokerRouting {
    package var hasUnsignaledInput: Bool { false }
}

/// A message with the connection over which it came, and with the process behind it.
package struct BrokerInput: Sendable {
    package var peer: Peer
    package var sender: BusSender
    package var input: BusInput

    package init(from peer: Peer, _ sender: BusSender = .process, _ input: BusInput) {
        self.peer = peer
        self.sender = sender
        self.input = input
    }
}

/// What became of a message to a peer.
package enum BrokerSendOutcome { case sent, full, gone }

/// The ROUTER socket, which reads and writes bus messages.
final class BrokerRouter: BrokerRouting {
    private let socket: ZeroMQSocket
    private let keys: BusKeys?
    /// Admits the peers of the table; nil without keys.
    private var authenticator: ZeroMQAuthenticator?
    private var message = ZeroMQMessage()
    private var draft = ZeroMQMessageBuilder()
    let descriptors: [Int32]
    /// Where it listens, with the port that the kernel chose.
    let endpoint: String

    /// - Parameter keys: nil without keys.
    /// - Throws: `BrokerError`.
    init(listen: BusEndpoint, keys: BusKeys?) throws {
        if let path = listen.path { try Self.requireClosedDirectory(of: path, isOpenToGroup: keys != nil) }
        self.keys = keys
        let context = try ZeroMQContext()
        let authenticatorDescriptors: [Int32]
        var options = ZeroMQSocket.Options()
        // As many as one process can have waiting calls (`BusSettings.Limits.pendingReplies`): a burst of replies to a
        // process that reads slowly must not be lost.
        options.highWaterMark = 10_000
        if let keys {
            options.protection = .server(keys.own)
            // Before the socket: without it libzmq would not ask who may connect.
            let authenticator = try ZeroMQAuthenticator(in: context)
            authenticatorDescriptors = [try authenticator.descriptor()]
            self.authenticator = consume authenticator
        } else {
            authenticator = nil
            authenticatorDescriptors = []
        }
        let socket = try ZeroMQSocket(.router, in: context, options: options)
        do throws(ZeroMQError) {
            try socket.bind(to: listen.text)
        } catch {
            guard case .failed(_, _, let reason) = error else { throw error }
            throw BrokerError.cannotListen(endpoint: listen.text, reason: reason)
        }
        endpoint = try socket.boundEndpoint()
        descriptors = [try socket.descriptor()] + authenticatorDescriptors
        self.socket = socket
    }

    func receive() throws -> BrokerInput? {
        try admitPeers()
        guard try socket.receive(into: &message) else { return nil }
        // The routing id is no part of the peer, and has no key.
        let sender = keys.map { $0.sender(with: message.count > 1 ? message.publicKey(of: 1) : nil) } ?? .process
        guard let number = message.withUnsafeBytes(of: 0, { ZeroMQRoutingID.number($0) }) else {
            // There is no peer number to record.
            return .init(from: Peer(0), sender, .malformed(.customRoutingID))
        }
        do throws(BusMessageError) {
            return .init(from: Peer(number), sender, .frames(try BusMessage(&message, from: 1)))
        } catch {
            if let refusal = BusMessage.refusalOfOldRequest(message, from: 1) {
                // Not delivered without room in the connection: the caller then stops waiting at its deadline.
                _ = try send(refusal, to: Peer(number))
            }
            return .init(from: Peer(number), sender, .malformed(error))
        }
    }

    /// Answers who may connect, from the table as it is now.
    private func admitPeers() throws(ZeroMQError) {
        guard let keys else { return }
        try authenticator?.answer { keys.table.peer(with: $0) != nil }
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

    /// Without keys a process that can open the socket file can send any request to every service. With them a group may open
    /// it, whose processes run as users of their own: each joins with a key only (security rule BU1).
    private static func requireClosedDirectory(of path: String, isOpenToGroup: Bool) throws(BrokerError) {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        let directory = end == path.startIndex ? "/" : String(path[..<end])
        var status = stat()
        guard stat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw .settings(.noDirectory(path: directory))
        }
        let forbidden: mode_t = isOpenToGroup ? 0o027 : 0o077
        guard status.st_uid == geteuid(), status.st_mode & forbidden == 0 else {
            throw .settings(
                isOpenToGroup ? .directoryNotOfGroup(path: directory) : .directoryNotPrivate(path: directory))
        }
    }
}
