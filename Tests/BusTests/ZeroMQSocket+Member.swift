import Bus
import TestSupport
import ZeroMQ

extension ZeroMQSocket {
    /// Waits for the first process that joins, and accepts it, as a broker does.
    /// - Returns: its number at this router socket.
    borrowing func acceptMember() throws -> UInt32 {
        var message = ZeroMQMessage()
        while try !receive(into: &message) { try waitForMessage() }
        guard let peer = message.withUnsafeBytes(of: 0, { ZeroMQRoutingID.number($0) }) else {
            throw BusMessageError.customRoutingID
        }
        var draft = ZeroMQMessageBuilder()
        BusMessage.heartbeat.write(to: &draft)
        try send(draft, to: peer)
        return peer
    }
}
