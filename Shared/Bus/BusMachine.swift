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
    /// - Throws: `ZeroMQError` when the process has no free file descriptor.
    func connect(to brokers: [BusEndpoint]) throws -> [any BusSocket]
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

    package func connect(to brokers: [BusEndpoint]) throws -> [any BusSocket] {
        // Without sockets the process needs no I/O thread of libzmq for them.
        var context: ZeroMQContext?
        return try brokers.map { broker in
            if let ownBroker, ownBroker.endpoint == broker { return ownBroker.connection.makeMember() }
            let shared = try context ?? ZeroMQContext()
            context = shared
            return try DealerSocket(connectedTo: broker, in: shared)
        }
    }
}

/// Reads and writes bus messages over a DEALER socket.
private final class DealerSocket: BusSocket {
    private let socket: ZeroMQSocket
    private var message = ZeroMQMessage()
    private var draft = ZeroMQMessageBuilder()

    init(connectedTo broker: BusEndpoint, in context: ZeroMQContext) throws {
        socket = try ZeroMQSocket(.dealer, in: context)
        try socket.connect(to: broker.text)
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
