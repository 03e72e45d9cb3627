internal import CZMQ

/// A received message of several parts. Made once and filled again and again, so that receiving allocates nothing but
/// the bytes libzmq has to keep.
package struct ZeroMQMessage: ~Copyable {
    /// Parts that are kept. Of a longer message the rest is read and thrown away.
    package static let maximumParts = 10

    /// `maximumParts` libzmq messages, each initialised for as long as this value lives.
    private let parts: UnsafeMutablePointer<zmq_msg_t>
    /// How many parts the message has.
    package private(set) var count = 0
    /// Whether the message had more parts than are kept.
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

    /// Reads one part in place. The pointer is good inside `body` only.
    package func withUnsafeBytes<R, E: Error>(
        of part: Int, _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        precondition(part < count, "the message has \(count) parts")
        return try body(UnsafeRawBufferPointer(start: zmq_msg_data(parts + part), count: zmq_msg_size(parts + part)))
    }

    /// Takes a part out without copying its bytes; it is empty from then on.
    package mutating func take(_ part: Int) -> ZeroMQFrame {
        precondition(part < count, "the message has \(count) parts")
        return ZeroMQFrame(moving: parts + part)
    }

    /// Fills this value with the next message of a socket.
    /// - Returns: false if none is waiting.
    mutating func receive(from socket: UnsafeMutableRawPointer) throws(ZeroMQError) -> Bool {
        count = 0
        isTruncated = false
        while true {
            let slot = parts + min(count, Self.maximumParts - 1)
            // The old content of the slot is freed by libzmq.
            guard zmq_msg_recv(slot, socket, ZMQ_DONTWAIT) >= 0 else {
                let error = ZeroMQError.last("zmq_msg_recv")
                guard error == .wouldBlock else { throw error }
                // The parts of one message arrive together, so this is the moment before the first one.
                return false
            }
            if count < Self.maximumParts { count += 1 } else { isTruncated = true }
            if zmq_msg_more(slot) == 0 { return true }
        }
    }
}
