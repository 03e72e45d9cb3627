import Broker
import Bus
import Contracts
import EventLoop
import ServiceRuntime
import TestSupport
import Testing
import Vocabulary

/// A broker inside a process: the requests of this process reach it in memory, those of others over its socket.
@Suite struct OwnBrokerTests {
    /// A gateway with a broker, on one loop.
    private static func withGateway(
        _ mesh: TestMesh, _ body: (_ gateway: BusConnection, _ broker: RunningTestPart) async throws -> Void
    ) async throws {
        let loop = try EventLoop(label: "gateway")
        let endpoint = try BusEndpoint(mesh.endpoint())
        let broker = Broker(listen: endpoint, inside: loop, log: Log(instance: "gateway.1", write: { _ in }))
        var settings = try BusSettings(
            brokers: [endpoint.text], service: .gateway, instance: "gateway.1", capacity: 0)
        settings.limits = .longTimeouts
        let connection = try BusConnection(settings, on: loop, machine: broker.machine(ofMember: 0), note: { _ in })
        let (member, part) = (RunningTestPart(connection), RunningTestPart(broker))
        try await eventually("the gateway has joined its broker") { connection.status.connectedBrokers == 1 }
        do {
            try await body(connection, part)
        } catch {
            await member.stop()
            await part.stop()
            throw error
        }
        await member.stop()
        await part.stop()
    }

    @Test func processAndOthersReachWorkers() async throws {
        try await withMesh { mesh in
            try await Self.withGateway(mesh) { gateway, _ in
                let worker = try mesh.join(.notifier, worker: Echo.worker.handler).connection
                let other = try mesh.join(.mfaSMS).connection
                try await eventually("both have joined") {
                    worker.status.connectedBrokers + other.status.connectedBrokers == 2
                }
                for number in 0..<100 {
                    for connection in [gateway, other] {
                        let reply = try await BusClient(connection).send(
                            Echo.EchoRequest(text: "\(number)"), trace: .random())
                        #expect(reply.text == "\(number)")
                    }
                }
                // More at once than the worker takes.
                try await withThrowingTaskGroup { group in
                    for number in 0..<300 {
                        group.addTask {
                            let sent = Echo.EchoRequest(text: "\(number)")
                            let reply = try await BusClient(gateway).send(
                                sent, trace: .random(), timeout: .seconds(60))
                            #expect(reply.text == "\(number)")
                        }
                    }
                    try await group.waitForAll()
                }
                var events = gateway.subscribe().makeAsyncIterator()
                worker.publish(.signingKeysChanged)
                #expect(await events.next() == .signingKeysChanged)
            }
        }
    }

    /// The process stops before its broker, which then serves the other processes.
    @Test func brokerServesOthersAfterItsProcessLeft() async throws {
        try await withMesh { mesh in
            try await Self.withGateway(mesh) { gateway, _ in
                _ = try mesh.join(.notifier, worker: Echo.worker.handler)
                let other = try mesh.client()
                await gateway.beginShutdown()
                try await eventually("the gateway has left") { gateway.status.connectedBrokers == 0 }
                let reply = try await other.send(Echo.EchoRequest(text: "still"), trace: .random())
                #expect(reply.text == "still")
            }
        }
    }

    @Test func callAfterBrokerStoppedIsUnavailable() async throws {
        try await withMesh { mesh in
            try await Self.withGateway(mesh) { gateway, broker in
                await broker.stop()
                let error = await #expect(throws: ServiceError.self) {
                    try await BusClient(gateway).send(Echo.Once(text: ""), trace: .random())
                }
                #expect(error?.code == .unavailable)
            }
        }
    }
}

/// Several members in the process of their broker, which exchange messages in memory.
@Suite struct MembersInProcessTests {
    /// - Parameter sharesLoop: whether the members use the loop of the broker.
    @Test(arguments: [true, false])
    func membersReachEachOtherAndThoseOfOtherProcesses(sharesLoop: Bool) async throws {
        try await withMesh { mesh in
            let loop = try EventLoop(label: "mesh")
            let loops = try (0..<2).map { _ in sharesLoop ? loop : try EventLoop(label: "member") }
            let endpoint = try BusEndpoint(mesh.endpoint())
            let broker = Broker(
                listen: endpoint, inside: loop, members: loops.count, log: Log(instance: "latchkey", write: { _ in }))
            let members = try [ServiceName.notifier, .gateway].enumerated().map { number, service in
                var settings = try BusSettings(
                    brokers: [endpoint.text], service: service, instance: "\(service.rawValue).1")
                settings.limits = .longTimeouts
                return try BusConnection(
                    settings, worker: service == .notifier ? Echo.worker.handler : nil, on: loops[number],
                    machine: broker.machine(ofMember: number), note: { _ in })
            }
            let parts = [RunningTestPart(broker)] + members.map { RunningTestPart($0) }
            let other = try mesh.join(.mfaSMS).connection
            try await eventually("all have joined") {
                (members + [other]).allSatisfy { $0.status.connectedBrokers == 1 }
            }
            for number in 0..<100 {
                for client in [members[1], other] {
                    let reply = try await BusClient(client).send(
                        Echo.EchoRequest(text: "\(number)"), trace: .random())
                    #expect(reply.text == "\(number)")
                }
            }
            // A member that has left is no longer asked, and the others go on.
            await parts[1].stop()
            let error = await #expect(throws: ServiceError.self) {
                try await BusClient(members[1]).send(Echo.Once(text: ""), trace: .random(), timeout: .milliseconds(500))
            }
            #expect(error?.code == .unavailable || error?.code == .deadlineExceeded)
            for part in parts.reversed() { await part.stop() }
        }
    }

    private final class Others: BrokerRouting {
        var waiting = 0
        var descriptors: [Int32] { [] }
        func receive() -> BrokerInput? {
            guard waiting > 0 else { return nil }
            waiting -= 1
            return BrokerInput(from: Peer(1), .process, .frames(.heartbeat))
        }
        func send(_ message: BusMessage, to peer: Peer) -> BrokerSendOutcome { .sent }
    }

    /// None keeps the broker from another, however much it sends.
    @Test func membersAndOthersTakeTurns() throws {
        let others = Others()
        let signal = try EventLoop(label: "test").makeSignal()
        let own = (0..<2).map { _ in MemoryConnection() }
        let connections = BrokerConnections(others, own: own, signal: signal)
        let members = own.map { $0.makeMember(signal) }
        others.waiting = 2
        for _ in 0..<4 { #expect(try members[0].send(.heartbeat)) }
        for _ in 0..<2 { #expect(try members[1].send(.heartbeat)) }
        let (first, second, other) = (Peer.inProcess(0), Peer.inProcess(1), Peer(1))
        let order = try (0..<8).map { _ in try connections.receive()?.peer }
        #expect(order == [first, second, other, first, second, other, first, first])
        #expect(try connections.receive() == nil)
        #expect(!connections.hasUnsignaledInput)
        #expect(Peer.inProcess(1) != Peer(1))
    }
}

@Suite struct MemoryConnectionTests {
    @Test func messagesKeepTheirOrderAndHaveABound() throws {
        let signal = try EventLoop(label: "test").makeSignal()
        let connection = MemoryConnection()
        let member = connection.makeMember(signal)
        #expect(try !member.send(.heartbeat))  // No broker serves yet.
        connection.openBroker(signal)
        #expect(try member.send(.watch))
        for _ in 1..<MemoryConnection.maximumWaiting { #expect(try member.send(.heartbeat)) }
        #expect(try !member.send(.heartbeat))
        #expect(try !member.state.canSend)
        #expect(connection.receiveAtBroker() == .watch)
        #expect(try member.send(.heartbeat))

        for _ in 0..<MemoryConnection.maximumWaiting { #expect(connection.sendToMember(.leaving) == .sent) }
        #expect(connection.sendToMember(.leaving) == .full)
        #expect(member.hasUnsignaledInput)
    }

    /// What the broker sent before its end still arrives, as the last replies of a stopping one.
    @Test func endOfOneSideIsSeenByTheOther() throws {
        let signal = try EventLoop(label: "test").makeSignal()
        let connection = MemoryConnection()
        var member: (any BusSocket)? = connection.makeMember(signal)
        connection.openBroker(signal)
        #expect(connection.sendToMember(.disconnect) == .sent)
        connection.closeBroker()
        #expect(try member?.send(.confirmed) == false)
        guard case .frames(.disconnect) = try member?.receive() else { throw BusMessageError.unknownCommand }
        connection.openBroker(signal)
        member = nil
        #expect(connection.sendToMember(.heartbeat) == .closed)
    }
}
