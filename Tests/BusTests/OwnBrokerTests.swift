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
        let connection = try BusConnection(settings, on: loop, machine: broker.machine, note: { _ in })
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

@Suite struct MemoryConnectionTests {
    @Test func messagesKeepTheirOrderAndHaveABound() throws {
        let connection = MemoryConnection(wakeMember: {})
        let member = connection.makeMember()
        #expect(try !member.send(.heartbeat))  // No broker serves yet.
        connection.openBroker(wake: {})
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
        let connection = MemoryConnection(wakeMember: {})
        var member: (any BusSocket)? = connection.makeMember()
        connection.openBroker(wake: {})
        #expect(connection.sendToMember(.disconnect) == .sent)
        connection.closeBroker()
        #expect(try member?.send(.confirmed) == false)
        guard case .frames(.disconnect) = try member?.receive() else { throw BusMessageError.unknownCommand }
        connection.openBroker(wake: {})
        member = nil
        #expect(connection.sendToMember(.heartbeat) == .closed)
    }
}
