internal import CZMQ

/// One part of a message, owned. Sending it shares the bytes with libzmq instead of copying them, and it can be sent
/// more than once.
///
/// `@unchecked`: the bytes never change after `init`. Sending counts a reference inside libzmq's header, and that is
/// done by one thread only, the one that owns the socket.
package final class ZeroMQFrame: @unchecked Sendable {
    private let message: UnsafeMutablePointer<zmq_msg_t>

    /// Copies `bytes`.
    package init(_ bytes: some Collection<UInt8>) {
        message = .allocate(capacity: 1)
        // It only fails without memory, where the process cannot go on anyway.
        precondition(zmq_msg_init_size(message, bytes.count) == 0, "no memory for a frame")
        let target = UnsafeMutableRawBufferPointer(start: zmq_msg_data(message), count: bytes.count)
        target.copyBytes(from: bytes)
    }

    /// Takes the bytes of a received part and leaves it empty.
    init(moving source: UnsafeMutablePointer<zmq_msg_t>) {
        message = .allocate(capacity: 1)
        zmq_msg_init(message)  // Cannot fail.
        zmq_msg_move(message, source)  // Fails for uninitialised messages only.
    }

    deinit {
        zmq_msg_close(message)
        message.deallocate()
    }

    /// Bytes in the part.
    package var count: Int { zmq_msg_size(message) }

    /// Makes `other`, which is initialised, stand for the same bytes: a reference is counted, nothing is copied.
    func share(with other: UnsafeMutablePointer<zmq_msg_t>) {
        zmq_msg_copy(other, message)  // Fails for uninitialised messages only.
    }

    /// Reads the bytes in place. The pointer is good inside `body` only.
    package func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try body(UnsafeRawBufferPointer(start: zmq_msg_data(message), count: zmq_msg_size(message)))
    }
}

extension ZeroMQFrame: Equatable {
    package static func == (left: ZeroMQFrame, right: ZeroMQFrame) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { left.elementsEqual($0) } }
    }
}
