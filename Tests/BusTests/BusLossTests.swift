import Blocking
import Broker
import Bus
import Contracts
import Synchronization
import TestSupport
import Testing
import Vocabulary
import ZeroMQ

/// Brokers and workers that disappear, over real sockets.
@Suite struct BusLossTests {
    @Test func oneOfTwoBrokersCanStopWithoutLoss() async throws {
        try await withMesh { mesh in
            let first = try mesh.startBroker(1)
            try mesh.startBroker(2)
            _ = try mesh.join(.notifier, brokers: [1, 2], worker: Echo.worker.handler)
            let client = try mesh.client(brokers: [1, 2])
            for number in 0..<10 {
                _ = try await client.send(Echo.EchoRequest(text: "\(number)"), trace: .random(), timeout: .seconds(300))
            }
            await first.stop()
            for number in 0..<10 {
                let reply = try await client.send(
                    Echo.EchoRequest(text: "\(number)"), trace: .random(), timeout: .seconds(300))
                #expect(reply.text == "\(number)")
            }
        }
    }

    @Test func restartedBrokerIsJoinedAgain() async throws {
        try await withMesh { mesh in
            let first = try mesh.startBroker()
            _ = try mesh.join(.notifier, worker: Echo.worker.handler)
            let client = try mesh.client()
            _ = try await client.send(Echo.EchoRequest(text: "before"), trace: .random(), timeout: .seconds(300))
            await first.stop()
            let waiting = Task {
                try await client.send(Echo.EchoRequest(text: "after"), trace: .random(), timeout: .seconds(300))
            }
            try mesh.startBroker()
            #expect(try await waiting.value.text == "after")
        }
    }

    /// A broker that starts again at once is lost and joined within one turn of the loop.
    @Test func lossAndJoinAreBothReported() async throws {
        try await withMesh { mesh in
            let notices = Mutex<[String]>([])
            let broker = RestartedBroker(mesh.endpoint())
            async let end: Void = broker.run()
            let note: @Sendable (BusDiagnostic) -> Void = { notice in
                switch notice {
                case .connected(let count): notices.withLock { $0.append("connected \(count)") }
                case .callerRefused: notices.withLock { $0.append("refused") }
                case .brokerLost: notices.withLock { $0.append("lost") }
                case .malformedMessage, .handlerFailed, .hostUnknown: notices.withLock { $0.append("other") }
                }
            }
            _ = try mesh.join(.notifier, limits: .silent, note: note)
            try await eventually("the process has joined") { notices.withLock { !$0.isEmpty } }
            broker.restart()
            try await eventually("the process has joined again") { notices.withLock { $0.count } == 3 }
            #expect(notices.withLock { $0 } == ["connected 1", "lost", "connected 1"])
            broker.restart()
            try await end
        }
    }

    @Test func idempotentCallSurvivesLossOfBroker() async throws {
        try await withMesh { mesh in
            try mesh.startBroker(2)
            _ = try mesh.join(.notifier, brokers: [2], worker: Echo.worker.handler)
            var limits = BusSettings.Limits()
            limits.heartbeatTimeout = .milliseconds(300)
            let client = try mesh.client(brokers: [1, 2], limits: limits)
            // Broker 1 accepts a request and disappears silently.
            let vanishing = Task { try await VanishingBroker(mesh.endpoint(1)).run() }
            let isOver = Mutex(false)
            async let end: Void = {
                _ = await vanishing.result
                isOver.withLock { $0 = true }
            }()
            repeat {
                let reply = try await client.send(Echo.Record(text: "kept"), trace: .random(), timeout: .seconds(300))
                #expect(reply.text == "kept")
            } while !isOver.withLock { $0 }
            await end
            try await vanishing.value
        }
    }

    @Test func atMostOnceCallIsUnavailableAfterLossOfBroker() async throws {
        try await withMesh { mesh in
            var limits = BusSettings.Limits()
            limits.heartbeatTimeout = .milliseconds(300)
            let client = try mesh.client(limits: limits)
            async let vanishing: Void = VanishingBroker(mesh.endpoint(1)).run()
            let error = await #expect(throws: ServiceError.self) {
                _ = try await client.send(Echo.Once(text: ""), trace: .random(), timeout: .seconds(300))
            }
            #expect(error?.code == .unavailable)
            try await vanishing
        }
    }

    @Test func idempotentCallIsRepeatedAfterLossOfWorker() async throws {
        try await withMesh { mesh in
            try mesh.startBroker()
            let gate = Gate()
            let worker = try mesh.join(
                .notifier, instance: "1", limits: .silent, worker: { try await gate.reply($0) })
            let client = try mesh.client()
            let call = Task {
                try await client.send(Echo.EchoRequest(text: "kept"), trace: .random(), timeout: .seconds(300))
            }
            await gate.waitForArrival()
            try await mesh.publishExit(of: "notifier.1")
            _ = try mesh.join(.notifier, instance: "2", worker: Echo.worker.handler)
            #expect(try await call.value.text == "kept")
            gate.open()
            await worker.part.stop()
        }
    }

    @Test func atMostOnceCallIsUnavailableAfterLossOfWorker() async throws {
        try await withMesh { mesh in
            try mesh.startBroker()
            let gate = Gate()
            let worker = try mesh.join(
                .notifier, instance: "1", limits: .silent, worker: { try await gate.reply($0) })
            let client = try mesh.client()
            let call = Task { try await client.send(Echo.Once(text: ""), trace: .random(), timeout: .seconds(300)) }
            await gate.waitForArrival()
            try await mesh.publishExit(of: "notifier.1")
            let error = await #expect(throws: ServiceError.self) { _ = try await call.value }
            #expect(error?.code == .unavailable)
            gate.open()
            await worker.part.stop()
        }
    }

    /// Processes that are connected to both brokers forward the block from one to the other.
    @Test func crashingRequestIsBlockedByEveryBroker() async throws {
        try await withMesh { mesh in
            try mesh.startBroker(1)
            try mesh.startBroker(2)
            let gate = Gate()
            let worker = try mesh.join(.notifier, brokers: [1, 2], worker: { try await gate.reply($0) })
            let client = try mesh.client(brokers: [1, 2])
            let call = Task {
                try await client.send(Echo.EchoRequest(text: "poison"), trace: .random(), timeout: .seconds(300))
            }
            await gate.waitForArrival()
            // The process could not name the request of the crash, but the broker with its only request knows it.
            let next = try mesh.join(.notifier, instance: "2", brokers: [1, 2], worker: Echo.worker.handler)
            try await mesh.publishExit(of: "notifier.1", .crashed, brokers: [1, 2])
            let error = await #expect(throws: ServiceError.self) { _ = try await call.value }
            #expect(error?.code == .requestBlocked)
            // The process runs in fact, and may join again: a broker that does not refuse the request yet gets a reply.
            gate.open()
            try await eventually("both brokers refuse it") {
                for _ in 0..<4 {
                    do throws(ServiceError) {
                        _ = try await client.send(
                            Echo.EchoRequest(text: "poison"), trace: .random(), timeout: .seconds(300))
                        return false
                    } catch {
                        if error.code != .requestBlocked { return false }
                    }
                }
                return next.connection.status.connectedBrokers == 2
            }
            for _ in 0..<4 {
                #expect(
                    try await client.send(Echo.EchoRequest(text: "other"), trace: .random(), timeout: .seconds(300))
                        .text
                        == "other")
            }
            await worker.part.stop()
        }
    }

    /// No request is repeated here: each is served by a broker that knew about the stop in time.
    @Test func rollingRestartLosesNoRequests() async throws {
        try await withMesh { mesh in
            // No process counts as lost because the machine is busy.
            var brokerLimits = BrokerLimits()
            brokerLimits.heartbeatTimeout = .seconds(30)
            brokerLimits.leavingGrace = .seconds(30)
            var limits = BusSettings.Limits.longTimeouts
            limits.heartbeatTimeout = .seconds(30)
            var brokers = try [1, 2].map { try mesh.startBroker($0, limits: brokerLimits) }
            var workers = try ["1", "2"].map {
                try mesh.join(.notifier, instance: $0, brokers: [1, 2], limits: limits, worker: Echo.worker.handler)
            }
            let clients = try (0..<2).map { number in
                try mesh.join(.gateway, instance: "\(number)", brokers: [1, 2], limits: limits).connection
            }
            try await eventually("everybody knows everybody") {
                (workers.map(\.connection) + clients).allSatisfy { $0.status.connectedBrokers == 2 }
            }
            let requests = LoadingClient()
            let load = clients.flatMap { connection in
                (0..<4).map { _ in Task { try await requests.send(BusClient(connection)) } }
            }
            func untilMore() async throws {
                let before = requests.count
                try await eventually("more requests were sent") { requests.count > before + 100 }
            }
            for number in 0..<2 {
                try await untilMore()
                await workers[number].part.stop()
                try await untilMore()
                workers[number] = try mesh.join(
                    .notifier, instance: "\(number + 3)", brokers: [1, 2], limits: limits, worker: Echo.worker.handler)
                try await eventually("it works") { workers[number].connection.status.connectedBrokers == 2 }
                try await untilMore()
                await brokers[number].stop()
                try await untilMore()
                brokers[number] = try mesh.startBroker(number + 1, limits: brokerLimits)
                try await eventually("it is known again") {
                    (workers.map(\.connection) + clients).allSatisfy { $0.status.connectedBrokers == 2 }
                }
            }
            requests.stop()
            for task in load { try await task.value }
        }
    }

    @Test func deduplicatedCallIsRetriedWithSameKey() async throws {
        try await withMesh { mesh in
            try mesh.startBroker()
            let keys = Mutex<[String?]>([])
            _ = try mesh.join(
                .notifier,
                worker: { call in
                    let count = keys.withLock { keys in
                        keys.append(call.idempotencyKey)
                        return keys.count
                    }
                    guard count > 2 else { throw ServiceError(.unavailable) }
                    return try await Echo.worker.handler(call)
                })
            let client = try mesh.client()
            #expect(
                try await client.send(Echo.Record(text: "kept"), trace: .random(), timeout: .seconds(300)).text
                    == "kept")
            let seen = keys.withLock { $0 }
            #expect(seen.count == 3 && Set(seen).count == 1 && seen[0]?.count == 32)
        }
    }

    @Test func atMostOnceCallIsSentOnce() async throws {
        try await withMesh { mesh in
            try mesh.startBroker()
            let count = Mutex(0)
            _ = try mesh.join(
                .notifier,
                worker: { _ in
                    count.withLock { $0 += 1 }
                    throw ServiceError(.unavailable)
                })
            let client = try mesh.client()
            await #expect(throws: ServiceError(.unavailable)) {
                try await client.send(Echo.Once(text: ""), trace: .random(), timeout: .seconds(300))
            }
            #expect(count.withLock { $0 } == 1)
        }
    }

    @Test func stoppingWorkerFinishesRunningRequests() async throws {
        try await withMesh { mesh in
            try mesh.startBroker()
            let gate = Gate()
            let worker = try mesh.join(.notifier, worker: { try await gate.reply($0) })
            let client = try mesh.client()
            let call = Task { try await client.send(Echo.Once(text: "kept"), trace: .random(), timeout: .seconds(300)) }
            await gate.waitForArrival()
            await worker.connection.beginShutdown()
            gate.open()
            #expect(try await call.value.text == "kept")
            await worker.part.stop()
        }
    }

    @Test func workerNeverExceedsItsCapacity() async throws {
        try await withMesh { mesh in
            try mesh.startBroker()
            let running = Mutex((now: 0, most: 0))
            _ = try mesh.join(
                .notifier, capacity: 3,
                worker: { call in
                    running.withLock { running in
                        running.now += 1
                        running.most = max(running.most, running.now)
                    }
                    await Task.yield()
                    defer { running.withLock { $0.now -= 1 } }
                    return try await Echo.worker.handler(call)
                })
            let client = try mesh.client()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        _ = try await client.send(Echo.EchoRequest(text: ""), trace: .random(), timeout: .seconds(300))
                    }
                }
                try await group.waitForAll()
            }
            #expect(running.withLock { $0.most } <= 3)
        }
    }
}

/// Sends requests that are not repeated, one after the other, until `stop()`.
private final class LoadingClient: Sendable {
    private let state = Mutex((count: 0, isOver: false))

    var count: Int { state.withLock { $0.count } }

    func stop() { state.withLock { $0.isOver = true } }

    func send(_ client: BusClient) async throws {
        while !state.withLock({ $0.isOver }) {
            _ = try await client.send(Echo.Once(text: "a"), trace: .random(), timeout: .seconds(300))
            state.withLock { $0.count += 1 }
        }
    }
}

/// A broker that accepts every member and exits at the first request.
private struct VanishingBroker {
    let endpoint: String

    init(_ endpoint: String) {
        self.endpoint = endpoint
    }

    /// Returns after the first request.
    func run() async throws {
        let thread = BlockingPool(label: "vanishing", threads: 1, maximumWaiting: 0)
        defer { thread.shutDown() }
        try await thread.run { [endpoint] in
            let socket = try ZeroMQSocket(.router, in: ZeroMQContext())
            try socket.bind(to: endpoint)
            var message = ZeroMQMessage()
            var draft = ZeroMQMessageBuilder()
            while true {
                try socket.waitForMessage()
                guard try socket.receive(into: &message) else { continue }
                let peer = message.withUnsafeBytes(of: 0) { ZeroMQRoutingID.number($0) }
                if case .request = try BusMessage(&message, from: 1) { return }
                BusMessage.heartbeat.write(to: &draft)
                try socket.send(draft, to: peer)
            }
        }
    }
}

extension BusSettings.Limits {
    /// The limits of a hanging process: it sends nothing after its first message.
    static var silent: Self {
        var limits = Self()
        limits.heartbeatInterval = .seconds(3600)
        limits.heartbeatTimeout = .seconds(3600)
        return limits
    }
}
