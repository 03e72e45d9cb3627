internal import CZMQ

/// One part of a message, owned. Sending it shares the bytes with libzmq instead of copying them, and it can be sent
/// more than once.
///
/// `@unchecked`: the bytes never change after `init`. Sending changes a reference count in libzmq's header, which only
/// the thread that owns the socket does.
package final class ZeroMQFrame: @unchecked Sendable {
    private let message: UnsafeMutablePointer<zmq_msg_t>

    /// Copies `bytes`.
    package init(_ bytes: some Collection<UInt8>) {
        message = .allocate(capacity: 1)
        // It fails only without memory, where the process cannot continue anyway.
        precondition(zmq_msg_init_size(message, bytes.count) == 0, "no memory for a frame")
        let target = UnsafeMutableRawBufferPointer(start: zmq_msg_data(message), count: bytes.count)
        target.copyBytes(from: bytes)
    }

    /// Moves the bytes out of a received part and leaves it empty.
    init(moving source: UnsafeMutablePointer<zmq_msg_t>) {
        message = .allocate(capacity: 1)
        zmq_msg_init(message)  // Cannot fail.
        zmq_msg_move(message, source)  // Fails only for uninitialized messages.
    }

    deinit {
        zmq_msg_close(message)
        message.deallocate()
    }

    /// Bytes in the part.
    package var count: Int { zmq_msg_size(message) }

    /// Makes the initialized message `other` share the same bytes: it increments a reference count and copies nothing.
    func share(with other: UnsafeMutablePointer<zmq_msg_t>) {
        zmq_msg_copy(other, message)  // Fails only for uninitialized messages.
    }

    /// Reads the bytes in place. The pointer is valid inside `body` only.
    package func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try body(UnsafeRawBufferPointer(start: zmq_msg_data(message), count: zmq_msg_size(message)))
    }
}

extension ZeroMQFrame: Equatable {
    package static func == (left: ZeroMQFrame, right: ZeroMQFrame) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { left.elementsEqual($0) } }
    }
}
