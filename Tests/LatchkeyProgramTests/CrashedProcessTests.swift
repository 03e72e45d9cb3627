import Bus
import Contracts
import Foundation
import ServiceRuntime
import TestSupport
import Testing

@testable import LatchkeyProgram

/// The operations of `Tests/CrashingWorker`.
private enum Fragile {
    enum Operation: String, ServiceOperation {
        case say
        static let service = ServiceName.federation
        var callers: Set<BusCaller> { [.gateway] }
    }

    struct EchoRequest: BusRequest {
        static let operation = Fragile.Operation.say
        static let retrySemantics = RetrySemantics.idempotent
        var text: String
        struct Reply: Codable, Sendable { var text: String }
    }
}

extension SupervisorTests {
    /// A broker, and two workers that crash on one request.
    private func withCrashingWorkers(_ body: (BusClient, _ deaths: () -> Int) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        let run = directory.appending("run")
        try FileManager.default.createDirectory(
            atPath: run, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        for (name, program) in [("broker", "broker"), ("federation", "crashing-worker")] {
            try FileManager.default.createSymbolicLink(
                atPath: directory.appending(name), withDestinationPath: RunningProgram.buildDirectory + program)
        }
        let environment = Environment([
            "LATCHKEY_DEV": "1", "LATCHKEY_ONLY": "federation", "LATCHKEY_SCALE": "federation=2",
            "PATH": "/usr/bin:/bin",
        ])
        let brokers = ["ipc://" + run + "/broker.sock"]
        let plan = MeshPlan(
            try UpSettings(environment), environment, dataDirectory: directory.path, masterKeyFile: nil,
            brokers: brokers)
        let bus = try BusConnection(BusSettings(brokers: brokers, launcher: "test.1"), note: { _ in })
        let log = LogLines()
        let supervisor = Supervisor(
            plan, executable: { .init(path: directory.appending($0.rawValue)) },
            log: Log(instance: "latchkey", write: { log.append($0) }), printLine: { _ in }, untilReady: {},
            reportEnd: bus.report)
        let asking = try BusConnection(
            BusSettings(brokers: brokers, command: "test", instance: "test.2"), note: { _ in })
        let parts: [any ProcessComponent] = [bus, asking, supervisor]
        let running = parts.map { part in Task { try await part.run() } }
        let result: Result<Void, any Error>
        do {
            try await eventually("everybody has joined") { bus.status.connectedBrokers == 1 }
            let client = BusClient(asking)
            try await eventually("somebody works") {
                (try? await client.send(Fragile.EchoRequest(text: "there?"), trace: .random())) != nil
            }
            result = .success(try await body(client) { log.lines.filter { $0.contains("process.exited") }.count })
        } catch {
            result = .failure(error)
        }
        for part in parts.reversed() { await part.beginShutdown() }
        for task in running { _ = await task.result }
        try result.get()
    }

    /// The launcher names the request that crashed the process. The other requests continue at once, and no other
    /// process gets the crashing one.
    @Test func crashingRequestCrashesOneProcess() async throws {
        try await withCrashingWorkers { client, deaths in
            func say(_ text: String) async throws -> String {
                try await client.send(Fragile.EchoRequest(text: text), trace: .random(), timeout: .seconds(60)).text
            }
            let texts = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<64 { group.addTask { try await say("\(number)") } }
                let error = await #expect(throws: ServiceError.self) { _ = try await say("poison") }
                #expect(error?.code == .requestBlocked)
                #expect(error?.retryAfterSeconds == 60)
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(texts.count == 64)
            for _ in 0..<8 {
                await #expect(throws: ServiceError.self) { _ = try await say("poison") }
                _ = try await say("still here")
            }
            try await eventually("the launcher has seen the end") { deaths() > 0 }
            #expect(deaths() == 1)
        }
    }
}
