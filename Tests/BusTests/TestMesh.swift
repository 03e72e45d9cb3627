import Broker
import Bus
import Contracts
import Foundation
import ServiceRuntime
import Synchronization
import TestSupport
import Vocabulary

/// Brokers and processes in this process, over real sockets in a folder of the test.
final class TestMesh: Sendable {
    let directory: TemporaryDirectory
    private let stops = Mutex<[@Sendable () async -> Void]>([])

    init() throws {
        directory = try TemporaryDirectory()
        // A broker requires a private directory.
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: directory.path)
    }

    func endpoint(_ number: Int = 1) -> String { "ipc://" + directory.appending("broker.\(number).sock") }

    /// Starts a broker that stops at the end of the test or at `stop()`.
    @discardableResult
    func startBroker(_ number: Int = 1, limits: BrokerLimits = .init()) throws -> RunningTestPart {
        let log = Log(instance: "broker.\(number)", write: { _ in })
        return start(try Broker(listen: BusEndpoint(endpoint(number)), limits: limits, log: log))
    }

    /// Joins a process to the given brokers.
    func join(
        _ service: ServiceName, instance: String = "1", brokers: [Int] = [1], capacity: UInt16 = 64,
        limits: BusSettings.Limits = .longTimeouts, worker: BusHandler? = nil,
        note: @escaping @Sendable (BusDiagnostic) -> Void = { _ in }
    ) throws -> (connection: BusConnection, part: RunningTestPart) {
        var settings = try BusSettings(
            brokers: brokers.map(endpoint), service: service, instance: "\(service.rawValue).\(instance)",
            capacity: capacity)
        settings.limits = limits
        let connection = try BusConnection(settings, worker: worker, note: note)
        return (connection, start(connection))
    }

    /// Reports to brokers, as the launcher does, that a process has exited.
    func publishExit(
        of instance: String, _ cause: BusMessage.Ended.Cause = .stopped, service: ServiceName = .notifier,
        brokers: [Int] = [1]
    ) async throws {
        let settings = try BusSettings(brokers: brokers.map(endpoint), launcher: "launcher.1")
        let connection = try BusConnection(settings, note: { _ in })
        _ = start(connection)
        try await eventually("the launcher has joined") { connection.status.connectedBrokers == brokers.count }
        guard let name = BusName(instance) else { return }
        connection.report(.init(service: BusName(service), instance: name, cause: cause))
    }

    func client(brokers: [Int] = [1], limits: BusSettings.Limits = .longTimeouts) throws -> BusClient {
        BusClient(try join(.gateway, brokers: brokers, limits: limits).connection)
    }

    private func start(_ part: some ProcessComponent) -> RunningTestPart {
        let running = RunningTestPart(part)
        stops.withLock { $0.append { await running.stop() } }
        return running
    }

    /// Stops every component in reverse order.
    func stop() async {
        let stops = stops.withLock { stops in
            defer { stops = [] }
            return stops
        }
        for stop in stops.reversed() { await stop() }
    }
}

extension BusSettings.Limits {
    /// For tests of what happens, whenever the machine finds time for it.
    static var longTimeouts: Self {
        var limits = Self()
        limits.drainTimeout = .seconds(60)
        return limits
    }
}

/// A component that runs until it is stopped.
final class RunningTestPart: Sendable {
    private let part: any ProcessComponent
    private let task: Task<Void, any Error>

    init(_ part: some ProcessComponent) {
        self.part = part
        task = Task { try await part.run() }
    }

    /// Returns when the component has ended.
    func stop() async {
        await part.beginShutdown()
        _ = await task.result
    }
}

/// Runs a test body with a mesh, and stops the mesh after any result of the body.
func withMesh(_ body: (TestMesh) async throws -> Void) async throws {
    let mesh = try TestMesh()
    do {
        try await body(mesh)
    } catch {
        await mesh.stop()
        throw error
    }
    await mesh.stop()
}

/// A service for tests with one operation of each kind of retry semantics.
enum Echo {
    enum Operation: String, ServiceOperation {
        case say, record, once

        static let service = ServiceName.notifier
        var callers: Set<BusCaller> { [.gateway] }
    }

    struct EchoRequest: BusRequest {
        static let operation = Echo.Operation.say
        static let retrySemantics = RetrySemantics.idempotent
        var text: String
        struct Reply: Codable, Equatable, Sendable { var text: String }
    }

    struct Record: BusRequest {
        static let operation = Echo.Operation.record
        static let retrySemantics = RetrySemantics.deduplicated
        var text: String
        typealias Reply = EchoRequest.Reply
    }

    struct Once: BusRequest {
        static let operation = Echo.Operation.once
        static let retrySemantics = RetrySemantics.atMostOnce
        var text: String
        typealias Reply = EchoRequest.Reply
    }

    /// Replies to every operation with the text of the request.
    static let worker = BusWorker(Operation.self) { operation, call in
        switch operation {
        case .say: try await call.reply { (request: EchoRequest) in .init(text: request.text) }
        case .record: try await call.reply { (request: Record) in .init(text: request.text) }
        case .once: try await call.reply { (request: Once) in .init(text: request.text) }
        }
    }
}
