import Broker
import Bus
import TestSupport
import Vocabulary

/// One end of connections, as a process uses it.
protocol SimulatedEndpoint: AnyObject {
    /// Whether its descriptor is readable.
    var hasSignal: Bool { get }
    /// Whether messages wait without a signal.
    var hasUnannouncedInput: Bool { get }
    /// Its source has finished: it receives nothing more, and what it has sent is still on its way.
    func closeAfterLastMessages()
    func close()
}

/// Announces changes as the descriptor of a socket of libzmq does: once, when a reader that found nothing could read
/// again. Every use of the socket takes the signal away.
struct EdgeSignal {
    private(set) var isSet = false
    private var readerFoundNothing = true

    mutating func messageArrived() {
        if readerFoundNothing { isSet = true }
        readerFoundNothing = false
    }

    /// A connection was opened or closed, or has room again.
    mutating func changed() { isSet = true }

    mutating func used() { isSet = false }

    mutating func foundNothing() {
        isSet = false
        readerFoundNothing = true
    }
}

/// A message on its way. A request carries the time left, because the clocks of processes differ.
struct SimulatedMessage {
    var content: BusMessage
    var timeLeft: Int64?
    var arrivesAt: ContinuousClock.Instant

    init(_ content: BusMessage, sentAt now: BusTime, arrivesAt: ContinuousClock.Instant) {
        self.content = content
        self.arrivesAt = arrivesAt
        if case .request(let request) = content {
            timeLeft = max(0, request.deadline.milliseconds(since: now.wall))
        }
    }

    func received(at now: BusTime) -> BusMessage {
        guard case .request(var request) = content, let timeLeft else { return content }
        request.deadline = Moment(milliseconds: now.wall.milliseconds + timeLeft)
        return .request(request)
    }
}

/// One connection between a member and a broker. Its ends notice its end at different times.
final class SimulatedConnection {
    let peer: Peer
    let dealer: SimulatedDealer
    let router: SimulatedRouter
    var toBroker: [SimulatedMessage] = []
    var toMember: [SimulatedMessage] = []
    /// Arrived at the broker and not read yet.
    var brokerInbox: [SimulatedMessage] = []
    /// The connection carries nothing any more.
    var isCut = false
    var memberHasNoticed = false
    var brokerHasNoticed = false
    /// Nothing arrives before this time.
    var stalledUntil: ContinuousClock.Instant?
    /// The last message arrives at this time: the order is kept.
    var lastToBroker = SimulatedTime.beginning
    var lastToMember = SimulatedTime.beginning

    init(_ dealer: SimulatedDealer, _ router: SimulatedRouter, peer: Peer) {
        self.dealer = dealer
        self.router = router
        self.peer = peer
    }

    func isCarrying(to end: SimulatedNetwork.End) -> Bool {
        switch end {
        case .broker: !toBroker.isEmpty
        case .member: !toMember.isEmpty
        }
    }
}

/// The connection of a member to one broker: it connects again by itself.
final class SimulatedDealer: BusSocket, SimulatedEndpoint {
    let process: SimulatedProcess
    let broker: BusEndpoint
    var connection: SimulatedConnection?
    var inbox: [SimulatedMessage] = []
    var signal = EdgeSignal()
    private var foundFull = false
    private(set) var isClosed = false

    init(of process: SimulatedProcess, to broker: BusEndpoint) {
        self.process = process
        self.broker = broker
    }

    private var canSend: Bool {
        guard let connection else { return false }
        return connection.toBroker.count + connection.brokerInbox.count < process.world.network.highWaterMark
    }

    func send(_ message: BusMessage) throws -> Bool {
        guard !isClosed else { return false }
        messagesArriveBesideUse()
        signal.used()
        guard canSend, let connection else {
            foundFull = connection != nil
            return false
        }
        process.world.network.send(message, toBroker: connection, at: process.now())
        return true
    }

    private func messagesArriveBesideUse() {
        if let connection { process.world.network.deliverSome(to: .member, over: connection) }
    }

    func receive() throws -> BusInput? {
        messagesArriveBesideUse()
        guard !isClosed, !inbox.isEmpty else {
            signal.foundNothing()
            return nil
        }
        signal.used()
        return .frames(inbox.removeFirst().received(at: process.now()))
    }

    var state: (canReceive: Bool, canSend: Bool) {
        get throws {
            messagesArriveBesideUse()
            if inbox.isEmpty { signal.foundNothing() } else { signal.used() }
            if !canSend { foundFull = connection != nil }
            return (!inbox.isEmpty, canSend)
        }
    }

    /// The simulation has no keys.
    func peersChanged() throws {}

    var descriptor: Int32 { get throws { -1 } }

    /// The other end has read messages.
    func roomChanged() {
        guard foundFull, let connection,
            connection.toBroker.count + connection.brokerInbox.count <= process.world.network.highWaterMark / 2
        else { return }
        foundFull = false
        signal.changed()
    }

    var hasSignal: Bool { !isClosed && signal.isSet }
    var hasUnannouncedInput: Bool { !inbox.isEmpty && !signal.isSet }

    func closeAfterLastMessages() {
        isClosed = true
        inbox = []
        process.world.network.whenSent(by: process) { [self] in close() }
    }

    func close() {
        isClosed = true
        inbox = []
        if let connection { process.world.network.cut(connection) }
        connection = nil
    }
}

/// The connections of one broker.
///
/// `@unchecked Sendable`: the scheduler runs everything on one thread.
final class SimulatedRouter: BrokerRouting, SimulatedEndpoint, @unchecked Sendable {
    let process: SimulatedProcess
    let endpoint: BusEndpoint
    var connections: [SimulatedConnection] = []
    var signal = EdgeSignal()
    private var nextPeer: UInt32 = 1
    private(set) var isClosed = false

    init(of process: SimulatedProcess, at endpoint: BusEndpoint) {
        self.process = process
        self.endpoint = endpoint
    }

    func accept(_ dealer: SimulatedDealer) -> SimulatedConnection {
        let connection = SimulatedConnection(dealer, self, peer: Peer(nextPeer))
        nextPeer += 1
        connections.append(connection)
        signal.changed()
        return connection
    }

    private func messagesArriveBesideUse() {
        for connection in connections { process.world.network.deliverSome(to: .broker, over: connection) }
    }

    func receive() throws -> BrokerInput? {
        messagesArriveBesideUse()
        let waiting = connections.filter { !$0.brokerInbox.isEmpty }
        guard !waiting.isEmpty else {
            signal.foundNothing()
            return nil
        }
        signal.used()
        let connection = waiting[process.world.random.index(below: waiting.count)]
        let message = connection.brokerInbox.removeFirst()
        connection.dealer.roomChanged()
        if connection.brokerHasNoticed, connection.brokerInbox.isEmpty { forget(connection) }
        return BrokerInput(from: connection.peer, .process, .frames(message.received(at: process.now())))
    }

    func send(_ message: BusMessage, to peer: Peer) throws -> BrokerSendOutcome {
        messagesArriveBesideUse()
        signal.used()
        guard let connection = connections.first(where: { $0.peer == peer }), !connection.brokerHasNoticed else {
            return .gone
        }
        let waiting =
            connection.toMember.count
            + (connection.dealer.connection === connection ? connection.dealer.inbox.count : 0)
        guard waiting < process.world.network.highWaterMarkOfBroker else {
            process.world.network.countFull()
            return .full
        }
        process.world.network.send(message, toMember: connection, at: process.now())
        return .sent
    }

    func forget(_ connection: SimulatedConnection) { connections.removeAll { $0 === connection } }

    var descriptors: [Int32] { [-1] }
    var hasSignal: Bool { signal.isSet }
    var hasUnannouncedInput: Bool { !signal.isSet && connections.contains { !$0.brokerInbox.isEmpty } }

    /// The broker is the last part of its process, which then waits for its messages and ends.
    func closeAfterLastMessages() {}

    func close() {
        isClosed = true
        for connection in connections { process.world.network.cut(connection) }
        connections = []
    }
}

/// What lies between members and brokers: messages take time, connections end and are made again.
final class SimulatedNetwork {
    /// Set by the world itself.
    unowned var world: World!
    /// Messages that one connection holds. Small ones try what a full connection does.
    let highWaterMark: Int
    /// The same for what a broker sends.
    let highWaterMarkOfBroker: Int
    /// Messages of brokers that found their connection full.
    private(set) var fullCount = 0
    private(set) var connections: [SimulatedConnection] = []
    private var routers: [String: SimulatedRouter] = [:]
    /// The longest time of a message on its way.
    var longestLatency = Duration.milliseconds(2)

    init(highWaterMark: Int, ofBroker highWaterMarkOfBroker: Int) {
        self.highWaterMark = highWaterMark
        self.highWaterMarkOfBroker = highWaterMarkOfBroker
    }

    func countFull() { fullCount += 1 }

    func listen(_ router: SimulatedRouter) { routers[router.endpoint.text] = router }

    /// Connects as soon as the broker listens.
    func connect(_ dealer: SimulatedDealer) {
        guard !dealer.isClosed, dealer.connection == nil else { return }
        guard let router = routers[dealer.broker.text], !router.isClosed else {
            // libzmq tries again after 5 to 500 milliseconds.
            let pause = Duration.milliseconds(5 + world.random.index(below: 496))
            world.schedule(after: pause) { [self] in connect(dealer) }
            return
        }
        let connection = router.accept(dealer)
        connections.append(connection)
        dealer.connection = connection
        dealer.signal.changed()
    }

    func send(_ message: BusMessage, toBroker connection: SimulatedConnection, at now: BusTime) {
        guard !connection.isCut else { return }
        connection.lastToBroker = max(connection.lastToBroker, arrival())
        connection.toBroker.append(SimulatedMessage(message, sentAt: now, arrivesAt: connection.lastToBroker))
    }

    func send(_ message: BusMessage, toMember connection: SimulatedConnection, at now: BusTime) {
        guard !connection.isCut else { return }
        connection.lastToMember = max(connection.lastToMember, arrival())
        connection.toMember.append(SimulatedMessage(message, sentAt: now, arrivesAt: connection.lastToMember))
    }

    private func arrival() -> ContinuousClock.Instant {
        let microseconds = Int(longestLatency / .microseconds(1))
        return world.time.steady + .microseconds(20 + world.random.index(below: max(1, microseconds)))
    }

    // MARK: Steps

    /// When the next message of a connection arrives; nil without one.
    func arrival(at connection: SimulatedConnection) -> ContinuousClock.Instant? {
        let first = [connection.toBroker.first?.arrivesAt, connection.toMember.first?.arrivesAt].compactMap { $0 }.min()
        guard let first else { return nil }
        return max(first, connection.stalledUntil ?? first)
    }

    enum End { case broker, member }

    /// One message arrives.
    func deliver(over connection: SimulatedConnection) {
        let forBroker = isDue(to: .broker, over: connection)
        let forMember = isDue(to: .member, over: connection)
        if forBroker, !forMember || world.random.next() % 2 == 0 {
            deliver(to: .broker, over: connection)
        } else if forMember {
            deliver(to: .member, over: connection)
        }
    }

    /// Messages arrive also while a process uses its sockets: libzmq reads on a thread of its own. What a use of a
    /// socket does to the signal of a message that arrived between two uses shows only so. Each message on its way may
    /// be that one.
    func deliverSome(to end: End, over connection: SimulatedConnection) {
        guard connection.stalledUntil.map({ $0 <= world.time.steady }) ?? true else { return }
        while connection.isCarrying(to: end), world.random.chance(percent: 20) { deliver(to: end, over: connection) }
    }

    private func isDue(to end: End, over connection: SimulatedConnection) -> Bool {
        let first =
            switch end {
            case .broker: connection.toBroker.first
            case .member: connection.toMember.first
            }
        guard let first else { return false }
        return max(first.arrivesAt, connection.stalledUntil ?? first.arrivesAt) <= world.time.steady
    }

    private func deliver(to end: End, over connection: SimulatedConnection) {
        switch end {
        case .broker:
            connection.brokerInbox.append(connection.toBroker.removeFirst())
            connection.router.signal.messageArrived()
        case .member:
            let message = connection.toMember.removeFirst()
            guard connection.dealer.connection === connection, !connection.dealer.isClosed else { return }
            connection.dealer.inbox.append(message)
            connection.dealer.signal.messageArrived()
        }
    }

    /// The connection ends. What is on its way is lost, from a message on that chance decides. Each end notices it
    /// after a time of its own, at most `notice`.
    func cut(_ connection: SimulatedConnection, noticedWithin notice: Duration = .milliseconds(5)) {
        guard !connection.isCut else { return }
        connection.isCut = true
        connection.toBroker.removeLast(world.random.index(below: connection.toBroker.count + 1))
        connection.toMember.removeLast(world.random.index(below: connection.toMember.count + 1))
        connection.stalledUntil = nil
        let longest = max(1, Int(notice / .milliseconds(1)))
        world.schedule(after: .milliseconds(world.random.index(below: longest))) { [self] in
            memberNotices(connection)
        }
        world.schedule(after: .milliseconds(world.random.index(below: longest))) { [self] in
            brokerNotices(connection)
        }
    }

    /// Acts as soon as nothing that the process has sent waits, after 500 milliseconds at most (`lingerMilliseconds`).
    func whenSent(by process: SimulatedProcess, _ act: @escaping () -> Void) {
        let end = world.time.steady + .milliseconds(500)
        func look() {
            guard !process.isEnded else { return }
            let isWaiting = connections.contains { connection in
                !connection.isCut
                    && (connection.router.process === process && !connection.toMember.isEmpty
                        || connection.dealer.process === process && !connection.toBroker.isEmpty)
            }
            if isWaiting, world.time.steady < end {
                world.schedule(after: .milliseconds(1), look)
            } else {
                act()
            }
        }
        look()
    }

    private func memberNotices(_ connection: SimulatedConnection) {
        connection.memberHasNoticed = true
        connection.toMember = []
        removeIfNoticed(connection)
        let dealer = connection.dealer
        guard dealer.connection === connection else { return }
        // With `ZMQ_IMMEDIATE`, what was received and not read yet is dropped.
        dealer.connection = nil
        dealer.inbox = []
        dealer.signal.changed()
        world.schedule(after: .milliseconds(5 + world.random.index(below: 100))) { [self] in connect(dealer) }
    }

    private func brokerNotices(_ connection: SimulatedConnection) {
        connection.brokerHasNoticed = true
        connection.toBroker = []
        removeIfNoticed(connection)
        connection.router.signal.changed()
        // Messages that have arrived can still be read.
        if connection.brokerInbox.isEmpty { connection.router.forget(connection) }
    }

    private func removeIfNoticed(_ connection: SimulatedConnection) {
        guard connection.memberHasNoticed, connection.brokerHasNoticed else { return }
        connections.removeAll { $0 === connection }
    }
}
