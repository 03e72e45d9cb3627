/// The state of the connection to one broker, and the next message to send to it.
///
/// The broker sends heartbeats, and this process replies to them. It sends one by itself only if the broker is silent,
/// after a short time while calls wait for replies, and after a long one otherwise.
package struct BrokerLink: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// What the loop does now.
    package enum Action: Equatable, Sendable {
        case sendReady, sendHeartbeat
        /// The broker was connected and its heartbeat timed out: calls sent to it are lost.
        case disconnected
    }

    private let limits: BusSettings.Limits

    /// Whether the broker knows this process and its last message is recent.
    package private(set) var isConnected = false
    /// When the broker was last lost. Among connected brokers, the one whose failure is longest ago is preferred.
    package private(set) var failedAt: Instant?
    /// Whether the broker has sent `leaving`.
    package private(set) var isLeaving = false
    /// Whether no connection exists yet that accepts `ready`. Never while it is connected.
    package private(set) var awaitsConnection = false

    private var lastMessageAt: Instant
    /// When the first of the calls was sent that wait for replies now. Nil if there are none.
    private var waitingSince: Instant?
    /// The first heartbeat of this process since the last message of the broker, except replies.
    private var unansweredSince: Instant?
    /// When `ready` is due without a connection, and the next heartbeat of this process after an unanswered one.
    private var nextSendAt: Instant
    /// Whether the connection accepted no message when it was last checked.
    private var isInterrupted = false

    package init(_ limits: BusSettings.Limits, at now: Instant) {
        self.limits = limits
        lastMessageAt = now
        nextSendAt = now
    }

    /// Whether new requests may be sent to this broker.
    package var takesRequests: Bool { isConnected && !isLeaving }

    /// The broker sent `leaving`: it still replies to earlier requests and accepts no new ones.
    package mutating func leaves() {
        isLeaving = isConnected
    }

    /// The broker sent a heartbeat: it knows this process. The reply is a heartbeat.
    package mutating func joined(at now: Instant) {
        messageReceived(at: now)
        guard !isConnected else { return }
        isConnected = true
        // The reply may be that to an earlier `ready` than the one that no connection accepted.
        awaitsConnection = false
        isLeaving = false
        isInterrupted = false
    }

    /// The broker sent any message except `disconnect`. It may have sent that message before a `disconnect`.
    package mutating func messageReceived(at now: Instant) {
        lastMessageAt = now
        unansweredSince = nil
    }

    /// Called after input, which may be the end or the beginning of a connection.
    /// - Parameter accepts: whether the connection accepts messages.
    /// - Returns: whether to send a heartbeat now. The process behind a new connection may be another broker, which
    ///   replies with `disconnect`.
    package mutating func connectionChecked(accepts: Bool, at now: Instant) -> Bool {
        defer { isInterrupted = isConnected && !accepts }
        guard isConnected, isInterrupted, accepts else { return false }
        heartbeatSent(at: now)
        return true
    }

    /// The broker sent `disconnect`: it knows neither this process nor its earlier requests.
    /// - Returns: whether requests can be lost.
    package mutating func disconnectReceived(at now: Instant) -> Bool {
        guard isConnected else { return false }  // `ready` has been sent already.
        // A stopping broker accepts no `ready`. The next broker accepts it once the connection to this one is closed.
        nextSendAt = isLeaving ? now + limits.heartbeatInterval : now
        return fail(at: now)
    }

    /// - Parameter accepted: whether a connection accepted `ready`.
    package mutating func readySent(accepted: Bool, at now: Instant) {
        awaitsConnection = !accepted
        nextSendAt = now + limits.heartbeatTimeout
    }

    /// The actions that are due. Without a connection `sendReady` is always due: the loop tries each time it wakes.
    /// - Parameter isWaiting: whether calls of this process wait for replies.
    package mutating func tick(isWaiting: Bool, at now: Instant) -> [Action] {
        waitingSince = isWaiting ? waitingSince ?? now : nil
        guard isConnected else { return awaitsConnection || now >= nextSendAt ? [.sendReady] : [] }
        if let lossAt, now >= lossAt {
            _ = fail(at: now)
            nextSendAt = now
            return [.disconnected, .sendReady]
        }
        guard now >= nextHeartbeatAt else { return [] }
        heartbeatSent(at: now)
        return [.sendHeartbeat]
    }

    /// The latest time at which `tick` must be called again.
    package var dueAt: Instant {
        guard isConnected else { return nextSendAt }
        return lossAt.map { min($0, nextHeartbeatAt) } ?? nextHeartbeatAt
    }

    private var silentSince: Instant { waitingSince.map { max($0, lastMessageAt) } ?? lastMessageAt }

    private var nextHeartbeatAt: Instant {
        if unansweredSince != nil { return nextSendAt }
        return silentSince + (waitingSince == nil ? limits.idleHeartbeatInterval : limits.heartbeatInterval)
    }

    /// When the broker is lost if it sends nothing until then; nil before a heartbeat to it.
    private var lossAt: Instant? {
        unansweredSince.map { max(silentSince + limits.heartbeatTimeout, $0 + limits.answerTimeout) }
    }

    private mutating func heartbeatSent(at now: Instant) {
        unansweredSince = unansweredSince ?? now
        nextSendAt = now + limits.heartbeatInterval
    }

    private mutating func fail(at now: Instant) -> Bool {
        guard isConnected else { return false }
        isConnected = false
        isLeaving = false
        unansweredSince = nil
        failedAt = now
        return true
    }
}
