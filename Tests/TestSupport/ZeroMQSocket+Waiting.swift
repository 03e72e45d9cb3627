import Glibc
package import ZeroMQ

extension ZeroMQSocket {
    /// Blocks until a message has arrived.
    package borrowing func waitForMessage() throws {
        while try !state.canReceive { try waitForSignal() }
    }

    /// Blocks until a connection accepts a message.
    package borrowing func waitForRoom() throws {
        while try !state.canSend { try waitForSignal() }
    }

    /// Reading the state consumed earlier signals, so this one is newer.
    private borrowing func waitForSignal() throws {
        var polled = pollfd(fd: try descriptor(), events: Int16(POLLIN), revents: 0)
        poll(&polled, 1, 1000)
    }
}
