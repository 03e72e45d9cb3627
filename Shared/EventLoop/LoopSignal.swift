internal import CEventFD
import Glibc
import Synchronization

/// Ends the wait of a loop. It costs a system call only while the loop waits.
final class LoopSignal: Sendable {
    private static let running: UInt8 = 0
    private static let waiting: UInt8 = 1
    private static let notified: UInt8 = 2

    /// Readable after a signal during a wait.
    let descriptor: Int32
    private let state = Atomic<UInt8>(LoopSignal.running)

    init() throws(EventLoopError) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard descriptor >= 0 else { throw EventLoopError(number: errno) }
    }

    deinit {
        close(descriptor)
    }

    /// Ends the current wait, or prevents the next one. Call it after the change that the loop must see.
    func notify() {
        guard state.exchange(Self.notified, ordering: .sequentiallyConsistent) == Self.waiting else { return }
        var one: UInt64 = 1
        // It fails only when the counter is at its maximum, and then the descriptor is readable.
        _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Called by the loop before it looks for changes: those that it does not find notify it again.
    func beginTurn() {
        state.store(Self.running, ordering: .sequentiallyConsistent)
    }

    /// Called by the loop after it has looked for changes.
    /// - Returns: whether it may wait, because nothing has changed since `beginTurn`.
    func beginWait() -> Bool {
        state.compareExchange(
            expected: Self.running, desired: Self.waiting, ordering: .sequentiallyConsistent
        ).exchanged
    }

    /// Called by the loop when the descriptor is readable.
    func reset() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
    }
}

/// The system refused a descriptor for an event loop.
package struct EventLoopError: Error, Equatable, Sendable {
    /// The value of `errno`.
    package let number: Int32
}
