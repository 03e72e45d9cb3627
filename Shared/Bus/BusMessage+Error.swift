package import Contracts
internal import JSON
internal import ZeroMQ

extension BusMessage.Reply {
    /// The answer to a request that is refused, by its worker or by the broker.
    package init(refusing id: RequestID, _ error: WireError) {
        let envelope = ReplyEnvelope<EmptyReply>.error(id: id.description, error)
        guard let json = try? WireJSON.encode(envelope) else {
            preconditionFailure("strings and integers can always be encoded")
        }
        self.init(id: id, body: ZeroMQFrame(json))
    }
}
