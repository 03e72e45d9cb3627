import ServiceRuntime
import Synchronization
import Testing

/// Runs until it is stopped, and records when that was.
private final class RecordingComponent: ProcessComponent {
    private let name: String
    private let order: Order
    private let end: @Sendable () throws -> Void
    private let stops: AsyncStream<Never>
    private let stopping: AsyncStream<Never>.Continuation

    init(_ name: String, _ order: Order, end: @escaping @Sendable () throws -> Void = {}) {
        self.name = name
        self.order = order
        self.end = end
        (stops, stopping) = AsyncStream.makeStream()
    }

    func run() async throws {
        for await _ in stops {}
        order.note("\(name) ended")
        try end()
    }

    func beginShutdown() async {
        order.note("\(name) stopping")
        stopping.finish()
    }
}

private final class Order: Sendable {
    private let kept = Mutex<[String]>([])
    var notes: [String] { kept.withLock { $0 } }
    func note(_ text: String) { kept.withLock { $0.append(text) } }
}

private struct Failing: ProcessComponent {
    struct Reason: Error {}
    func run() async throws { throw Reason() }
    func beginShutdown() async {}
}

private struct NeverStoppingComponent: ProcessComponent {
    func run() async throws {
        let (never, _) = AsyncStream.makeStream(of: Never.self)
        for await _ in never {}
    }
    func beginShutdown() async {}
}

struct ServiceRuntimeTests {
    private let log = Log(instance: "test", write: { _ in })
    private let order = Order()

    @Test func stopRequestStopsComponentsInReverseOrder() async throws {
        let (requests, inbox) = AsyncStream.makeStream(of: StopRequest.self)
        inbox.yield(.terminate)
        try await ServiceRuntime(log: log, grace: .seconds(60), stopRequests: { requests }).run([
            RecordingComponent("store", order), RecordingComponent("bus", order),
        ])
        #expect(order.notes == ["bus stopping", "bus ended", "store stopping", "store ended"])
    }

    @Test func failingComponentEndsProcessWithItsError() async throws {
        let (requests, _) = AsyncStream.makeStream(of: StopRequest.self)
        let runtime = ServiceRuntime(log: log, grace: .seconds(60), stopRequests: { requests })
        await #expect(throws: Failing.Reason.self) {
            try await runtime.run([RecordingComponent("store", order), Failing()])
        }
        #expect(order.notes == ["store stopping", "store ended"])
    }

    @Test func componentThatIgnoresStopIsNamed() async throws {
        let (requests, inbox) = AsyncStream.makeStream(of: StopRequest.self)
        inbox.yield(.interrupt)
        let runtime = ServiceRuntime(log: log, grace: .zero, stopRequests: { requests })
        await #expect(throws: ServiceRuntimeError.stopTimedOut(["NeverStoppingComponent"])) {
            try await runtime.run([NeverStoppingComponent()])
        }
    }

    @Test func startReturnsItsResult() async throws {
        let (requests, inbox) = AsyncStream.makeStream(of: StopRequest.self)
        let runtime = ServiceRuntime(log: log, grace: .seconds(60), stopRequests: { requests })
        #expect(try await runtime.start { 7 } == 7)
        await #expect(throws: Failing.Reason.self) { try await runtime.start { throw Failing.Reason() } }
        inbox.yield(.terminate)
        try await runtime.run([RecordingComponent("bus", order)])
        #expect(order.notes == ["bus stopping", "bus ended"])
    }

    @Test func stopRequestCancelsStart() async throws {
        let (requests, inbox) = AsyncStream.makeStream(of: StopRequest.self)
        inbox.yield(.terminate)
        let runtime = ServiceRuntime(log: log, grace: .seconds(60), stopRequests: { requests })
        let failure = await #expect(throws: StartCancelledError.self) {
            try await runtime.start {
                let (never, _) = AsyncStream.makeStream(of: Never.self)
                for await _ in never {}  // Ends when its task is cancelled.
                try Task.checkCancellation()
            }
        }
        #expect(failure?.exitCode == 0 && failure?.messages == [])
    }

    /// The request arrived between two listeners.
    @Test func stopRequestBetweenStartAndRunIsHandled() async throws {
        let (requests, inbox) = AsyncStream.makeStream(of: StopRequest.self)
        let runtime = ServiceRuntime(log: log, grace: .seconds(60), stopRequests: { requests })
        try await runtime.start {}
        inbox.yield(.terminate)
        inbox.finish()
        try await runtime.run([RecordingComponent("bus", order)])
        #expect(order.notes == ["bus stopping", "bus ended"])
    }

    @Test func closingIsAwaited() async {
        let lines = Order()
        let runtime = ServiceRuntime(log: Log(instance: "test", write: { lines.note($0) }))
        await runtime.close(within: .seconds(60)) { [order] in order.note("closed") }
        #expect(order.notes == ["closed"] && lines.notes == [])
    }

    /// A process that is stopped must not hang because a connection of its database does.
    @Test func closingThatNeverEndsIsLeft() async {
        let lines = Order()
        let runtime = ServiceRuntime(log: Log(instance: "test", write: { lines.note($0) }))
        await runtime.close(within: .zero) {
            let (never, _) = AsyncStream.makeStream(of: Never.self)
            for await _ in never {}
        }
        #expect(lines.notes.count == 1 && lines.notes.allSatisfy { $0.contains("process.closing-timed-out") })
    }
}
