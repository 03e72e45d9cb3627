/// What a process knows of one broker: whether it is there, and what to say to it next.
package struct BrokerLink: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// What the loop has to do now.
    package enum Action: Equatable, Sendable {
        case sendReady, sendHeartbeat
        /// It was live and fell silent: what was asked of it is lost.
        case disconnected
    }

    private let heartbeatInterval: Duration
    private let liveness: Duration

    /// Whether the broker knows this process and was heard lately.
    package private(set) var isConnected = false
    /// When it was last lost. Among live brokers, the one whose failure lies furthest back is preferred.
    package private(set) var failedAt: Instant?
    /// Whether it said that it is about to stop.
    package private(set) var isLeaving = false
    /// Whether there is no connection yet that could take our `ready`.
    package private(set) var awaitsConnection = false

    private var lastHeard: Instant
    private var nextSendAt: Instant

    package init(heartbeatInterval: Duration, liveness: Duration, at now: Instant) {
        self.heartbeatInterval = heartbeatInterval
        self.liveness = liveness
        lastHeard = now
        nextSendAt = now
    }

    /// Whether new requests may be sent to it.
    package var takesRequests: Bool { isConnected && !isLeaving }

    /// It said `leaving`: it answers what it was asked, and wants nothing new.
    package mutating func leaves() {
        isLeaving = isConnected
    }

    /// It sent a heartbeat: it knows this process.
    package mutating func joined(at now: Instant) {
        lastHeard = now
        guard !isConnected else { return }
        isConnected = true
        isLeaving = false
        nextSendAt = now + heartbeatInterval
    }

    /// Any other message but `disconnect` came from it. What it sent before a `disconnect` may come after it.
    package mutating func messageReceived(at now: Instant) {
        lastHeard = now
    }

    /// It said `disconnect`: it does not know us, and nothing of what we asked before.
    /// - Returns: whether something can be lost.
    package mutating func disconnectReceived(at now: Instant) -> Bool {
        guard isConnected else { return false }  // `ready` is on its way already.
        // A broker that stops takes no `ready`: the next one does, when the connection to this one is gone.
        nextSendAt = isLeaving ? now + heartbeatInterval : now
        return fail(at: now)
    }

    /// - Parameter accepted: whether a connection took our `ready`.
    package mutating func readySent(accepted: Bool, at now: Instant) {
        awaitsConnection = !accepted
        nextSendAt = now + liveness
    }

    /// What is due. Without a connection `sendReady` is always due: the loop tries whenever it wakes.
    package mutating func tick(at now: Instant) -> [Action] {
        guard isConnected else { return awaitsConnection || now >= nextSendAt ? [.sendReady] : [] }
        if now >= lastHeard + liveness {
            _ = fail(at: now)
            nextSendAt = now
            return [.disconnected, .sendReady]
        }
        guard now >= nextSendAt else { return [] }
        nextSendAt = now + heartbeatInterval
        return [.sendHeartbeat]
    }

    /// When `tick` has something to do at the latest.
    package var dueAt: Instant { isConnected ? min(nextSendAt, lastHeard + liveness) : nextSendAt }

    private mutating func fail(at now: Instant) -> Bool {
        guard isConnected else { return false }
        isConnected = false
        isLeaving = false
        failedAt = now
        return true
    }
}
