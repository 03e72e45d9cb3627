package import EventLoop
package import Vocabulary
import ZeroMQ

/// What the bus takes from the machine: clocks, pauses, random numbers and connections. A simulation replaces it.
package protocol BusMachine: Sendable {
    /// One reading of both clocks.
    func now() -> BusTime

    /// - Throws: `CancellationError`.
    func pause(for duration: Duration) async throws

    /// Cannot be guessed.
    func randomNumber() -> UInt64

    /// One connection to each broker, in this order. They connect, and connect again, by themselves.
    /// - Parameters:
    ///   - keys: nil without keys.
    ///   - signal: raised when a connection needs a turn that its descriptor does not announce.
    ///   - onHostUnknown: called on any thread when the host of a broker has no address, and that is news.
    /// - Throws: `ZeroMQError` when the process has no free file descriptor.
    func connect(
        to brokers: [BusEndpoint], with keys: BusKeys?, signal: SourceSignal,
        onHostUnknown: @escaping @Sendable (_ broker: BusEndpoint) -> Void
    ) throws -> [any BusSocket]
}

extension BusMachine {
    func randomRequestID() -> RequestID { RequestID(high: randomNumber(), low: randomNumber()) }

    /// The time of day, for the parameters `now` of services.
    package var wallClock: @Sendable () -> Moment { { now().wall } }

    /// For the parameters `instant`.
    package var steadyClock: @Sendable () -> ContinuousClock.Instant { { now().steady } }

    /// 0 ..< 1, for the parameters `jitter`.
    package var jitter: @Sendable () -> Double { { Double(randomNumber() >> 11) * 0x1p-53 } }
}

/// The connection of a process to one broker. Neither call waits.
package protocol BusSocket: AnyObject {
    /// - Returns: false when no connection can accept the message now.
    func send(_ message: BusMessage) throws -> Bool

    /// - Returns: nil when no message has arrived.
    func receive() throws -> BusInput?

    /// Whether a message has arrived, and whether a connection accepts one.
    var state: (canReceive: Bool, canSend: Bool) { get throws }

    /// The table of peers has changed: the keys of the broker may be others.
    func peersChanged() throws

    /// Follows the addresses of a broker that is named by a host.
    /// - Parameter isConnected: whether the broker knows this process.
    /// - Returns: when it must be called again; nil for a broker with an address.
    func followHost(isConnected: Bool, at now: ContinuousClock.Instant) throws -> ContinuousClock.Instant?

    /// Readable when the state may have changed. Every use of the socket may consume this signal.
    var descriptor: Int32 { get throws }

    /// Whether messages have arrived that no descriptor signals.
    var hasUnsignaledInput: Bool { get }
}

extension BusSocket {
    package var hasUnsignaledInput: Bool { false }

    package func followHost(isConnected: Bool, at now: ContinuousClock.Instant) throws -> ContinuousClock.Instant? {
        nil
    }
}

/// What arrived over a connection.
package enum BusInput: Sendable {
    case frames(BusMessage)
    /// Bytes that are not a valid message.
    case malformed(BusMessageError)
}

/// The machine that this process runs on.
package struct LocalMachine: BusMachine {
    /// The broker that this process contains.
    private let ownBroker: (endpoint: BusEndpoint, connection: MemoryConnection)?
    private var lookUp: @Sendable (String) -> [String] = { BrokerHost.numericAddresses(of: $0) }

    package init() {
        ownBroker = nil
    }

    /// - Parameter lookUp: the addresses of a host. It blocks.
    init(lookUp: @escaping @Sendable (String) -> [String]) {
        self.init()
        self.lookUp = lookUp
    }

    /// - Parameter connection: replaces the socket to the broker at `endpoint`, which this process contains.
    package init(containing endpoint: BusEndpoint, over connection: MemoryConnection) {
        ownBroker = (endpoint, connection)
    }

    package func now() -> BusTime { .now() }

    package func pause(for duration: Duration) async throws { try await Task.sleep(for: duration) }

    package func randomNumber() -> UInt64 {
        var random = MachineRandom()
        return random.next()
    }

    package func connect(
        to brokers: [BusEndpoint], with keys: BusKeys?, signal: SourceSignal,
        onHostUnknown: @escaping @Sendable (_ broker: BusEndpoint) -> Void
    ) throws -> [any BusSocket] {
        let addresses = ConnectedAddresses()
        // Without sockets the process needs no I/O thread of libzmq for them.
        var context: ZeroMQContext?
        return try brokers.map { broker in
            if let ownBroker, ownBroker.endpoint.text == broker.text { return ownBroker.connection.makeMember(signal) }
            let shared = try context ?? ZeroMQContext()
            context = shared
            let host = broker.host.map { host in
                BrokerHost(
                    host.name, lookUp: lookUp,
                    ended: { [weak signal] isUnknown in
                        if isUnknown { onHostUnknown(broker) }
                        signal?.raise()
                    })
            }
            return try DealerSocket(
                connectedTo: broker, at: host, beside: addresses, with: keys, in: shared, now: now().steady)
        }
    }
}

/// Reads and writes bus messages over a DEALER socket.
private final class DealerSocket: BusSocket {
    private let socket: ZeroMQSocket
    private let broker: BusEndpoint
    private let keys: BusKeys?
    /// Nil for a broker with an address.
    private let host: BrokerHost?
    private var choice: BrokerAddressChoice
    private let addresses: ConnectedAddresses
    /// The keys with which the broker may listen. Each has an attempt of its own to connect, and one of them succeeds.
    private var connectedKeys: [CurvePublicKey: String] = [:]
    private var message = ZeroMQMessage()
    private var draft = ZeroMQMessageBuilder()

    init(
        connectedTo broker: BusEndpoint, at host: BrokerHost?, beside addresses: ConnectedAddresses,
        with keys: BusKeys?, in context: ZeroMQContext, now: ContinuousClock.Instant
    ) throws {
        self.host = host
        self.addresses = addresses
        choice = .init(at: now)
        self.broker = broker
        self.keys = keys
        var options = ZeroMQSocket.Options()
        if keys != nil {
            // A handshake costs both ends a millisecond of processor time, so processes that lost their broker at the same
            // time do not return at the same time. libzmq adds up to as much again, at random.
            options.reconnectMilliseconds = .random(in: 20...200)
            options.longestReconnectMilliseconds = 2000
        }
        socket = try ZeroMQSocket(.dealer, in: context, options: options)
        if let address { addresses.take(address, of: broker.peer, for: self) }
        if keys == nil { try socket.connect(to: broker.text) } else { try peersChanged() }
    }

    func peersChanged() throws {
        guard let keys, let peer = broker.peer else { return }
        let listed = Set(keys.table[peer]?.keys ?? [])
        // Each key has a connection of its own: that of a key which is still listed stays.
        for (key, address) in connectedKeys where !listed.contains(key) {
            try socket.disconnect(from: address)
            connectedKeys[key] = nil
        }
        guard let address else { return }
        for key in listed.subtracting(connectedKeys.keys) {
            // libzmq ignores a second connection to an address that is written in the same way.
            let isTaken = connectedKeys.values.contains(address)
            let text = isTaken ? BusEndpoint.otherText(of: address) : address
            try socket.connect(to: text, as: keys.own, serverKey: key)
            connectedKeys[key] = text
        }
    }

    /// Nil while no address of the host is known.
    private var address: String? {
        guard let host = broker.host else { return broker.text }
        return choice.current.map(host.endpoint)
    }

    private func disconnect() throws {
        for address in connectedKeys.values { try socket.disconnect(from: address) }
        connectedKeys = [:]
    }

    func followHost(isConnected: Bool, at now: ContinuousClock.Instant) throws -> ContinuousClock.Instant? {
        guard let host, let place = broker.host else { return nil }
        let former = choice.current
        let free = host.addresses.filter { addresses.isFree(place.endpoint(at: $0), of: broker.peer, for: self) }
        if choice.update(free, isConnected: isConnected, at: now) { host.look() }
        if choice.current != former, let address {
            addresses.take(address, of: broker.peer, for: self)
            try disconnect()
            try peersChanged()
        }
        return choice.dueAt
    }

    func send(_ message: BusMessage) throws -> Bool {
        message.write(to: &draft)
        do {
            try socket.send(draft)
            return true
        } catch .wouldBlock {
            return false
        }
    }

    func receive() throws -> BusInput? {
        guard try socket.receive(into: &message) else { return nil }
        do throws(BusMessageError) {
            return .frames(try BusMessage(&message, from: 0))
        } catch {
            return .malformed(error)
        }
    }

    var state: (canReceive: Bool, canSend: Bool) { get throws { try socket.state } }
    var descriptor: Int32 { get throws { try socket.descriptor() } }
}
