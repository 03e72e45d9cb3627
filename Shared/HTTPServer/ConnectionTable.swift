/// Every open connection, by its socket, and the counters of limits and statistics. Decides; `ConnectionDriver`, which
/// owns sockets and the library, obeys.
struct ConnectionTable: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The state of the shutdown.
    private enum Shutdown {
        case notAsked
        /// Running requests may finish until then, and open connections may send another.
        case draining(since: Instant, until: Instant)
        /// Nothing may begin: the library is about to end.
        case abandoned
    }

    /// Bytes that a connection had transferred at some time of its phase.
    private struct RateCheckpoint {
        var at: Instant
        var bytes: UInt64
    }

    private struct Connection {
        let network: IPAddress
        var phase = ConnectionDeadlines.Phase.head
        var since: Instant
        /// Told to close; what it still sends is not answered.
        var isClosing = false
        /// Of a transfer: when its rate was last looked at.
        var rateCheckpoint: RateCheckpoint?
        /// The current request while its head is read.
        var reading: Exchange?
        /// What the current request is, once known.
        var head: RequestHead?
        /// The current request while its handler runs.
        var running: Exchange?
    }

    private var connections: [Int32: Connection] = [:]
    private var connectionsPerNetwork: [IPAddress: Int] = [:]
    private var condemnedCount = 0
    private var shutdown = Shutdown.notAsked
    /// Whether every connection that was accepted is in the table, and none follows.
    private var isAccepting = true
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
        if connection.isClosing { condemnedCount -= 1 }
        statistics.connectionsOpen = connections.count
        let others = connectionsPerNetwork[connection.network, default: 1] - 1
        // Networks without connections are forgotten, or their number would have no bound.
        connectionsPerNetwork[connection.network] = others > 0 ? others : nil
    }

    mutating func condemn(_ socket: Int32) {
        guard connections[socket]?.isClosing == false else { return }
        connections[socket]?.isClosing = true
        condemnedCount += 1
    }

    /// Of more connections than `limit`, those to be closed: of the networks with most connections those that have been
    /// waiting longest for a request. More than one at a time, because finding them takes a look at all.
    mutating func makeRoom(limit: Int) -> [Int32] {
        guard connections.count - condemnedCount > limit else { return [] }
        let waiting = connections.filter { _, connection in
            !connection.isClosing && (connection.phase == .idle || connection.phase == .head)
        }
        let ranked = waiting.sorted { one, other in
            let count = connectionsPerNetwork[one.value.network, default: 0]
            let otherCount = connectionsPerNetwork[other.value.network, default: 0]
            return (-count, one.value.since) < (-otherCount, other.value.since)
        }
        let closing = ranked.prefix(max(1, limit / 64)).map(\.key)
        for socket in closing { condemn(socket) }
        statistics.connectionsEvicted += closing.count
        return closing
    }

    // MARK: Phases

    /// - Parameters:
    ///   - head: of the request whose body is to be read.
    ///   - exchange: of the request whose head is to be read.
    mutating func enter(
        _ phase: ConnectionDeadlines.Phase, _ socket: Int32, head: RequestHead? = nil,
        reading exchange: Exchange? = nil,
        at now: Instant
    ) {
        guard var connection = connections[socket] else { return }
        connection.reading = exchange
        // A new connection is timed from its first moment; its first request line is no new beginning.
        if phase != connection.phase {
            connection.phase = phase
            connection.since = now
            connection.rateCheckpoint = nil
            connection.head = head
            connection.running = nil
        }
        connections[socket] = connection
    }

    /// The requests whose heads are being read.
    var beingRead: [Exchange] { connections.values.compactMap { $0.isClosing ? nil : $0.reading } }

    /// What is late or too slow, now condemned. Each connection is told once.
    ///
    /// - Parameters:
    ///   - transferred: the bytes that a client has sent of a body or taken of an answer, from any beginning on.
    ///   - hasArrived: whether bytes of a next request have arrived on a connection without one.
    mutating func markTimedOut(
        at now: Instant, _ deadlines: ConnectionDeadlines, drainTime: Duration,
        transferred: (Int32, ConnectionDeadlines.Phase) -> UInt64?,
        hasArrived: (Int32, ConnectionDeadlines.Phase) -> Bool
    ) -> [(socket: Int32, verdict: ConnectionDeadlines.Decision, head: RequestHead?)] {
        var late: [(socket: Int32, verdict: ConnectionDeadlines.Decision, head: RequestHead?)] = []
        for (socket, connection) in connections where !connection.isClosing {
            let verdict =
                deadlines.verdict(in: connection.phase, for: now - connection.since)
                ?? slowness(of: socket, connection, at: now, deadlines, transferred)
            if let verdict {
                late.append((socket, verdict, connection.head))
            } else if isUnused(connection, for: drainTime, at: now), !hasArrived(socket, connection.phase) {
                late.append((socket, .close, nil))
            }
        }
        for (socket, _, _) in late { condemn(socket) }
        return late
    }

    /// Looks at the rate of a transfer once in each interval.
    private mutating func slowness(
        of socket: Int32, _ connection: Connection, at now: Instant, _ deadlines: ConnectionDeadlines,
        _ transferred: (Int32, ConnectionDeadlines.Phase) -> UInt64?
    ) -> ConnectionDeadlines.Decision? {
        guard ConnectionDeadlines.isTransfer(connection.phase) else { return nil }
        let last = connection.rateCheckpoint
        if let last, now - last.at < deadlines.rateInterval { return nil }
        guard let bytes = transferred(socket, connection.phase) else { return nil }
        connections[socket]?.rateCheckpoint = RateCheckpoint(at: now, bytes: bytes)
        guard let last else { return nil }
        return deadlines.verdict(
            in: connection.phase, after: bytes >= last.bytes ? bytes - last.bytes : 0, in: now - last.at)
    }

    /// Whether nothing has come for a while since the shutdown began.
    private func isUnused(_ connection: Connection, for time: Duration, at now: Instant) -> Bool {
        guard case .draining(let start, _) = shutdown else { return false }
        switch connection.phase {
        // A head that has begun has the time of a head.
        case .idle, .head: return connection.reading == nil && now - max(start, connection.since) >= time
        case .body, .handling, .sendingResponse: return false
        }
    }

    /// Whether the socket still belongs to a connection that was condemned, and not to a later one of the same number.
    func isClosing(_ socket: Int32) -> Bool {
        connections[socket]?.isClosing ?? false
    }

    func isAnswering(_ socket: Int32) -> Bool {
        connections[socket]?.phase == .sendingResponse
    }

    // MARK: Requests

    enum Admission {
        case admitted
        case overloaded
        /// The connection is condemned or the server ends: no answer.
        case close
    }

    /// Whether a whole request may start.
    mutating func admit(_ exchange: Exchange, on socket: Int32, limit: Int, at now: Instant) -> Admission {
        statistics.requests += 1
        if case .abandoned = shutdown { return .close }
        guard !isClosing(socket) else { return .close }
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

    mutating func count(_ reason: RejectedRequest.Reason) {
        statistics.refused[reason, default: 0] += 1
    }

    // MARK: Shutdown

    var isShuttingDown: Bool {
        if case .notAsked = shutdown { false } else { true }
    }

    /// Starts the shutdown, once. Connections without a request stay open for a while: a request may be on its way.
    ///
    /// - Returns: false when it was started before.
    mutating func beginShutdown(at now: Instant, until end: Instant) -> Bool {
        guard !isShuttingDown else { return false }
        shutdown = .draining(since: now, until: end)
        return true
    }

    /// No connection is opened any more.
    mutating func endAccepting() {
        isAccepting = false
    }

    /// Whether nothing is left to wait for.
    func isDrained(at now: Instant) -> Bool {
        switch shutdown {
        case .notAsked: false
        case .draining(_, let end): connections.isEmpty && !isAccepting || now >= end
        case .abandoned: true
        }
    }

    /// From now on no request starts.
    ///
    /// - Returns: those that run, to be abandoned.
    mutating func rejectNewRequests() -> [Exchange] {
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
    /// Closed while they waited for a request, to make room for others.
    package var connectionsEvicted = 0
    package var refused: [RejectedRequest.Reason: Int] = [:]
}
