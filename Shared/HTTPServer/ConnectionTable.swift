/// Every open connection by its socket, and the counters for limits and statistics. It decides; `ConnectionDriver`,
/// which owns the sockets and the library, performs the decisions.
struct ConnectionTable: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The state of the shutdown.
    private enum Shutdown {
        case notBegun
        /// Running requests may finish until `until`, and open connections may send one more request.
        case draining(since: Instant, until: Instant)
        /// No request may start: the library is about to stop.
        case abandoned
    }

    /// The number of bytes that a connection had transferred at some time of its phase.
    private struct RateCheckpoint {
        var at: Instant
        var bytes: UInt64
    }

    private struct Connection {
        let network: IPAddress
        var phase = ConnectionDeadlines.Phase.head
        var since: Instant
        /// Marked for closing: further requests get no response.
        var isClosing = false
        /// For a transfer: when its rate was last checked.
        var rateCheckpoint: RateCheckpoint?
        /// The current request while its head is read.
        var reading: Exchange?
        /// The head of the current request, once it is complete.
        var head: RequestHead?
        /// The current request while its handler runs.
        var running: Exchange?
        /// The bytes of the requests with complete heads; nil after a body in chunks, whose size on the wire is unknown.
        var consumed: UInt64? = 0
    }

    private var connections: [Int32: Connection] = [:]
    private var connectionsPerNetwork: [IPAddress: Int] = [:]
    private var closingCount = 0
    private var shutdown = Shutdown.notBegun
    /// A shutdown will follow: each response closes its connection.
    private var isShutdownAnnounced = false
    /// False once every accepted connection is in the table and no other follows.
    private var isAccepting = true
    private(set) var statistics = HTTPServerStatistics()

    // MARK: Connections

    /// Whether one more connection from this address is accepted.
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
        if connection.isClosing { closingCount -= 1 }
        statistics.connectionsOpen = connections.count
        let others = connectionsPerNetwork[connection.network, default: 1] - 1
        // Networks without connections are removed; otherwise their number would have no bound.
        connectionsPerNetwork[connection.network] = others > 0 ? others : nil
    }

    mutating func markForClosing(_ socket: Int32) {
        guard connections[socket]?.isClosing == false else { return }
        connections[socket]?.isClosing = true
        closingCount += 1
    }

    /// If there are more connections than `limit`, selects connections to close: in the networks with most connections,
    /// those that have waited longest for a request. It selects several at a time, because the search visits all
    /// connections.
    mutating func makeRoom(limit: Int) -> [Int32] {
        guard connections.count - closingCount > limit else { return [] }
        let waiting = connections.filter { _, connection in
            !connection.isClosing && (connection.phase == .idle || connection.phase == .head)
        }
        let ranked = waiting.sorted { one, other in
            let count = connectionsPerNetwork[one.value.network, default: 0]
            let otherCount = connectionsPerNetwork[other.value.network, default: 0]
            return (-count, one.value.since) < (-otherCount, other.value.since)
        }
        let closing = ranked.prefix(max(1, limit / 64)).map(\.key)
        for socket in closing { markForClosing(socket) }
        statistics.connectionsEvicted += closing.count
        return closing
    }

    // MARK: Phases

    /// - Parameters:
    ///   - head: of the request whose body is read next.
    ///   - exchange: of the request whose head is read next.
    mutating func enter(
        _ phase: ConnectionDeadlines.Phase, _ socket: Int32, head: RequestHead? = nil,
        reading exchange: Exchange? = nil,
        at now: Instant
    ) {
        guard var connection = connections[socket] else { return }
        connection.reading = exchange
        // The time of a new connection starts when it opens, so its first request line does not restart it.
        if phase != connection.phase {
            connection.phase = phase
            connection.since = now
            connection.rateCheckpoint = nil
            connection.head = head
            connection.running = nil
        }
        connections[socket] = connection
    }

    /// Counts a request whose head is complete.
    /// - Parameter bytes: of its head and its body; nil if unknown.
    mutating func consume(_ bytes: UInt64?, on socket: Int32) {
        guard let consumed = connections[socket]?.consumed else { return }
        connections[socket]?.consumed = bytes.map { consumed &+ $0 }
    }

    /// The bytes before the request that is being read; nil if unknown.
    func consumed(on socket: Int32) -> UInt64? { connections[socket]?.consumed }

    /// The requests whose heads are being read.
    var beingRead: [Exchange] { connections.values.compactMap { $0.isClosing ? nil : $0.reading } }

    /// Marks for closing and returns the connections that are late or too slow. Each connection is returned once.
    ///
    /// - Parameters:
    ///   - transferred: the bytes that a client has sent of a body or received of a response, counted from any start.
    ///   - hasArrived: whether bytes of a next request have arrived on a connection without one.
    mutating func markTimedOut(
        at now: Instant, _ deadlines: ConnectionDeadlines, drainTime: Duration,
        transferred: (Int32, ConnectionDeadlines.Phase) -> UInt64?,
        hasArrived: (Int32, ConnectionDeadlines.Phase) -> Bool
    ) -> [(socket: Int32, decision: ConnectionDeadlines.Decision, head: RequestHead?)] {
        var late: [(socket: Int32, decision: ConnectionDeadlines.Decision, head: RequestHead?)] = []
        for (socket, connection) in connections where !connection.isClosing {
            let decision =
                deadlines.decision(in: connection.phase, for: now - connection.since)
                ?? slowness(of: socket, connection, at: now, deadlines, transferred)
            if let decision {
                late.append((socket, decision, connection.head))
            } else if isUnused(connection, for: drainTime, at: now), !hasArrived(socket, connection.phase) {
                late.append((socket, .close, nil))
            }
        }
        for (socket, _, _) in late { markForClosing(socket) }
        return late
    }

    /// When `markTimedOut` must be called next, if nothing happens before. `nil`: no connection has a deadline.
    func nextCheck(at now: Instant, _ deadlines: ConnectionDeadlines, interval: Duration) -> Instant? {
        if isShuttingDown { return now + interval }
        var next: Instant?
        for connection in connections.values where !connection.isClosing {
            switch connection.phase {
            case .head, .body, .sendingResponse: return now + interval
            case .idle:
                let end = connection.since + deadlines.idle
                next = min(next ?? end, end)
            case .handling: break
            }
        }
        return next.map { max($0, now + interval) }
    }

    /// Checks the rate of a transfer once in each interval.
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
        return deadlines.decision(
            in: connection.phase, after: bytes >= last.bytes ? bytes - last.bytes : 0, in: now - last.at)
    }

    /// Whether no request has arrived for this time since the shutdown began.
    private func isUnused(_ connection: Connection, for time: Duration, at now: Instant) -> Bool {
        guard case .draining(let start, _) = shutdown else { return false }
        switch connection.phase {
        // A head that has begun has its own time limit.
        case .idle, .head: return connection.reading == nil && now - max(start, connection.since) >= time
        case .body, .handling, .sendingResponse: return false
        }
    }

    /// Whether the socket belongs to a connection that is marked for closing, and not to a later one with the same
    /// number.
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
        /// The connection is marked for closing or the server stops: no response.
        case close
    }

    /// Whether a complete request may start.
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

    /// The next part of a streamed response is produced.
    ///
    /// - Returns: false if the server stops.
    mutating func awaitPart(_ exchange: Exchange, on socket: Int32, at now: Instant) -> Bool {
        if case .abandoned = shutdown { return false }
        guard !isClosing(socket) else { return false }
        enter(.handling, socket, at: now)
        connections[socket]?.running = exchange
        return true
    }

    /// Bytes of a streamed response are sent, for which the socket had room, or its end: the time of the client begins again,
    /// and its rate is still checked.
    mutating func sentPart(on socket: Int32, at now: Instant) {
        enter(.sendingResponse, socket, at: now)
        connections[socket]?.since = now
    }

    /// A handler has returned, whether or not its response is still needed, and its stream has ended, if it has one.
    mutating func requestEnded() {
        statistics.requestsInFlight -= 1
    }

    mutating func count(_ reason: RejectedRequest.Reason) {
        statistics.refused[reason, default: 0] += 1
    }

    // MARK: Shutdown

    var isShuttingDown: Bool {
        if case .notBegun = shutdown { false } else { true }
    }

    /// Whether a response closes its connection.
    var closesConnections: Bool { isShutdownAnnounced || isShuttingDown }

    mutating func announceShutdown() { isShutdownAnnounced = true }

    /// Starts the shutdown, once. Connections without a request stay open for a while, because a request may arrive.
    ///
    /// - Returns: false if it was started before.
    mutating func beginShutdown(at now: Instant, until end: Instant) -> Bool {
        guard !isShuttingDown else { return false }
        shutdown = .draining(since: now, until: end)
        return true
    }

    /// No more connections open.
    mutating func endAccepting() {
        isAccepting = false
    }

    /// Whether the shutdown is complete.
    func isDrained(at now: Instant) -> Bool {
        switch shutdown {
        case .notBegun: false
        case .draining(_, let end): connections.isEmpty && !isAccepting || now >= end
        case .abandoned: true
        }
    }

    /// No request starts after this call.
    ///
    /// - Returns: the running requests, which the caller cancels.
    mutating func rejectNewRequests() -> [Exchange] {
        shutdown = .abandoned
        return connections.compactMap { $0.value.running }
    }
}

/// Counters since the start, and current gauges.
package struct HTTPServerStatistics: Equatable, Sendable {
    /// Complete requests, including those refused because of overload.
    package var requests = 0
    /// Handlers that run now, and responses whose stream has not ended.
    package var requestsInFlight = 0
    package var connectionsOpen = 0
    /// Closed at once because their address had too many connections, or the process had too few free descriptors.
    package var connectionsRefused = 0
    /// Closed while they waited for a request, to make room for others.
    package var connectionsEvicted = 0
    package var refused: [RejectedRequest.Reason: Int] = [:]
}
