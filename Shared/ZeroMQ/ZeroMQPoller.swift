internal import CZMQ

/// Waits on sockets and on one `WakeUp`. It belongs to the thread that owns the sockets, and they must outlive it.
package struct ZeroMQPoller: ~Copyable {
    private let wakeUp: WakeUp
    private var items: [zmq_pollitem_t] = []

    package init(wakeUp: WakeUp) {
        self.wakeUp = wakeUp
        var item = zmq_pollitem_t()
        item.fd = wakeUp.descriptor
        item.events = Int16(ZMQ_POLLIN)
        items.append(item)
    }

    /// - Returns: the index of the socket in this poller.
    package mutating func add(_ socket: borrowing ZeroMQSocket) -> Int {
        var item = zmq_pollitem_t()
        item.socket = socket.pollHandle
        item.events = Int16(ZMQ_POLLIN)
        items.append(item)
        return items.count - 1
    }

    /// Sets whether the wait also ends when the socket can send.
    package mutating func setWaitsForRoom(_ waits: Bool, on socket: Int) {
        items[socket].events = Int16(waits ? ZMQ_POLLIN | ZMQ_POLLOUT : ZMQ_POLLIN)
    }

    /// Returns when a socket is ready, on a signal, when the time has passed, or after a Unix signal.
    package mutating func wait(milliseconds: Int) throws(ZeroMQError) {
        guard zmq_poll(&items, Int32(items.count), milliseconds) >= 0 else {
            guard zmq_errno() == EINTR else { throw .last("zmq_poll") }
            return
        }
        if let first = items.first, first.revents != 0 { wakeUp.reset() }
    }
}
