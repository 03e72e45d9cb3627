internal import CZMQ
internal import Glibc

/// Wakes the thread that waits in `ZeroMQPoller`: an eventfd, which any thread may signal.
package final class WakeUp: Sendable {
    let descriptor: Int32

    package init() throws(ZeroMQError) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard descriptor >= 0 else {
            throw .failed(call: "eventfd", on: "", reason: String(cString: strerror(errno)))
        }
    }

    deinit {
        close(descriptor)
    }

    /// Ends the current wait, or the next one.
    package func signal() {
        var one: UInt64 = 1
        // It fails only when the counter is at its maximum; then the thread is being woken already.
        _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Resets the signals. It fails if there were none, which is fine.
    func reset() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
    }
}
