internal import CPostgres
import Glibc
import SQL

/// One connection of libpq. Every wait has a deadline. It belongs to one thread.
///
/// Commands are sent in batches (libpq's pipeline mode): a batch takes one round trip, however many commands it has.
/// After a failed command the server skips the rest of the batch.
final class LibpqConnection {
    /// The connection is unusable: the server is unavailable or did not reply in time.
    struct ConnectionLostError: Error {
        var reason: String
        /// The connection is open, but no data arrived: the server hangs, or the network drops all packets.
        var isTimeout = false
    }

    private let handle: OpaquePointer
    private let notices: Notices
    /// Batches whose results are not awaited. They are read and discarded before the results of the next batch.
    private var unread = 0

    /// Connects and authenticates.
    /// - Parameters:
    ///   - parameters: libpq's keywords for each server.
    ///   - servers: the order of the servers; it learns from what happens.
    /// - Throws: the errors of libpq, with the SQLSTATE if a server refused the connection.
    init(
        _ parameters: [[String: String]], _ servers: PostgresServers, within limit: Duration
    ) throws(ConnectError) {
        var search = PostgresSearch(parameters, order: servers.next)
        switch search.run(by: ContinuousClock().now + limit) {
        case .connected(let handle, let server):
            servers.recordSuccess(server)
            self.handle = handle
        case .failed(let complaints, let silent):
            servers.recordSilence(silent)
            throw ConnectError(complaints: complaints)
        }
        notices = Notices()
        // The connection keeps the receiver alive.
        PQsetNoticeReceiver(
            handle,
            { receiver, result in
                guard let receiver, let result else { return }
                Unmanaged<Notices>.fromOpaque(receiver).takeUnretainedValue().receive(result)
            }, Unmanaged.passUnretained(notices).toOpaque())
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
            throw ConnectError(complaints: [String(cString: PQerrorMessage(handle))])
        }
    }

    /// Why no server could be used.
    struct ConnectError: Error {
        /// The messages of libpq, each with several lines, for each server that was asked.
        var complaints: [String]
    }

    /// Counts what the server reports beside its results.
    private final class Notices {
        var warnings = 0

        func receive(_ result: OpaquePointer) {
            if let state = PQresultErrorField(result, cpostgres_field_state), String(cString: state) == "01000" {
                warnings += 1
            }
        }
    }

    deinit { PQfinish(handle) }

    // MARK: Sending

    /// A command without parameters.
    func send(_ sql: String) throws(ConnectionLostError) {
        try check(PQsendQueryParams(handle, sql, 0, nil, nil, nil, nil, 1) == 1)
    }

    func sendPrepare(_ sql: String, as name: String) throws(ConnectionLostError) {
        try check(PQsendPrepare(handle, name, sql, 0, nil) == 1)
    }

    /// Requests the parameters and columns of a prepared statement.
    func sendDescribe(_ name: String) throws(ConnectionLostError) {
        try check(PQsendDescribePrepared(handle, name) == 1)
    }

    func sendExecute(_ name: String, _ parameters: PostgresParameters) throws(ConnectionLostError) {
        let isSent = parameters.withPointers { values, lengths, formats in
            PQsendQueryPrepared(handle, name, Int32(values.count), values, lengths, formats, 1)
        }
        try check(isSent == 1)
    }

    /// Ends a batch without waiting for its results. It is sent together with the next batch.
    func endBatchWithoutWaiting() throws(ConnectionLostError) {
        try check(PQpipelineSync(handle) == 1)
        unread += 1
    }

    /// Sends a batch and reads the result of each command.
    func exchange(within limit: Duration) throws(ConnectionLostError) -> [PostgresResult] {
        try check(PQpipelineSync(handle) == 1)
        let deadline = ContinuousClock().now + limit
        try flush(by: deadline)
        while unread > 0 {
            _ = try batch(by: deadline)
            unread -= 1
        }
        return try batch(by: deadline)
    }

    /// Sends a batch without waiting for its results.
    func sendAndForget(within limit: Duration) throws(ConnectionLostError) {
        try endBatchWithoutWaiting()
        try flush(by: ContinuousClock().now + limit)
    }

    /// Runs any number of commands without parameters, which a batch cannot contain.
    func run(script: String, within limit: Duration) throws(ConnectionLostError) -> [PostgresResult] {
        _ = try exchange(within: limit)
        try check(PQexitPipelineMode(handle) == 1)
        try check(PQsendQuery(handle, script) == 1)
        let deadline = ContinuousClock().now + limit
        try flush(by: deadline)
        var results: [PostgresResult] = []
        while let result = try nextResult(by: deadline) { results.append(result) }
        try check(PQenterPipelineMode(handle) == 1)
        return results
    }

    /// Runs `COPY … FROM STDIN`, which a batch cannot contain.
    /// - Parameter rows: in the text format of the command.
    func copy(_ command: String, _ rows: [UInt8], within limit: Duration) throws(ConnectionLostError)
        -> [PostgresResult]
    {
        _ = try exchange(within: limit)
        try check(PQexitPipelineMode(handle) == 1)
        try check(PQsendQuery(handle, command) == 1)
        let deadline = ContinuousClock().now + limit
        try flush(by: deadline)
        var results: [PostgresResult] = []
        while let result = try nextResult(by: deadline) {
            guard result.awaitsRows else {
                results.append(result)
                continue
            }
            try put(rows, by: deadline)
        }
        try check(PQenterPipelineMode(handle) == 1)
        return results
    }

    private func put(_ rows: [UInt8], by deadline: ContinuousClock.Instant) throws(ConnectionLostError) {
        var rest = rows[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Self.copyBytes)
            let code = piece.withUnsafeBytes { bytes in
                PQputCopyData(handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
            }
            // 0: libpq's buffer is full.
            try check(code >= 0)
            try flush(by: deadline)
            if code == 1 { rest = rest.dropFirst(piece.count) }
        }
        while true {
            let code = PQputCopyEnd(handle, nil)
            try check(code >= 0)
            try flush(by: deadline)
            if code == 1 { return }
        }
    }

    /// The limit of one call of libpq.
    private static let copyBytes = 1 << 16

    // MARK: State

    enum Transaction { case none, open, failed }

    /// As reported by the server at the end of the last batch.
    var transaction: Transaction {
        switch PQtransactionStatus(handle) {
        case PQTRANS_INTRANS: .open
        case PQTRANS_INERROR: .failed
        default: .none
        }
    }

    var isLost: Bool { PQstatus(handle) == CONNECTION_BAD }

    /// General warnings (SQLSTATE 01000) so far.
    var warnings: Int { notices.warnings }

    /// Whether the server is a standby, as it reports to each session (since PostgreSQL 14).
    var isOfStandby: Bool { PQparameterStatus(handle, "in_hot_standby").map { String(cString: $0) } == "on" }

    /// The number of the server's process, as the other side named it when it accepted the connection. A connection pooler
    /// names a number of its own.
    var announcedProcess: Int32 { PQbackendPID(handle) }

    /// For example 150018 for 15.18.
    var serverVersion: Int { Int(PQserverVersion(handle)) }

    // MARK: Waiting

    private func flush(by deadline: ContinuousClock.Instant) throws(ConnectionLostError) {
        while true {
            switch PQflush(handle) {
            case 0: return
            case 1: break
            default: throw lost()
            }
            // The server may stop reading until its output is read.
            if try wait(for: POLLIN | POLLOUT, by: deadline) & POLLIN != 0 { try consume() }
        }
    }

    private func batch(by deadline: ContinuousClock.Instant) throws(ConnectionLostError) -> [PostgresResult] {
        var results: [PostgresResult] = []
        while true {
            // Between the results of two commands libpq returns nil.
            guard let result = try nextResult(by: deadline) else {
                guard !isLost else { throw lost() }
                continue
            }
            if result.endsBatch { return results }
            results.append(result)
            if isLost { return results }
        }
    }

    private func nextResult(by deadline: ContinuousClock.Instant) throws(ConnectionLostError) -> PostgresResult? {
        while PQisBusy(handle) == 1 {
            try wait(for: POLLIN, by: deadline)
            try consume()
        }
        return PQgetResult(handle).map { PostgresResult(owning: $0) }
    }

    private func consume() throws(ConnectionLostError) {
        // After the server closes the connection, its earlier output can still be read.
        guard PQconsumeInput(handle) == 1 || PQisBusy(handle) == 0 else { throw lost() }
    }

    /// - Returns: the events that `poll` found.
    @discardableResult
    private func wait(for events: Int32, by deadline: ContinuousClock.Instant) throws(ConnectionLostError) -> Int32 {
        var entry = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
        while true {
            let left = deadline - ContinuousClock().now
            guard left > .zero else { throw ConnectionLostError(reason: "it sent no reply in time", isTimeout: true) }
            // Rounded up: a timeout of zero would busy-wait during the last millisecond.
            let milliseconds = Int32(
                clamping: left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000 + 1)
            let count = poll(&entry, 1, milliseconds)
            if count > 0 { return Int32(entry.revents) }
            guard count == 0 || errno == EINTR else {
                throw ConnectionLostError(reason: String(cString: strerror(errno)))
            }
        }
    }

    private func check(_ isGood: Bool) throws(ConnectionLostError) {
        guard isGood else { throw lost() }
    }

    private func lost() -> ConnectionLostError { ConnectionLostError(reason: Self.firstLine(PQerrorMessage(handle))) }

    /// libpq's messages have several lines, with hints after the first.
    static func firstLine(_ message: UnsafePointer<CChar>?) -> String {
        let text = message.map { String(cString: $0) } ?? ""
        return text.split(whereSeparator: \.isNewline).first.map { $0.trimmingSpace } ?? "the connection was lost"
    }
}

extension Substring {
    /// Without white space at both ends.
    var trimmingSpace: String {
        let start = drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}
