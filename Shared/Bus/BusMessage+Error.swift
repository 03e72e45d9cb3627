package import Contracts
import JSON
import ZeroMQ

extension BusMessage.Reply {
    /// The reply with an error, from a worker or from the broker.
    package init(refusing id: RequestID, _ error: WireError) {
        let envelope = ReplyEnvelope<EmptyReply>.error(id: id.description, error)
        guard let json = try? WireJSON.encode(envelope) else {
            preconditionFailure("strings and integers can always be encoded")
        }
        self.init(id: id, body: ZeroMQFrame(json))
    }
}
