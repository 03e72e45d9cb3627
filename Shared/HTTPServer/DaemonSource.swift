import EventLoop
import Synchronization

/// Runs the library and enforces the deadlines, on the thread of an event loop.
final class DaemonSource: EventSource {
    /// How often a server that stops looks whether connections still wait to be accepted. Meanwhile new clients wait for
    /// the kernel's response.
    private static let acceptingInterval = Duration.milliseconds(2)

    private let daemon: MicrohttpdDaemon
    private let driver: ConnectionDriver
    private let signal: DaemonSignal
    /// At its limits the library stops to accept. It goes on at the beginning of a run, but frees the place of a connection at
    /// the end of one: after it has closed a connection, it must run once more, and signals that by nothing.
    private var mayAcceptAgain = false
    /// When the deadlines are checked next. `nil`: no connection has one.
    private var nextCheckAt: ContinuousClock.Instant?
    let descriptors: [Int32]

    init(_ daemon: MicrohttpdDaemon, _ driver: ConnectionDriver, _ signal: DaemonSignal) {
        self.daemon = daemon
        self.driver = driver
        self.signal = signal
        descriptors = [daemon.descriptor]
    }

    func turn(hasInput: Bool) -> EventSourceState {
        let now = ContinuousClock.now
        let isRaised = signal.lower()
        var isAccepting = false
        if driver.isShuttingDown {
            isAccepting = !daemon.endAccepting()
            nextCheckAt = now
        }
        if hasInput || isRaised || driver.isShuttingDown || mayAcceptAgain || daemon.hasWork {
            daemon.run()
            mayAcceptAgain = driver.takeHasClosed()
            let next = driver.nextCheck(afterEventsAt: now)
            nextCheckAt = min(nextCheckAt ?? next, next)
        }
        if driver.isDrained(at: now) {
            driver.cancelRequests()
            daemon.stop()
            return .finished
        }
        if let time = nextCheckAt, now >= time {
            driver.closeTimedOutConnections(at: now)
            nextCheckAt = driver.nextCheck(at: now)
        }
        if mayAcceptAgain || daemon.hasWork { return .busy }
        return .waiting(until: isAccepting ? now + Self.acceptingInterval : nextCheckAt)
    }
}

/// Makes the library run: a connection was resumed, or a shutdown began. In an event loop of its user the library itself
/// signals neither.
final class DaemonSignal: Sendable {
    let loop: EventLoop
    let source: SourceSignal
    private let isRaised = Atomic(false)

    init(_ loop: EventLoop) {
        self.loop = loop
        source = loop.makeSignal()
    }

    func raise() {
        isRaised.store(true, ordering: .releasing)
        source.raise()
    }

    /// - Returns: whether it was raised since the last call.
    func lower() -> Bool {
        isRaised.exchange(false, ordering: .acquiringAndReleasing)
    }
}
