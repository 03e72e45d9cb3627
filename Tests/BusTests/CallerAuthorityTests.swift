import Broker
import Contracts
import Dispatch
import Foundation
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary
import ZeroMQ

@testable import Bus

/// Every operation of every service, from every caller: it reaches its handler exactly when it declares the caller (security
/// rule BU3).
@Suite struct CallerMatrixTests {
    private static func check<Operation: ServiceOperation>(_ operations: Operation.Type) async throws {
        let worker = BusWorker(Operation.self) { _, call in BusReply(body: Data(call.id.utf8)) }
        for operation in Operation.allCases {
            for caller in BusCaller.allCases {
                let isHandled = try await handles(worker.handler, operation.rawValue, from: [caller])
                #expect(isHandled == operation.callers.contains(caller), "\(operation) from \(caller)")
            }
            // A key without any authority, a process with all of it, and a bus without keys.
            #expect(try await !handles(worker.handler, operation.rawValue, from: []))
            #expect(try await handles(worker.handler, operation.rawValue, from: Set(BusCaller.allCases)))
            #expect(try await handles(worker.handler, operation.rawValue, from: nil))
        }
    }

    private static func handles(
        _ handler: BusHandler, _ operation: String, from callers: Set<BusCaller>?
    ) async throws -> Bool {
        let id = String(repeating: "0", count: 32)
        let body = """
            {"id":"\(id)","operation":"\(operation)","params":{},"deadline":1700000005000,
            "trace":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}
            """
        do {
            let reply = try await handler(BusCall(body: body.utf8, from: callers))
            return reply.body == Data(id.utf8)
        } catch is CallerRefusal {
            return false
        }
    }

    @Test func operationsReachTheirHandlersFromDeclaredCallersOnly() async throws {
        try await Self.check(Identity.Operation.self)
        try await Self.check(MFASMS.Operation.self)
        try await Self.check(MFATOTP.Operation.self)
        try await Self.check(Passkey.Operation.self)
        try await Self.check(Federation.Operation.self)
        try await Self.check(Notifier.Operation.self)
    }
}

/// Real sockets and keys: who gets in, who counts as whom, and what a changed table does to connections that exist.
@Suite struct KeyedBusTests {
    /// A bus with keys, in this process.
    private final class KeyedMesh: Sendable {
        let mesh: TestMesh
        let pairs: [String: CurveKeyPair]
        private let parts = Mutex<[RunningTestPart]>([])
        private let shared = Mutex<[BusKeys]>([])

        init(_ names: [String]) throws {
            mesh = try TestMesh()
            var pairs: [String: CurveKeyPair] = [:]
            for name in names { pairs[name] = try .random() }
            self.pairs = pairs
        }

        func peer(
            _ name: String, serves: String, calls: Set<BusCaller> = [], isBroker: Bool = false
        ) throws -> BusPeer {
            BusPeer(
                name: try #require(BusName(name)), publicKey: try #require(pairs[name]).publicKey,
                serves: [try #require(BusName(serves))], calls: calls, isBroker: isBroker)
        }

        /// The keys of a process that reads this table.
        func keys(of name: String, _ peers: [BusPeer]) throws -> BusKeys {
            let keys = BusKeys(own: try #require(pairs[name]), table: PeerTable(checked: peers))
            shared.withLock { $0.append(keys) }
            return keys
        }

        /// Replaces the table of every process.
        func replace(with peers: [BusPeer]) {
            for keys in shared.withLock({ $0 }) { keys.replace(with: PeerTable(checked: peers)) }
        }

        func startBroker(_ peers: [BusPeer], overTCP: Bool = false) async throws -> String {
            let name = "broker-a"
            let text = overTCP ? "tcp://127.0.0.1:0" : mesh.endpoint()
            let broker = try Broker(
                listen: BusEndpoint(text, for: .listen, hasKeys: true), keys: keys(of: name, peers),
                log: Log(instance: name, write: { _ in }))
            start(broker)
            try await eventually("the broker listens") { broker.endpoint != nil }
            guard overTCP, let port = broker.endpoint?.split(separator: ":").last else { return "\(name)@\(text)" }
            return "\(name)@tcp://127.0.0.1:\(port)"
        }

        func join(
            _ name: String, as service: ServiceName, to broker: String, _ peers: [BusPeer], capacity: UInt16 = 8,
            machine: LocalMachine = LocalMachine(), worker: BusHandler? = nil,
            note: @escaping @Sendable (BusDiagnostic) -> Void = { _ in }
        ) throws -> BusConnection {
            var settings = try BusSettings(
                brokers: broker.split(separator: ",").map(String.init), service: service, instance: name,
                capacity: capacity, keys: keys(of: name, peers))
            settings.limits = .longTimeouts
            let connection = try BusConnection(settings, worker: worker, machine: machine, note: note)
            start(connection)
            return connection
        }

        private func start(_ part: some ProcessComponent) {
            let running = RunningTestPart(part)
            parts.withLock { $0.append(running) }
        }

        func stop() async {
            let parts = parts.withLock { $0 }
            for part in parts.reversed() { await part.stop() }
            await mesh.stop()
        }
    }

    private static func withMesh(_ names: [String], _ body: (KeyedMesh) async throws -> Void) async throws {
        let mesh = try KeyedMesh(names)
        do {
            try await body(mesh)
        } catch {
            await mesh.stop()
            throw error
        }
        await mesh.stop()
    }

    private static let names = ["broker-a", "notifier-a", "gateway-a", "edge", "mfa", "stranger"]

    private static func peers(of mesh: KeyedMesh, brokerVouches: Bool = true) throws -> [BusPeer] {
        [
            try mesh.peer("broker-a", serves: "broker", calls: [], isBroker: brokerVouches),
            try mesh.peer("notifier-a", serves: "notifier", calls: [.notifier]),
            try mesh.peer("gateway-a", serves: "gateway", calls: [.gateway]),
            try mesh.peer("edge", serves: "gateway", calls: [.publicGateway]),
        ]
    }

    private static func say(_ text: String, over bus: BusConnection) async throws -> String {
        try await BusClient(bus).send(Echo.EchoRequest(text: text), trace: .random(), timeout: .seconds(300)).text
    }

    /// `Echo` declares the gateway with the admin listener.
    @Test(arguments: [false, true]) func workersCheckTheCallerThatTheBrokerNames(overTCP: Bool) async throws {
        try await Self.withMesh(Self.names) { mesh in
            let peers = try Self.peers(of: mesh)
            let broker = try await mesh.startBroker(peers, overTCP: overTCP)
            let refused = Mutex<[String?]>([])
            let worker = try mesh.join("notifier-a", as: .notifier, to: broker, peers, worker: Echo.worker.handler) {
                if case .callerRefused(_, let caller, _) = $0 { refused.withLock { $0.append(caller?.rawValue) } }
            }
            let gateway = try mesh.join("gateway-a", as: .gateway, to: broker, peers)
            let edge = try mesh.join("edge", as: .gateway, to: broker, peers)
            #expect(try await Self.say("hello", over: gateway) == "hello")
            await #expect(throws: ServiceError.self) { try await Self.say("hello", over: edge) }
            #expect(refused.withLock { $0 } == ["edge"])
            #expect(worker.status.refusedCallers == 1)
        }
    }

    /// A stranger does not connect. A listed process does not join under the name of another service.
    @Test func strangersAndImpostorsGetNowhere() async throws {
        try await Self.withMesh(Self.names) { mesh in
            let peers = try Self.peers(of: mesh)
            let broker = try await mesh.startBroker(peers)
            _ = try mesh.join("notifier-a", as: .notifier, to: broker, peers, worker: Echo.worker.handler)
            // As its own table would have it.
            let own = peers + [try mesh.peer("stranger", serves: "notifier", calls: [.gateway])]
            let stolen = Mutex(0)
            let stranger = try mesh.join(
                "stranger", as: .notifier, to: broker, own,
                worker: { _ in
                    stolen.withLock { $0 += 1 }
                    throw ServiceError(.internal)
                })
            let impostor = try mesh.join(
                "edge", as: .notifier, to: broker, peers,
                worker: { _ in
                    stolen.withLock { $0 += 1 }
                    throw ServiceError(.internal)
                })
            let gateway = try mesh.join("gateway-a", as: .gateway, to: broker, peers)
            for number in 0..<50 { #expect(try await Self.say("\(number)", over: gateway) == "\(number)") }
            #expect(stranger.status.connectedBrokers == 0 && impostor.status.connectedBrokers == 0)
            #expect(stolen.withLock { $0 } == 0)
        }
    }

    /// The connection of a key outlives it in libzmq. Others are not affected.
    @Test func revokedKeyLosesItsConnection() async throws {
        try await Self.withMesh(Self.names) { mesh in
            let peers = try Self.peers(of: mesh) + [try mesh.peer("mfa", serves: "gateway", calls: [.gateway])]
            let broker = try await mesh.startBroker(peers)
            _ = try mesh.join("notifier-a", as: .notifier, to: broker, peers, worker: Echo.worker.handler)
            let gateway = try mesh.join("gateway-a", as: .gateway, to: broker, peers)
            let revoked = try mesh.join("mfa", as: .gateway, to: broker, peers)
            #expect(try await Self.say("before", over: revoked) == "before")
            mesh.replace(with: Array(peers.dropLast()))
            try await eventually("the connection ends") { revoked.status.connectedBrokers == 0 }
            #expect(try await Self.say("after", over: gateway) == "after")
            mesh.replace(with: peers)
            try await eventually("the key is listed again") { revoked.status.connectedBrokers == 1 }
            #expect(try await Self.say("again", over: revoked) == "again")
        }
    }

    /// Members have a connection for each key of a broker, and keep the one that is in use when the other key leaves the table
    /// (security rule BU11).
    @Test func formerKeyOfBrokerLeavesWithoutLoss() async throws {
        try await Self.withMesh(Self.names + ["former"]) { mesh in
            var peers = try Self.peers(of: mesh)
            peers[0].nextPublicKey = peers[0].publicKey
            peers[0].publicKey = try #require(mesh.pairs["former"]).publicKey
            let broker = try await mesh.startBroker(peers)
            _ = try mesh.join("notifier-a", as: .notifier, to: broker, peers, worker: Echo.worker.handler)
            let losses = Mutex(0)
            let gateway = try mesh.join(
                "gateway-a", as: .gateway, to: broker, peers,
                note: { if case .brokerLost = $0 { losses.withLock { $0 += 1 } } })
            #expect(try await Self.say("hello", over: gateway) == "hello")
            peers[0].publicKey = try #require(peers[0].nextPublicKey)
            peers[0].nextPublicKey = nil
            mesh.replace(with: peers)
            for _ in 0..<20 { #expect(try await Self.say("hello", over: gateway) == "hello") }
            #expect(losses.withLock { $0 } == 0)
        }
    }

    /// A name server that does not answer holds up no connection but the one that asks it. The other name has the same address:
    /// with a second connection the broker would take the process for one that restarts, again and again.
    @Test func brokerIsNamedByItsHost() async throws {
        let answer = DispatchSemaphore(value: 0)
        let machine = LocalMachine(lookUp: { name in
            if name == "dead.test" { answer.wait() }
            return name == "dead.test" ? [] : ["127.0.0.1"]
        })
        defer { answer.signal() }
        try await Self.withMesh(Self.names) { mesh in
            let peers = try Self.peers(of: mesh)
            let broker = try await mesh.startBroker(peers, overTCP: true)
            let named = broker.replacing("127.0.0.1", with: "broker.test")
            _ = try mesh.join(
                "notifier-a", as: .notifier, to: named, peers, machine: machine, worker: Echo.worker.handler)
            let other = broker.replacing("127.0.0.1", with: "other.test")
            let losses = Mutex(0)
            let gateway = try mesh.join(
                "gateway-a", as: .gateway, to: "broker-a@tcp://dead.test:1,\(named),\(other)", peers, machine: machine,
                note: { if case .brokerLost = $0 { losses.withLock { $0 += 1 } } })
            for _ in 0..<20 { #expect(try await Self.say("hello", over: gateway) == "hello") }
            #expect(gateway.status.connectedBrokers == 1 && losses.withLock { $0 } == 0)
        }
    }

    /// What a process passes on that is no broker of the table is its own request, and others send nothing over it.
    @Test func brokerThatVouchesForNobodyCarriesNoRequestsOfOthers() async throws {
        try await Self.withMesh(Self.names) { mesh in
            var peers = try Self.peers(of: mesh, brokerVouches: false)
            let broker = try await mesh.startBroker(peers)
            _ = try mesh.join("notifier-a", as: .notifier, to: broker, peers, worker: Echo.worker.handler)
            let gateway = try mesh.join("gateway-a", as: .gateway, to: broker, peers)
            try await eventually("it has joined") { gateway.status.connectedBrokers == 1 }
            let error = await #expect(throws: ServiceError.self) { try await Self.say("hello", over: gateway) }
            #expect(error?.code == .unavailable)
            peers[0].isBroker = true
            mesh.replace(with: peers)
            #expect(try await Self.say("hello", over: gateway) == "hello")
        }
    }
}
