/// Every open connection, by its socket, and the counters of limits and statistics. Decides; `ConnectionDriver`, which
/// owns sockets and the library, obeys.
struct ConnectionTable: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// How far a shutdown has come.
    private enum Shutdown {
        case notAsked
        /// Running requests may finish until then.
        case draining(until: Instant)
        /// Nothing may begin: the library is about to end.
        case abandoned
    }

    private struct Connection {
        let network: IPAddress
        var phase = ConnectionDeadlines.Phase.head
        var since: Instant
        /// Told to close; what it still sends is not answered.
        var isCondemned = false
        /// What the current request is, once known.
        var head: RequestHead?
        /// The current request while its handler runs.
        var running: Exchange?
    }

    private var connections: [Int32: Connection] = [:]
    private var connectionsPerNetwork: [IPAddress: Int] = [:]
    private var shutdown = Shutdown.notAsked
    private(set) var statistics = HTTPServerStatistics()

    // MARK: Connections

    /// Whether one more connection from there is accepted.
    mutating func admits(_ address: IPAddress, limit: Int?) -> Bool {
        guard let limit, connectionsPerNetwork[address.network, default: 0] >= limit else { return true }
        statistics.connectionsRefused += 1
        return false
    }

    mutating func countRefusedConnection() {
        statistics.connectionsRefused += 1
    }

    mutating func open(_ socket: Int32, from address: IPAddress, at now: Instant) {
        connections[socket] = Connection(network: address.network, since: now)
        connectionsPerNetwork[address.network, default: 0] += 1
        statistics.connectionsOpen = connections.count
    }

    mutating func close(_ socket: Int32) {
        guard let connection = connections.removeValue(forKey: socket) else { return }
        statistics.connectionsOpen = connections.count
        let others = connectionsPerNetwork[connection.network, default: 1] - 1
        // Networks without connections are forgotten, or their number would have no bound.
        connectionsPerNetwork[connection.network] = others > 0 ? others : nil
    }

    // MARK: Phases

    mutating func enter(_ phase: ConnectionDeadlines.Phase, _ socket: Int32, head: RequestHead? = nil, at now: Instant)
    {
        // A new connection is timed from its first moment; its first request line is no new beginning.
        guard var connection = connections[socket], phase != connection.phase else { return }
        connection.phase = phase
        connection.since = now
        connection.head = head
        connection.running = nil
        connections[socket] = connection
    }

    /// What is late, now condemned. Each connection is told once.
    mutating func condemnLate(
        at now: Instant, _ deadlines: ConnectionDeadlines
    ) -> [(socket: Int32, verdict: ConnectionDeadlines.Verdict, head: RequestHead?)] {
        var late: [(socket: Int32, verdict: ConnectionDeadlines.Verdict, head: RequestHead?)] = []
        for (socket, connection) in connections where !connection.isCondemned {
            guard let verdict = deadlines.verdict(in: connection.phase, for: now - connection.since) else { continue }
            late.append((socket, verdict, connection.head))
        }
        for (socket, _, _) in late { connections[socket]?.isCondemned = true }
        return late
    }

    /// Whether the socket still belongs to a connection that was condemned, and not to a later one of the same number.
    func isCondemned(_ socket: Int32) -> Bool {
        connections[socket]?.isCondemned ?? false
    }

    // MARK: Requests

    enum Admission {
        case admitted
        case overloaded
        /// The connection is condemned or the server ends: no answer.
        case hangUp
    }

    /// Whether a whole request may start.
    mutating func admit(_ exchange: Exchange, on socket: Int32, limit: Int, at now: Instant) -> Admission {
        statistics.requests += 1
        if case .abandoned = shutdown { return .hangUp }
        guard !isCondemned(socket) else { return .hangUp }
        guard statistics.requestsInFlight < limit else { return .overloaded }
        statistics.requestsInFlight += 1
        enter(.handling, socket, at: now)
        connections[socket]?.running = exchange
        return .admitted
    }

    /// A handler has returned, whether or not somebody waits for its answer.
    mutating func handlerReturned() {
        statistics.requestsInFlight -= 1
    }

    mutating func count(_ reason: HTTPRefusal.Reason) {
        statistics.refused[reason, default: 0] += 1
    }

    mutating func countUnsendable() {
        statistics.unsendable += 1
    }

    // MARK: Shutdown

    var isShuttingDown: Bool {
        if case .notAsked = shutdown { false } else { true }
    }

    /// Starts the shutdown, once.
    ///
    /// - Returns: the connections without a request, now condemned; `nil` when it was started before.
    mutating func beginShutdown(until end: Instant) -> [Int32]? {
        guard !isShuttingDown else { return nil }
        shutdown = .draining(until: end)
        let unused = connections.filter { $0.value.phase == .idle || $0.value.phase == .head }.map(\.key)
        for socket in unused { connections[socket]?.isCondemned = true }
        return unused
    }

    /// Whether nothing is left to wait for.
    func isDrained(at now: Instant) -> Bool {
        switch shutdown {
        case .notAsked: false
        case .draining(let end): connections.isEmpty || now >= end
        case .abandoned: true
        }
    }

    /// From now on no request starts.
    ///
    /// - Returns: those that run, to be abandoned.
    mutating func stopAdmitting() -> [Exchange] {
        shutdown = .abandoned
        return connections.compactMap { $0.value.running }
    }
}

/// Counters since the start, and gauges of this moment.
package struct HTTPServerStatistics: Equatable, Sendable {
    /// Whole requests read, answered or refused for overload.
    package var requests = 0
    /// Handlers running now.
    package var requestsInFlight = 0
    package var connectionsOpen = 0
    /// Closed at once because their address had enough of them, or the process had no descriptor to spare.
    package var connectionsRefused = 0
    package var refused: [HTTPRefusal.Reason: Int] = [:]
    /// Answers replaced by an empty 500 because a header could not be sent as it was.
    package var unsendable = 0
}
