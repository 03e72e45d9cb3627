/// What an `EventLoop` serves: the owner of sockets. Not `Sendable`: the loop creates and uses it on its thread.
package protocol EventSource: AnyObject {
    /// One of them is readable when input has arrived. They stay the same and open as long as the source is served.
    var descriptors: [Int32] { get }

    /// Performs what is due, for a bounded time.
    /// - Parameter hasInput: whether one of the descriptors is readable.
    /// - Throws: the loop then no longer serves the source.
    func turn(hasInput: Bool) throws -> EventSourceState
}

/// What an `EventSource` does after a turn.
package enum EventSourceState: Equatable, Sendable {
    /// It needs another turn at once.
    case busy
    /// It needs a turn when it has input, when its signal was raised, and at this time.
    case waiting(until: ContinuousClock.Instant?)
    /// The loop no longer serves it.
    case finished
}
