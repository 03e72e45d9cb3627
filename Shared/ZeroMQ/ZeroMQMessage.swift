internal import CZMQ

/// A received message of several parts. It is created once and filled repeatedly, so receiving allocates only the bytes
/// that libzmq must keep.
package struct ZeroMQMessage: ~Copyable {
    /// The maximum number of stored parts. Further parts of a message are read and discarded.
    package static let maximumParts = 10

    /// `maximumParts` libzmq messages, initialized during the lifetime of this value.
    private let parts: UnsafeMutablePointer<zmq_msg_t>
    /// The number of parts.
    package private(set) var count = 0
    /// Whether the message had more parts than are stored.
    package private(set) var isTruncated = false

    package init() {
        parts = .allocate(capacity: Self.maximumParts)
        for index in 0..<Self.maximumParts { zmq_msg_init(parts + index) }  // Cannot fail.
    }

    /// A message with the given content, as if it had been received.
    package init(_ content: [[UInt8]]) {
        self.init()
        for bytes in content.prefix(Self.maximumParts) {
            ZeroMQFrame(bytes).share(with: parts + count)
            count += 1
        }
        isTruncated = content.count > Self.maximumParts
    }

    deinit {
        for index in 0..<Self.maximumParts { zmq_msg_close(parts + index) }
        parts.deallocate()
    }

    /// Reads one part in place. The pointer is valid inside `body` only.
    package func withUnsafeBytes<R, E: Error>(
        of part: Int, _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        precondition(part < count, "the message has \(count) parts")
        return try body(UnsafeRawBufferPointer(start: zmq_msg_data(parts + part), count: zmq_msg_size(parts + part)))
    }

    /// A copy of one part.
    func bytes(of part: Int) -> [UInt8] { withUnsafeBytes(of: part) { Array($0) } }

    /// The key of the connection from which a received message came. Nil for a connection that no authenticator admitted.
    /// - Parameter part: any that the peer sent. The routing id of a ROUTER has no name of a user, in 4.3.4.
    package func publicKey(of part: Int) -> CurvePublicKey? {
        precondition(part < count, "the message has \(count) parts")
        guard let text = zmq_msg_gets(parts + part, "User-Id") else { return nil }
        return CurvePublicKey(String(cString: text))
    }

    /// Moves a part out without copying its bytes; it is empty afterwards.
    package mutating func take(_ part: Int) -> ZeroMQFrame {
        precondition(part < count, "the message has \(count) parts")
        return ZeroMQFrame(moving: parts + part)
    }

    /// Fills this value with the next message of a socket.
    /// - Returns: false if there is none.
    mutating func receive(from socket: UnsafeMutableRawPointer) throws(ZeroMQError) -> Bool {
        count = 0
        isTruncated = false
        while true {
            let slot = parts + min(count, Self.maximumParts - 1)
            // libzmq frees the old content of the slot.
            guard zmq_msg_recv(slot, socket, ZMQ_DONTWAIT) >= 0 else {
                let error = ZeroMQError.last("zmq_msg_recv")
                guard error == .wouldBlock else { throw error }
                // The parts of one message arrive together, so this can happen only before the first one.
                return false
            }
            if count < Self.maximumParts { count += 1 } else { isTruncated = true }
            if zmq_msg_more(slot) == 0 { return true }
        }
    }
}
