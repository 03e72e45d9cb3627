import Contracts
package import ZeroMQ

/// What is left of version 02, in which a request had eight parts: tag, command, service, request id, time left, flags,
/// digest and body.
extension BusMessage {
    private static let old: UInt8 = 2
    private static let oldRequest: UInt8 = 2
    private static let oldReply: UInt8 = 3
    private static let partsOfOldRequest = 8

    /// The reply that a peer of version 02 understands: its request is refused with a message that names both versions.
    /// - Parameter first: the number of the part with the tag.
    /// - Returns: nil if the message is no request of version 02. Other messages of that version have no reply.
    package static func refusalOfOldRequest(
        _ message: borrowing ZeroMQMessage, from first: Int
    ) -> ZeroMQMessageBuilder? {
        let oldTag = tag + [old]
        guard message.count - first == partsOfOldRequest, !message.isTruncated,
            message.withUnsafeBytes(of: first, { $0.elementsEqual(oldTag) }),
            message.withUnsafeBytes(of: first + 1, { $0.elementsEqual([oldRequest]) }),
            let id = message.withUnsafeBytes(of: first + 3, { RequestID($0) })
        else { return nil }
        let reply = Reply(refusing: id, WireError(.invalidRequest, versionMismatch(with: old)))
        var draft = ZeroMQMessageBuilder()
        draft.append(oldTag)
        draft.append([oldReply])
        draft.append { $0.append(id) }
        draft.appendBody(reply.body)
        return draft
    }
}
