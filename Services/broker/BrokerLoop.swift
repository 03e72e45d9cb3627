internal import Blocking
package import Bus
package import Contracts
internal import FoundationEssentials
internal import JSON
package import ServiceRuntime
internal import Synchronization
internal import ZeroMQ

/// The thread that owns the broker's socket. It passes input to `BrokerState` and performs its actions.
package final class BrokerLoop: ProcessComponent {
    /// The maximum number of messages read before the time is checked again.
    private static let batch = 1000

    private struct SharedState: Sendable {
        var reports: [ZeroMQFrame] = []
        var isStopping = false
        var metrics: [ProcessReport.Metric] = []
    }

    private let listen: BusEndpoint
    private let limits: BrokerLimits
    private let log: Log
    private let wakeUp: WakeUp
    private let outside = Mutex(SharedState())

    /// - Throws: `ZeroMQError` when the process has no free file descriptor.
    package init(listen: BusEndpoint, limits: BrokerLimits = .init(), log: Log) throws {
        self.listen = listen
        self.limits = limits
        self.log = log
        wakeUp = try WakeUp()
    }

    /// Listens and serves until `beginShutdown` and the reply to the last running request. Call it once.
    /// - Throws: `BrokerError` when it cannot listen.
    package func run() async throws {
        let thread = BlockingPool(label: "broker", threads: 1, maximumWaiting: 0)
        defer { thread.shutDown() }
        try await thread.run { [self] in try serve() }
    }

    /// Announces the shutdown to the members, which use another broker. Accepted requests still get their replies.
    package func beginShutdown() async {
        outside.withLock { $0.isStopping = true }
        wakeUp.signal()
    }

    /// Publishes the report of this process to the members that watch reports.
    package func publish(_ report: ProcessReport) {
        // Strings and numbers can be encoded; a NaN among the measurements loses one report.
        guard let json = try? WireJSON.encode(report) else { return }
        outside.withLock { $0.reports.append(ZeroMQFrame(json)) }
        wakeUp.signal()
    }

    /// The broker's own measurements, at most a second old.
    package var metrics: [ProcessReport.Metric] { outside.withLock { $0.metrics } }

    // MARK: On the thread

    private func serve() throws {
        let router = try BrokerRouter(listen: listen, wakeUp: wakeUp)
        log.info("broker.listening", ["endpoint": .public(listen.text)])
        var state = BrokerState(limits: limits, at: .now())
        var isStopping = false
        var nextMetrics = ContinuousClock.now
        while true {
            var now = BusTime.now()
            for _ in 0..<Self.batch {
                guard let (peer, input) = try router.receive() else { break }
                try perform(state.receive(input, from: peer, at: now), on: router, &state, at: now)
            }
            now = .now()
            if now.steady >= state.dueAt {
                try perform(state.tick(at: now), on: router, &state, at: now)
            }

            let (reports, mustStop) = outside.withLock { outside in
                defer { outside.reports = [] }
                return (outside.reports, outside.isStopping)
            }
            for report in reports { try perform(state.publish(report, at: now), on: router, &state, at: now) }
            if mustStop && !isStopping {
                isStopping = true
                try perform(state.beginShutdown(at: now), on: router, &state, at: now)
            }
            if state.hasDrained {
                // Requests that arrived in the meantime are refused first: after `disconnect` a member aborts its
                // calls.
                try receiveAll(from: router, &state, at: now)
                try perform(state.beginDisconnecting(at: now), on: router, &state, at: now)
            }
            if state.hasDisconnected(at: now) { return }
            if now.steady >= nextMetrics {
                nextMetrics = now.steady + limits.heartbeatInterval
                let metrics = state.metrics
                outside.withLock { $0.metrics = metrics }
            }
            try router.wait(until: state.dueAt)
        }
    }

    private func receiveAll(from router: BrokerRouter, _ state: inout BrokerState, at now: BusTime) throws {
        while let (peer, input) = try router.receive() {
            try perform(state.receive(input, from: peer, at: now), on: router, &state, at: now)
        }
    }

    private func perform(
        _ actions: [BrokerState.Action], on router: BrokerRouter, _ state: inout BrokerState, at now: BusTime
    ) throws {
        var waiting = actions
        while !waiting.isEmpty {
            var consequences: [BrokerState.Action] = []
            for action in waiting {
                switch action {
                case .report(let diagnostic):
                    log.report(diagnostic)
                case .dispatch(let peer, let request):
                    // A worker whose connection accepts no messages is treated as lost.
                    if try router.send(.request(request), to: peer) != .sent {
                        consequences += state.deliveryFailed(request.id, to: peer, at: now)
                    }
                case .reply(let peer, let reply):
                    consequences += try deliver(.reply(reply), to: peer, over: router, &state, at: now)
                case .refuse(let peer, let id, let error):
                    let reply = BusMessage.Reply(refusing: id, error)
                    consequences += try deliver(.reply(reply), to: peer, over: router, &state, at: now)
                case .heartbeat(let peer):
                    consequences += try deliver(.heartbeat, to: peer, over: router, &state, at: now)
                case .disconnect(let peer):
                    consequences += try deliver(.disconnect, to: peer, over: router, &state, at: now)
                case .event(let peer, let body):
                    consequences += try deliver(.event(body), to: peer, over: router, &state, at: now)
                case .processReport(let peer, let body):
                    consequences += try deliver(.report(body), to: peer, over: router, &state, at: now)
                case .block(let peer, let payload, let milliseconds):
                    consequences += try deliver(
                        .block(payload, milliseconds: milliseconds), to: peer, over: router, &state, at: now)
                case .leaving(let peer):
                    consequences += try deliver(.leaving, to: peer, over: router, &state, at: now)
                case .confirm(let peer):
                    consequences += try deliver(.confirmed, to: peer, over: router, &state, at: now)
                }
            }
            waiting = consequences
        }
    }

    /// Sends a message that may be lost: its receiver detects that by its deadline or by a missing heartbeat.
    private func deliver(
        _ frames: BusMessage, to peer: Peer, over router: BrokerRouter, _ state: inout BrokerState, at now: BusTime
    ) throws -> [BrokerState.Action] {
        switch try router.send(frames, to: peer) {
        case .sent: return []
        case .gone: return state.peerDisconnected(peer, at: now)
        case .full:
            state.countUndelivered()
            return []
        }
    }
}

/// The broker cannot listen.
package enum BrokerError: ExitError, Equatable {
    case settings(BusSettingsError)
    /// Another process uses the address, or libzmq gives another reason.
    case cannotListen(endpoint: String, reason: String)

    package var exitCode: Int32 { ExitCode.failure }

    package var messages: [String] {
        switch self {
        case .settings(let error): ["The broker cannot listen: \(error)."]
        case .cannotListen(let endpoint, let reason): ["The broker cannot listen on \(endpoint): \(reason)."]
        }
    }
}
