import EventLoop
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
    /// - Parameter keys: nil without keys.
    /// - Throws: `ZeroMQError` when the process has no free file descriptor.
    func connect(to brokers: [BusEndpoint], with keys: BusKeys?) throws -> [any BusSocket]
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

    /// Readable when the state may have changed. Every use of the socket may consume this signal.
    var descriptor: Int32 { get throws }

    /// Whether messages have arrived that no descriptor signals.
    var hasUnsignaledInput: Bool { get }
}

extension BusSocket {
    package var hasUnsignaledInput: Bool { false }
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

    package init() {
        ownBroker = nil
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

    package func connect(to brokers: [BusEndpoint], with keys: BusKeys?) throws -> [any BusSocket] {
        // Without sockets the process needs no I/O thread of libzmq for them.
        var context: ZeroMQContext?
        return try brokers.map { broker in
            if let ownBroker, ownBroker.endpoint.text == broker.text { return ownBroker.connection.makeMember() }
            let shared = try context ?? ZeroMQContext()
            context = shared
            return try DealerSocket(connectedTo: broker, with: keys, in: shared)
        }
    }
}

/// Reads and writes bus messages over a DEALER socket.
private final class DealerSocket: BusSocket {
    private let socket: ZeroMQSocket
    private let broker: BusEndpoint
    private let keys: BusKeys?
    /// The keys with which the broker may listen. Each has an attempt of its own to connect, and one of them succeeds.
    private var connectedKeys: [CurvePublicKey: String] = [:]
    private var message = ZeroMQMessage()
    private var draft = ZeroMQMessageBuilder()

    init(connectedTo broker: BusEndpoint, with keys: BusKeys?, in context: ZeroMQContext) throws {
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
        if keys == nil { try socket.connect(to: broker.text) } else { try peersChanged() }
    }

    func peersChanged() throws {
        guard let keys, let peer = broker.peer else { return }
        let listed = Set(keys.table[peer]?.keys ?? [])
        if !listed.isSuperset(of: connectedKeys.keys) {
            // Which of its keys the connection has is not known: it ends, and begins with a key that is still listed.
            for address in connectedKeys.values { try socket.disconnect(from: address) }
            connectedKeys = [:]
        }
        for key in listed.subtracting(connectedKeys.keys) {
            // libzmq ignores a second connection to an address that is written in the same way.
            let isTaken = connectedKeys.values.contains(broker.text)
            let address = isTaken ? broker.otherText : broker.text
            try socket.connect(to: address, as: keys.own, serverKey: key)
            connectedKeys[key] = address
        }
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
