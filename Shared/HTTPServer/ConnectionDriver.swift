internal import CMicrohttpd
import FoundationEssentials
import Glibc
import Synchronization

/// Handles the events that the library reports, and each tick of the clock.
///
/// Methods with an `OpaquePointer` run on the library's thread, which then holds none of the library's locks.
final class ConnectionDriver: Sendable {
    private let settings: HTTPServerSettings
    private let deadlines: ConnectionDeadlines
    private let refusal: @Sendable (RejectedRequest) -> HTTPResponse
    private let handler: @Sendable (HTTPRequest) async -> HTTPResponse
    private let table = Mutex(ConnectionTable())
    private let signal: DaemonSignal
    private let hasClosed = Atomic(false)
    /// How often the deadlines of active connections are checked.
    private let checkInterval: Duration

    init(
        _ settings: HTTPServerSettings, signal: DaemonSignal,
        refusal: @Sendable @escaping (RejectedRequest) -> HTTPResponse,
        handler: @Sendable @escaping (HTTPRequest) async -> HTTPResponse
    ) {
        self.settings = settings
        deadlines = ConnectionDeadlines(
            head: settings.headTime, body: settings.bodyTime, idle: settings.idleTime,
            rateInterval: settings.rateInterval, minimumBytesPerSecond: settings.minimumBytesPerSecond)
        self.refusal = refusal
        self.handler = handler
        self.signal = signal
        let shortest = min(settings.headTime, settings.bodyTime, settings.idleTime)
        let pause = min(shortest / 8, settings.drainTime / 4, settings.rateInterval / 4)
        checkInterval = min(max(pause, .milliseconds(5)), .milliseconds(250))
    }

    var statistics: HTTPServerStatistics { table.withLock(\.statistics) }

    private var now: ContinuousClock.Instant { .now }

    // MARK: Connections

    func accepts(_ address: UnsafePointer<sockaddr>) -> Bool {
        if MicrohttpdDaemon.isEndOfAccepting(address) { return true }
        guard let address = IPAddress(address) else { return false }
        guard DescriptorReserve.allowsConnection(keeping: settings.descriptorReserve) else {
            table.withLock { $0.countRefusedConnection() }
            return false
        }
        let limit = settings.isExemptFromAddressLimit(address) ? nil : settings.connectionsPerAddress
        return table.withLock { $0.admits(address, limit: limit) }
    }

    func opened(_ connection: OpaquePointer) {
        if let address = latchkey_mhd_client_address(connection), MicrohttpdDaemon.isEndOfAccepting(address) {
            return table.withLock { $0.endAccepting() }
        }
        let socket = latchkey_mhd_socket(connection)
        let address = Self.address(of: connection)
        let evicted = table.withLock { table in
            table.open(socket, from: address, at: now)
            return table.makeRoom(limit: settings.connections)
        }
        for socket in evicted { closeConnection(socket) }
    }

    /// The library closes the socket after this call. While a caller holds the lock and finds the socket in the table,
    /// its number therefore belongs to this connection.
    func closed(_ connection: OpaquePointer) {
        let socket = latchkey_mhd_socket(connection)
        table.withLock { $0.close(socket) }
        hasClosed.store(true, ordering: .relaxed)
    }

    /// - Returns: whether the library has closed a connection since the last call.
    func takeHasClosed() -> Bool { hasClosed.exchange(false, ordering: .relaxed) }

    private static func address(of connection: OpaquePointer) -> IPAddress {
        // Other address families are not accepted, so the address exists.
        latchkey_mhd_client_address(connection).flatMap(IPAddress.init) ?? .v4(0)
    }

    // MARK: Requests

    /// A request line is complete.
    func began(_ target: RequestTarget, _ connection: OpaquePointer) -> Exchange {
        let socket = latchkey_mhd_socket(connection)
        let exchange = Exchange(target, connection, signal)
        table.withLock { $0.enter(.head, socket, reading: exchange, at: now) }
        return exchange
    }

    /// The library is about to respond to a request itself, and does not report to which one.
    ///
    /// When libmicrohttpd 0.9.75 cannot read a `Content-Length`, it writes the head of its response twice, and clients
    /// would read the second head as a body. To a head that does not fit into its memory it responds with a page of its
    /// own. Both requests can be recognized, and the server responds to them itself.
    func libraryRefuses() {
        for exchange in table.withLock(\.beingRead) {
            let reason: RejectedRequest.Reason
            if exchange.hasUnreadableLength {
                reason = .invalidFraming
            } else if isHeadTooLarge(of: exchange) {
                reason = .headTooLarge
            } else {
                continue
            }
            let socket = exchange.socket
            table.withLock { $0.markForClosing(socket) }
            closeConnection(socket, saying: closingMessage(reason, nil))
        }
    }

    /// Whether the library has read more bytes of a head than a head may have.
    private func isHeadTooLarge(of exchange: Exchange) -> Bool {
        let socket = exchange.socket
        var (acknowledged, received): (UInt64, UInt64) = (0, 0)
        guard let consumed = table.withLock({ $0.consumed(on: socket) }),
            latchkey_transferred_bytes(socket, &acknowledged, &received) == 0
        else { return false }
        let before = consumed + UInt64(max(0, latchkey_unread_bytes(socket)))
        return received > before && received - before > UInt64(settings.headBytes)
    }

    /// The head of a request is complete.
    ///
    /// - Returns: false if the connection must be closed without a response.
    func readHead(_ exchange: Exchange, _ line: RequestLine?, _ connection: OpaquePointer) -> Bool {
        exchange.stage = .body
        let size = latchkey_mhd_head_size(connection)
        guard exchange.target.size <= settings.targetBytes else { return refuse(.uriTooLong, nil, connection) }
        guard size <= settings.headBytes else { return refuse(.headTooLarge, nil, connection) }
        guard let line else { return refuse(.invalidFraming, nil, connection) }
        let head: RequestHead
        do throws(RejectedRequest.Reason) {
            head = try RequestHead(line, size: size, connection: connection)
        } catch {
            return refuse(error, nil, connection)
        }
        exchange.head = head
        let bytes: UInt64? =
            switch head.framing {
            case .none: UInt64(size)
            case .length(let length): UInt64(size) + UInt64(length)
            case .chunked: nil
            }
        table.withLock { $0.consume(bytes, on: latchkey_mhd_socket(connection)) }
        guard head.framing != .none else { return true }
        if case .length(let length) = head.framing, length > settings.bodyBytes {
            let isAsking = head.headers["expect"] != nil
            // A client that sends `Expect`, or a body too long to drain, gets the response at once, and the connection
            // is closed.
            if isAsking || length - settings.bodyBytes > settings.maximumDrainedBytes {
                return refuse(.bodyTooLarge, head, connection)
            }
            exchange.refusal = .bodyTooLarge
        }
        let socket = latchkey_mhd_socket(connection)
        table.withLock { $0.enter(.body, socket, head: head, at: now) }
        return true
    }

    /// A part of the body arrived.
    func readBody(_ exchange: Exchange, _ piece: UnsafeRawBufferPointer, _ connection: OpaquePointer) -> Bool {
        exchange.received += piece.count
        if exchange.received > settings.bodyBytes, exchange.refusal == nil {
            exchange.refusal = .bodyTooLarge
            exchange.body = Data()
        }
        guard exchange.refusal == nil else {
            guard exchange.received - settings.bodyBytes > settings.maximumDrainedBytes else { return true }
            // The library accepts no response in the middle of a body.
            closeConnection(latchkey_mhd_socket(connection), saying: closingMessage(.bodyTooLarge, exchange.head))
            return false
        }
        exchange.body.append(contentsOf: piece)
        return true
    }

    /// The request is complete: suspends the connection and starts the handler.
    func start(_ exchange: Exchange, _ connection: OpaquePointer) -> Bool {
        exchange.stage = .handling
        guard let head = exchange.head else { return false }
        if let reason = exchange.refusal { return refuse(reason, head, connection) }
        let request = HTTPRequest(
            head.method, head.path, query: head.rawQuery, version: head.version, headers: head.headers,
            body: exchange.body, from: Self.address(of: connection))
        exchange.body = Data()
        let socket = latchkey_mhd_socket(connection)
        let admission = table.withLock {
            $0.admit(exchange, on: socket, limit: settings.requestsInFlight, at: now)
        }
        switch admission {
        case .close: return false
        case .overloaded: return refuse(.overloaded, head, connection)
        case .admitted:
            let isStarted = exchange.start { [self] in
                await handler(request)
            } returned: { [self] isStreamed in
                if !isStreamed { table.withLock { $0.requestEnded() } }
            }
            if !isStarted { table.withLock { $0.requestEnded() } }
            return isStarted
        }
    }

    /// The connection was resumed.
    func sendResponse(_ exchange: Exchange, _ connection: OpaquePointer) -> Bool {
        guard let response = exchange.response else { return false }
        let socket = latchkey_mhd_socket(connection)
        let isLast = table.withLock { table in
            table.enter(.sendingResponse, socket, at: now)
            return table.closesConnections
        }
        // HTTP/1.0 has no persistent connections, only extensions for them that proxies interpret differently.
        return queue(
            response, of: exchange, to: exchange.head, closing: isLast || exchange.head?.version == .http10, connection)
    }

    /// Bytes of a stream for the library. Without any, the connection is suspended, and the library asks again when it is
    /// resumed.
    ///
    /// - Returns: as `MHD_ContentReaderCallback`.
    func readStream(of exchange: Exchange, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let socket = exchange.socket
        switch exchange.read(into: buffer) {
        case .copied(let count):
            table.withLock { $0.sentPart(on: socket, at: now) }
            return count
        case .none:
            // The producer sets the pace, so that the deadlines of clients do not apply.
            let isAdmitted = table.withLock { $0.awaitPart(exchange, on: socket, at: now) }
            return isAdmitted && exchange.produce() ? 0 : cutOff(exchange, socket)
        case .end:
            // The client still has to take the last bytes.
            table.withLock { $0.sentPart(on: socket, at: now) }
            return latchkey_stream_ended
        case .failure: return cutOff(exchange, socket)
        }
    }

    /// A body in chunks lacks its last one. One of HTTP/1.0 ends with the connection, so that only a reset says that it is
    /// incomplete.
    private func cutOff(_ exchange: Exchange, _ socket: Int32) -> Int {
        if exchange.head?.version == .http10 { resetConnection(socket) }
        return latchkey_stream_failed
    }

    /// Without the end of a connection that a client would take for that of a body. The library then closes it.
    private func resetConnection(_ socket: Int32) {
        var address = sockaddr()
        address.sa_family = sa_family_t(AF_UNSPEC)
        // Only a socket that is no longer connected refuses it.
        _ = connect(socket, &address, socklen_t(MemoryLayout<sockaddr>.size))
    }

    func completed(_ exchange: Exchange, _ connection: OpaquePointer) {
        let socket = latchkey_mhd_socket(connection)
        table.withLock { table in
            if exchange.isStreamed { table.requestEnded() }
            table.enter(.idle, socket, at: now)
        }
    }

    // MARK: Responses

    private func refuse(_ reason: RejectedRequest.Reason, _ head: RequestHead?, _ connection: OpaquePointer) -> Bool {
        let socket = latchkey_mhd_socket(connection)
        let isLast = table.withLock { table in
            table.enter(.sendingResponse, socket, at: now)
            return table.closesConnections
        }
        // After invalid framing the start of the next request is unknown.
        return queue(
            response(for: reason, head), to: head, closing: isLast || reason == .invalidFraming || head == nil,
            connection)
    }

    private func response(for reason: RejectedRequest.Reason, _ head: RequestHead?) -> HTTPResponse {
        table.withLock { $0.count(reason) }
        var response = refusal(RejectedRequest(reason, head))
        if reason == .overloaded, !response.headers.contains(where: { ASCII.areEqual($0.name, "retry-after") }) {
            response.headers.append(("Retry-After", "1"))
        }
        return response
    }

    /// Replaces a response that is not well-formed.
    private func checked(_ response: HTTPResponse, to head: RequestHead?) -> HTTPResponse {
        if response.isWellFormed { return response }
        table.withLock { $0.count(.invalidResponse) }
        let substitute = refusal(RejectedRequest(.invalidResponse, head))
        return substitute.isWellFormed ? substitute : .invalidResponseFallback
    }

    /// - Parameter exchange: of a response that may have a stream.
    private func queue(
        _ response: HTTPResponse, of exchange: Exchange? = nil, to head: RequestHead?, closing: Bool,
        _ connection: OpaquePointer
    ) -> Bool {
        let response = checked(response, to: head)
        let message: OpaquePointer?
        if let stream = response.stream, let exchange {
            exchange.begin(stream)
            message = MicrohttpdDaemon.streamedMessage(of: exchange, self)
        } else {
            message = response.body.withUnsafeBytes { body in
                MHD_create_response_from_buffer(
                    body.count, UnsafeMutableRawPointer(mutating: body.baseAddress), .RESPMEM_MUST_COPY)
            }
        }
        // Without memory for the response none is sent.
        guard let message else { return false }
        defer { MHD_destroy_response(message) }
        for field in response.headers where MHD_add_response_header(message, field.name, field.value) == .NO {
            return false
        }
        if closing, MHD_add_response_header(message, "Connection", "close") == .NO { return false }
        return MHD_queue_response(connection, UInt32(response.status), message) == .YES
    }

    private func closingMessage(_ reason: RejectedRequest.Reason, _ head: RequestHead?) -> [UInt8] {
        let response = checked(response(for: reason, head), to: head)
        let phrase = MHD_get_reason_phrase_for(UInt32(response.status)).map { String(cString: $0) } ?? ""
        return response.closingMessage(reason: phrase)
    }

    /// Writes what fits into the socket's buffer and shuts the connection down in both directions. The library then
    /// closes it. Call it only while the socket cannot be closed: on the library's thread, or with the lock held.
    ///
    /// - Parameter discarding: drops the data that the kernel still holds for a client that reads too slowly.
    private func closeConnection(_ socket: Int32, saying message: [UInt8] = [], discarding: Bool = false) {
        if discarding {
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        }
        // A failed send is ignored: a client that is disconnected or does not read is closed without the message.
        _ = send(socket, message, message.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        Glibc.shutdown(socket, Int32(SHUT_RDWR))
    }

    // MARK: Time and shutdown

    /// Closes the connections that missed a deadline.
    func closeTimedOutConnections(at now: ContinuousClock.Instant) {
        let late = table.withLock { table in
            table.markTimedOut(
                at: now, deadlines, drainTime: settings.drainTime, transferred: Self.transferred,
                hasArrived: Self.hasArrived)
        }
        for (socket, decision, head) in late {
            let message: [UInt8] =
                switch decision {
                case .refuse(let reason): closingMessage(reason, head)
                case .close: []
                }
            table.withLock { table in
                guard table.isClosing(socket) else { return }
                closeConnection(socket, saying: message, discarding: table.isAnswering(socket))
            }
        }
    }

    /// When deadlines must be checked next, if nothing happens before. `nil`: no connection has a deadline.
    func nextCheck(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        table.withLock { $0.nextCheck(at: now, deadlines, interval: checkInterval) }
    }

    /// When deadlines must be checked after the library has reported events.
    func nextCheck(afterEventsAt now: ContinuousClock.Instant) -> ContinuousClock.Instant { now + checkInterval }

    /// The kernel's count of the bytes that the peer has acknowledged or sent.
    private static func transferred(_ socket: Int32, in phase: ConnectionDeadlines.Phase) -> UInt64? {
        var (acknowledged, received): (UInt64, UInt64) = (0, 0)
        guard latchkey_transferred_bytes(socket, &acknowledged, &received) == 0 else { return nil }
        return phase == .body ? received : acknowledged
    }

    /// Whether a client has sent the beginning of a request that the library has not reported yet.
    private static func hasArrived(_ socket: Int32, in phase: ConnectionDeadlines.Phase) -> Bool {
        // Before the first request line every received byte belongs to it, including those that the library has read.
        let received = phase == .head ? transferred(socket, in: .body) : nil
        return received ?? 0 > 0 || latchkey_unread_bytes(socket) > 0
    }

    func announceShutdown() {
        table.withLock { $0.announceShutdown() }
    }

    /// - Returns: false if a shutdown was begun before.
    func beginShutdown(at now: ContinuousClock.Instant) -> Bool {
        table.withLock { $0.beginShutdown(at: now, until: now + settings.shutdownTime) }
    }

    var isShuttingDown: Bool { table.withLock(\.isShuttingDown) }

    func isDrained(at now: ContinuousClock.Instant) -> Bool {
        table.withLock { $0.isDrained(at: now) }
    }

    /// Cancels every suspended request without a response. After this call the library can be stopped.
    func cancelRequests() {
        for exchange in table.withLock({ $0.rejectNewRequests() }) { exchange.cancel() }
    }
}
