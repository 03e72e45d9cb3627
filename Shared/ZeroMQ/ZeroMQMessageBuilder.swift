/// A message on its way out: small parts, side by side in one reused buffer, and at most one large part at the end,
/// which is shared with libzmq and not copied.
package struct ZeroMQMessageBuilder: Sendable {
    private(set) var bytes: [UInt8] = []
    /// Where each small part ends in `bytes`.
    private(set) var ends: [Int] = []
    private(set) var body: ZeroMQFrame?

    package init() {
        bytes.reserveCapacity(256)
        ends.reserveCapacity(ZeroMQMessage.maximumParts)
    }

    /// Forgets the content and keeps the memory.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        body = nil
    }

    /// Adds a small part, copied.
    package mutating func append(_ part: some Sequence<UInt8>) {
        precondition(body == nil, "the shared part is the last one")
        bytes.append(contentsOf: part)
        ends.append(bytes.count)
    }

    /// Ends the message with a part that is not copied.
    package mutating func appendBody(_ frame: ZeroMQFrame) {
        precondition(body == nil, "the shared part is the last one")
        body = frame
    }

    /// The content, copied: for tests.
    package var parts: [[UInt8]] {
        var start = 0
        var parts = ends.map { end in
            defer { start = end }
            return Array(bytes[start..<end])
        }
        if let body { parts.append(body.withUnsafeBytes { Array($0) }) }
        return parts
    }
}
