import Blocking
import Glibc
import Synchronization

/// The addresses of a host at which a broker listens. libzmq would ask for them on the thread that serves every connection,
/// and would take the first one only. Here a slow name server holds up nobody.
final class BrokerHost: Sendable {
    private struct State {
        var addresses: [String] = []
        var isLooking = false
        /// The last look-up found nothing.
        var isUnknown = false
    }

    /// More addresses of one name are ignored.
    static let maximumAddresses = 16
    /// No look-up can be interrupted. Each name has one at most, so with a thread for each a dead name server holds up none of
    /// another one.
    private static let pool = BlockingPool(label: "names", threads: BusSettings.maximumBrokers, maximumWaiting: 64)

    private let name: String
    private let lookUp: @Sendable (String) -> [String]
    private let ended: @Sendable (Bool) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - lookUp: the addresses of a name in numbers, none if it has none or nobody knows. It blocks.
    ///   - ended: called after each look-up, on any thread; true when the name has no address, and that is news.
    init(
        _ name: String, lookUp: @escaping @Sendable (String) -> [String] = BrokerHost.numericAddresses,
        ended: @escaping @Sendable (_ isUnknown: Bool) -> Void
    ) {
        self.name = name
        self.lookUp = lookUp
        self.ended = ended
    }

    /// In the order of the last answer that had any. Those that answered before a name server died stay in use.
    var addresses: [String] { state.withLock(\.addresses) }

    /// Looks the name up again, unless that is going on.
    func look() {
        let begins = state.withLock { state in
            defer { state.isLooking = true }
            return !state.isLooking
        }
        guard begins else { return }
        Task { [self] in
            // Nil when other look-ups wait: the next time is soon.
            let found = try? await Self.pool.run { [name, lookUp] in lookUp(name) }
            let isNews = state.withLock { state in
                state.isLooking = false
                guard let found else { return false }
                if !found.isEmpty { state.addresses = Array(found.prefix(Self.maximumAddresses)) }
                defer { state.isUnknown = found.isEmpty }
                return found.isEmpty && !state.isUnknown
            }
            ended(isNews)
        }
    }

    /// As an address has them before its port.
    @Sendable static func numericAddresses(of name: String) -> [String] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var addresses: [String] = []
        var next = list
        while let entry = next?.pointee, addresses.count < maximumAddresses {
            next = entry.ai_next
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            guard
                getnameinfo(
                    entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
            else { continue }
            let address = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            // A link-local address has a meaning on one interface only.
            guard !address.contains("%") else { continue }
            let written = entry.ai_family == AF_INET6 ? "[\(address)]" : address
            if !addresses.contains(written) { addresses.append(written) }
        }
        return addresses
    }
}

/// Where the connections of one process lead. Two names can have the same address, and a broker takes two connections of a process
/// for one that has restarted.
final class ConnectedAddresses {
    private struct Place: Hashable {
        var peer: BusName?
        var address: String
    }

    private var owners: [Place: ObjectIdentifier] = [:]

    /// Whether no connection of another owner to this peer leads there. With the key of another peer none would succeed.
    func isFree(_ address: String, of peer: BusName?, for owner: AnyObject) -> Bool {
        owners[Place(peer: peer, address: address)].map { $0 == ObjectIdentifier(owner) } ?? true
    }

    /// Replaces the former address of an owner.
    func take(_ address: String, of peer: BusName?, for owner: AnyObject) {
        owners = owners.filter { $0.value != ObjectIdentifier(owner) }
        owners[Place(peer: peer, address: address)] = ObjectIdentifier(owner)
    }
}

/// Decides to which address of a named broker a process connects: to one at a time, because each connection is a member of its own.
struct BrokerAddressChoice: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// Between two look-ups while the broker is connected.
    static let lookInterval = Duration.seconds(30)
    /// How long an address has time to connect. Then it is the turn of the next one.
    static let attemptTimeout = Duration.seconds(3)

    /// Nil before the name was found.
    private(set) var current: String?
    /// When there is something to decide again, without news.
    private(set) var dueAt: Instant
    private var wasConnected = false

    init(at now: Instant) { dueAt = now }

    /// - Parameters:
    ///   - addresses: of the last look-up, in its order.
    ///   - isConnected: whether the broker at the current address knows this process.
    /// - Returns: whether to look the name up again.
    mutating func update(_ addresses: [String], isConnected: Bool, at now: Instant) -> Bool {
        let isLost = wasConnected && !isConnected
        wasConnected = isConnected
        if current == nil, let first = addresses.first {
            current = first
            dueAt = now + Self.attemptTimeout
            return false
        }
        guard isLost || now >= dueAt else { return false }
        if isConnected {
            // An address that connects stays, even if the name has others now.
            dueAt = now + Self.lookInterval
            return true
        }
        dueAt = now + Self.attemptTimeout
        // A lost connection may come back at its address first.
        if !isLost, !addresses.isEmpty {
            let former = current.flatMap { addresses.firstIndex(of: $0) }
            current = addresses[former.map { ($0 + 1) % addresses.count } ?? 0]
        }
        return true
    }
}
