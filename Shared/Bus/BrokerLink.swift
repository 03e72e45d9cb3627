/// The state of the connection to one broker, and the next message to send to it.
package struct BrokerLink: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// What the loop does now.
    package enum Action: Equatable, Sendable {
        case sendReady, sendHeartbeat
        /// The broker was connected and its heartbeat timed out: calls sent to it are lost.
        case disconnected
    }

    private let heartbeatInterval: Duration
    private let heartbeatTimeout: Duration

    /// Whether the broker knows this process and its last message is recent.
    package private(set) var isConnected = false
    /// When the broker was last lost. Among connected brokers, the one whose failure is longest ago is preferred.
    package private(set) var failedAt: Instant?
    /// Whether the broker has sent `leaving`.
    package private(set) var isLeaving = false
    /// Whether no connection exists yet that accepts `ready`.
    package private(set) var awaitsConnection = false

    private var lastMessageAt: Instant
    private var nextSendAt: Instant

    package init(heartbeatInterval: Duration, heartbeatTimeout: Duration, at now: Instant) {
        self.heartbeatInterval = heartbeatInterval
        self.heartbeatTimeout = heartbeatTimeout
        lastMessageAt = now
        nextSendAt = now
    }

    /// Whether new requests may be sent to this broker.
    package var takesRequests: Bool { isConnected && !isLeaving }

    /// The broker sent `leaving`: it still replies to earlier requests and accepts no new ones.
    package mutating func leaves() {
        isLeaving = isConnected
    }

    /// The broker sent a heartbeat: it knows this process.
    package mutating func joined(at now: Instant) {
        lastMessageAt = now
        guard !isConnected else { return }
        isConnected = true
        isLeaving = false
        nextSendAt = now + heartbeatInterval
    }

    /// The broker sent any message except `disconnect`. It may have sent that message before a `disconnect`.
    package mutating func messageReceived(at now: Instant) {
        lastMessageAt = now
    }

    /// The broker sent `disconnect`: it knows neither this process nor its earlier requests.
    /// - Returns: whether requests can be lost.
    package mutating func disconnectReceived(at now: Instant) -> Bool {
        guard isConnected else { return false }  // `ready` has been sent already.
        // A stopping broker accepts no `ready`. The next broker accepts it once the connection to this one is closed.
        nextSendAt = isLeaving ? now + heartbeatInterval : now
        return fail(at: now)
    }

    /// - Parameter accepted: whether a connection accepted `ready`.
    package mutating func readySent(accepted: Bool, at now: Instant) {
        awaitsConnection = !accepted
        nextSendAt = now + heartbeatTimeout
    }

    /// The actions that are due. Without a connection `sendReady` is always due: the loop tries each time it wakes.
    package mutating func tick(at now: Instant) -> [Action] {
        guard isConnected else { return awaitsConnection || now >= nextSendAt ? [.sendReady] : [] }
        if now >= lastMessageAt + heartbeatTimeout {
            _ = fail(at: now)
            nextSendAt = now
            return [.disconnected, .sendReady]
        }
        guard now >= nextSendAt else { return [] }
        nextSendAt = now + heartbeatInterval
        return [.sendHeartbeat]
    }

    /// The latest time at which `tick` must be called again.
    package var dueAt: Instant { isConnected ? min(nextSendAt, lastMessageAt + heartbeatTimeout) : nextSendAt }

    private mutating func fail(at now: Instant) -> Bool {
        guard isConnected else { return false }
        isConnected = false
        isLeaving = false
        failedAt = now
        return true
    }
}
