package import Bus
package import EventLoop
package import ServiceRuntime
import Synchronization

/// Owns the broker's socket, on the thread of an event loop. It passes input to `BrokerState` and performs its actions.
package final class BrokerLoop: EventSource {
    /// The maximum number of messages read before the time is checked again.
    private static let batch = 1000

    private let router: any BrokerRouting
    private let now: @Sendable () -> BusTime
    private let limits: BrokerLimits
    private let inbox: BrokerInbox
    private let log: Log
    package let descriptors: [Int32]
    package private(set) var state: BrokerState
    /// Whether input may have arrived that the descriptor of the socket does not signal.
    private var mayHaveInput = true
    private var isStopping = false
    private var nextMetrics: ContinuousClock.Instant
    private let keys: BusKeys?
    /// Of the table of peers, when it was last looked at.
    private var peersRevision: Int

    /// - Parameters:
    ///   - now: the clocks of the machine.
    ///   - keys: nil without keys.
    package init(
        _ router: any BrokerRouting, limits: BrokerLimits, inbox: BrokerInbox, log: Log, keys: BusKeys? = nil,
        now: @escaping @Sendable () -> BusTime
    ) {
        self.router = router
        self.limits = limits
        self.inbox = inbox
        self.log = log
        self.now = now
        self.keys = keys
        peersRevision = keys?.revision ?? 0
        descriptors = router.descriptors
        let start = now()
        state = BrokerState(limits: limits, at: start)
        nextMetrics = start.steady
    }

    package func turn(hasInput: Bool) throws -> EventSourceState {
        // First, because a member is lost only if its message is not among those that wait.
        if hasInput || mayHaveInput || router.hasUnsignaledInput { _ = try receive(at: now()) }
        let now = now()
        if let keys, keys.revision != peersRevision {
            peersRevision = keys.revision
            try perform(state.removeUnlisted(at: now) { keys.sender(with: $0) }, at: now)
        }
        if now.steady >= state.dueAt { try perform(state.tick(at: now), at: now) }
        try serveInbox(at: now)
        if state.hasDrained {
            // Requests that arrived in the meantime are refused first: after `disconnect` a member aborts its calls.
            guard try !receive(at: now) else { return .busy }
            try perform(state.beginDisconnecting(at: now), at: now)
        }
        // Last, because a send may consume the signal of the socket's descriptor.
        let isBusy = try mayHaveInput && receive(at: now)
        if state.hasDisconnected(at: now) { return .finished }
        return isBusy || state.hasDrained ? .busy : .waiting(until: state.dueAt)
    }

    /// Performs what tasks of this process asked for, and shows them the measurements.
    private func serveInbox(at now: BusTime) throws {
        let isMeasured = now.steady >= nextMetrics
        if isMeasured { nextMetrics = now.steady + limits.heartbeatInterval }
        let metrics = isMeasured ? state.metrics : nil
        let (reports, mustStop) = inbox.content.withLock { content in
            defer { content.reports = [] }
            if let metrics { content.metrics = metrics }
            return (content.reports, content.isStopping)
        }
        for report in reports { try perform(state.publish(report, at: now), at: now) }
        if mustStop && !isStopping {
            isStopping = true
            try perform(state.beginShutdown(at: now), at: now)
        }
    }

    /// - Returns: whether more messages may be waiting.
    private func receive(at now: BusTime) throws -> Bool {
        for _ in 0..<Self.batch {
            mayHaveInput = false
            guard let input = try router.receive() else { return false }
            try perform(state.receive(input.input, from: input.peer, of: input.sender, at: now), at: now)
        }
        mayHaveInput = true
        return true
    }

    private func perform(_ actions: [BrokerState.Action], at now: BusTime) throws {
        var waiting = actions
        while !waiting.isEmpty {
            var consequences: [BrokerState.Action] = []
            for action in waiting {
                switch action {
                case .report(let diagnostic):
                    log.report(diagnostic)
                case .dispatch(let peer, let request):
                    // A worker whose connection accepts no messages is treated as lost.
                    if try send(.request(request), to: peer) != .sent {
                        consequences += state.deliveryFailed(request.id, to: peer, at: now)
                    }
                case .reply(let peer, let reply):
                    consequences += try deliver(.reply(reply), to: peer, at: now)
                case .refuse(let peer, let id, let error):
                    let reply = BusMessage.Reply(refusing: id, error)
                    consequences += try deliver(.reply(reply), to: peer, at: now)
                case .heartbeat(let peer):
                    consequences += try deliver(.heartbeat, to: peer, at: now)
                case .disconnect(let peer):
                    consequences += try deliver(.disconnect, to: peer, at: now)
                case .event(let peer, let body):
                    consequences += try deliver(.event(body), to: peer, at: now)
                case .processReport(let peer, let body):
                    consequences += try deliver(.report(body), to: peer, at: now)
                case .block(let peer, let payload, let milliseconds):
                    consequences += try deliver(.block(payload, milliseconds: milliseconds), to: peer, at: now)
                case .leaving(let peer):
                    consequences += try deliver(.leaving, to: peer, at: now)
                case .confirm(let peer):
                    consequences += try deliver(.confirmed, to: peer, at: now)
                }
            }
            waiting = consequences
        }
    }

    /// Sends a message that may be lost: its receiver detects that by its deadline or by a missing heartbeat.
    private func deliver(
        _ message: BusMessage, to peer: Peer, at now: BusTime
    ) throws -> [BrokerState.Action] {
        switch try send(message, to: peer) {
        case .sent: return []
        case .gone: return state.peerDisconnected(peer, at: now)
        case .full:
            state.countUndelivered()
            return []
        }
    }

    private func send(_ message: BusMessage, to peer: Peer) throws -> BrokerSendOutcome {
        if !peer.isInProcess { mayHaveInput = true }
        return try router.send(message, to: peer)
    }
}
