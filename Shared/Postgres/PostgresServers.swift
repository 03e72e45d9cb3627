internal import CPostgres
import Glibc
import Synchronization

/// The servers of an address, in the order in which the next connection asks them. All connections of a database share it:
/// the server that accepted the last one is asked first, and one that did not answer is asked last.
final class PostgresServers: Sendable {
    private let order: Mutex<[Int]>

    init(count: Int) {
        order = Mutex(Array(0..<count))
    }

    /// The places of the servers in the address.
    var next: [Int] { order.withLock(\.self) }

    func recordSuccess(_ server: Int) {
        order.withLock { order in order = [server] + order.filter { $0 != server } }
    }

    func recordSilence(_ servers: Set<Int>) {
        order.withLock { order in
            order = order.filter { !servers.contains($0) } + order.filter(servers.contains)
        }
    }
}

/// Opens a connection to the first of several servers that accepts one. They are asked one after the other, but none waits
/// for one that is silent: its machine may be gone.
struct PostgresSearch {
    /// After which the next server is asked too. A server that is well has accepted by then, or refused.
    private static let head = Duration.milliseconds(200)
    /// Between two questions to a server that refused, while another one is silent: it may be promoted meanwhile.
    private static let repetition = Duration.milliseconds(500)

    /// libpq's keywords for each server.
    private let parameters: [[String: String]]
    /// Servers that were not asked yet, the next one first.
    private var unasked: ArraySlice<Int>
    private var attempts: [Attempt] = []
    private var refusals: [Int: (complaint: String, at: ContinuousClock.Instant)] = [:]
    private var lastStart: ContinuousClock.Instant?

    /// One connection that is being opened.
    private struct Attempt {
        let server: Int
        let handle: OpaquePointer
        var events: Int16
    }

    init(_ parameters: [[String: String]], order: [Int]) {
        self.parameters = parameters
        unasked = order[...]
    }

    /// What became of it.
    enum Result {
        case connected(OpaquePointer, server: Int)
        /// - Parameters:
        ///   - complaints: libpq's messages, in the order of the address.
        ///   - silent: servers that sent no answer.
        case failed(complaints: [String], silent: Set<Int>)
    }

    mutating func run(by deadline: ContinuousClock.Instant) -> Result {
        while true {
            let now = ContinuousClock().now
            guard now < deadline else { return fail("it sent no reply in time") }
            ask(at: now)
            guard !attempts.isEmpty else {
                guard unasked.isEmpty else { continue }
                return fail("")
            }
            var entries = attempts.map { pollfd(fd: PQsocket($0.handle), events: $0.events, revents: 0) }
            let count = poll(&entries, nfds_t(entries.count), Self.milliseconds(until: wakeUp(deadline), from: now))
            guard count >= 0 || errno == EINTR else { return fail(String(cString: strerror(errno))) }
            guard count > 0 else { continue }
            for (place, entry) in entries.enumerated().reversed() where entry.revents != 0 {
                switch PQconnectPoll(attempts[place].handle) {
                case PGRES_POLLING_OK:
                    let winner = attempts.remove(at: place)
                    for other in attempts { PQfinish(other.handle) }
                    return .connected(winner.handle, server: winner.server)
                case PGRES_POLLING_READING: attempts[place].events = Int16(POLLIN)
                case PGRES_POLLING_WRITING: attempts[place].events = Int16(POLLOUT)
                default:
                    let attempt = attempts.remove(at: place)
                    refuse(attempt.server, attempt.handle)
                }
            }
        }
    }

    /// Asks the next server if none is asked or each has had its head start, and those again that refused some time ago.
    private mutating func ask(at now: ContinuousClock.Instant) {
        if attempts.isEmpty || lastStart.map({ now - $0 >= Self.head }) ?? true, let server = unasked.popFirst() {
            start(server, at: now)
        }
        guard unasked.isEmpty, !attempts.isEmpty else { return }
        for (server, refusal) in refusals where now - refusal.at >= Self.repetition {
            guard !attempts.contains(where: { $0.server == server }) else { continue }
            start(server, at: now)
        }
    }

    private mutating func start(_ server: Int, at now: ContinuousClock.Instant) {
        lastStart = now
        guard let handle = Self.start(parameters[server]) else {
            refusals[server] = ("out of memory", now)
            return
        }
        // Only this form of a message contains the SQLSTATE, and libpq has no other way to read it while connecting.
        PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        // The default writes notices to standard error.
        PQsetNoticeReceiver(handle, { _, _ in }, nil)
        guard PQstatus(handle) != CONNECTION_BAD else { return refuse(server, handle) }
        // Before the first call of `PQconnectPoll`, libpq requires a wait for writing.
        attempts.append(Attempt(server: server, handle: handle, events: Int16(POLLOUT)))
    }

    private mutating func refuse(_ server: Int, _ handle: OpaquePointer) {
        refusals[server] = (String(cString: PQerrorMessage(handle)), ContinuousClock().now)
        PQfinish(handle)
    }

    /// When there is something to do even if no server answers.
    private func wakeUp(_ deadline: ContinuousClock.Instant) -> ContinuousClock.Instant {
        var times = [deadline]
        if !unasked.isEmpty, let lastStart { times.append(lastStart + Self.head) }
        if unasked.isEmpty {
            let asked = Set(attempts.map(\.server))
            times += refusals.filter { !asked.contains($0.key) }.map { $0.value.at + Self.repetition }
        }
        return times.min() ?? deadline
    }

    private mutating func fail(_ complaintOfSilent: String) -> Result {
        // A server that refused is not silent, although it was asked again.
        let silent = Set(attempts.map(\.server)).subtracting(refusals.keys)
        for attempt in attempts { PQfinish(attempt.handle) }
        attempts = []
        let complaints = parameters.indices.compactMap { server in
            refusals[server]?.complaint ?? (silent.contains(server) ? complaintOfSilent : nil)
        }
        return .failed(complaints: complaints, silent: silent)
    }

    private static func start(_ parameters: [String: String]) -> OpaquePointer? {
        let parameters = parameters.sorted { $0.key < $1.key }
        var keywords = parameters.map { strdup($0.key).map { UnsafePointer($0) } }
        var values = parameters.map { strdup($0.value).map { UnsafePointer($0) } }
        keywords.append(nil)
        values.append(nil)
        defer { for text in keywords + values { free(UnsafeMutablePointer(mutating: text)) } }
        return PQconnectStartParams(keywords, values, 0)
    }

    /// Rounded up: a timeout of zero would busy-wait during the last millisecond.
    private static func milliseconds(until time: ContinuousClock.Instant, from now: ContinuousClock.Instant) -> Int32 {
        Int32(clamping: max(0, (time - now).milliseconds) + 1)
    }
}
