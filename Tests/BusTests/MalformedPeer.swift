import Bus
import TestSupport
import ZeroMQ

/// A peer that sends malformed messages.
final class MalformedPeer {
    private let socket: ZeroMQSocket

    init(_ endpoint: String) throws {
        let socket = try ZeroMQSocket(.dealer, in: ZeroMQContext())
        try socket.connect(to: endpoint)
        self.socket = socket
    }

    func send(_ parts: [[UInt8]]) throws {
        var draft = ZeroMQMessageBuilder()
        for part in parts { draft.append(part) }
        while try !isTaken(draft) { try socket.waitForRoom() }
    }

    func receive() throws -> BusMessage {
        var message = ZeroMQMessage()
        while try !socket.receive(into: &message) { try socket.waitForMessage() }
        return try BusMessage(&message, from: 0)
    }

    private func isTaken(_ draft: ZeroMQMessageBuilder) throws -> Bool {
        do throws(ZeroMQError) {
            try socket.send(draft)
            return true
        } catch {
            guard error == .wouldBlock else { throw error }
            return false
        }
    }

    /// Noise, other protocols, other versions, too many parts, and finally a part that is too long.
    static var messages: [[[UInt8]]] {
        let tag = Array("LKBUS".utf8)
        var random = SeededRandom(seed: 1)
        var messages: [[[UInt8]]] = [
            [[]], [tag], [tag + [3]], [tag + [2], [4]], [tag + [3, 13, 0]], [Array("MDPC01".utf8), [1]],
            Array(repeating: tag + [3, 4, 0], count: 200), [tag + [3, 2, 0], []], [tag + [3, 4, 0, 0]],
        ]
        for _ in 0..<50 {
            messages.append((0..<Int.random(in: 1...8, using: &random)).map { _ in random.bytes(7) })
        }
        return messages + [[[UInt8](repeating: 0, count: 2 << 20)]]
    }
}
