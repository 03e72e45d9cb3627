/// An outgoing message: small parts in one reused buffer, and at most one large part at the end, which is shared with
/// libzmq and not copied.
package struct ZeroMQMessageBuilder: Sendable {
    private(set) var bytes: [UInt8] = []
    /// The end of each small part in `bytes`.
    private(set) var ends: [Int] = []
    private(set) var body: ZeroMQFrame?

    package init() {
        bytes.reserveCapacity(256)
        ends.reserveCapacity(ZeroMQMessage.maximumParts)
    }

    /// Removes the content and keeps the memory.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        body = nil
    }

    /// Appends a copy of a small part.
    package mutating func append(_ part: some Sequence<UInt8>) {
        precondition(body == nil, "the shared part is the last one")
        bytes.append(contentsOf: part)
        ends.append(bytes.count)
    }

    /// Appends a small part that `write` appends to the bytes.
    package mutating func append(_ write: (inout [UInt8]) -> Void) {
        precondition(body == nil, "the shared part is the last one")
        write(&bytes)
        precondition(bytes.count >= ends.last ?? 0, "the parts before it stay as they are")
        ends.append(bytes.count)
    }

    /// Appends the last part without copying it.
    package mutating func appendBody(_ frame: ZeroMQFrame) {
        precondition(body == nil, "the shared part is the last one")
        body = frame
    }

    /// A copy of the content, for tests.
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
