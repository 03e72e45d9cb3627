internal import CZMQ

/// The I/O thread and the shared state of a process's sockets. Each socket keeps it alive.
///
/// `@unchecked`: a context is the one libzmq object that any thread may use at any time (zmq(7), "Thread safety").
package final class ZeroMQContext: @unchecked Sendable {
    let handle: UnsafeMutableRawPointer

    /// - Parameter maximumSockets: connections of a bound socket do not count, so a process needs few.
    package init(maximumSockets: Int32 = 64) throws(ZeroMQError) {
        guard let handle = zmq_ctx_new() else { throw .last("zmq_ctx_new") }
        self.handle = handle
        guard zmq_ctx_set(handle, ZMQ_MAX_SOCKETS, maximumSockets) == 0 else { throw .last("zmq_ctx_set") }
    }

    /// Waits for unsent messages, at most for the sockets' linger time. The sockets are closed by then, because each of
    /// them holds a reference, so this runs on a thread that may wait.
    deinit {
        // After an interruption by a signal it must be called again; every other result ends the context.
        while zmq_ctx_term(handle) != 0 && zmq_errno() == EINTR {}
    }
}
