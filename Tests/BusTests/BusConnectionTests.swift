import Blocking
import Broker
import Bus
import Contracts
import Foundation
import JSON
import Synchronization
import TestSupport
import Testing
import Vocabulary
import ZeroMQ

/// Processes, brokers and malformed peers in this process, over real sockets.
@Suite struct BusConnectionTests {
    @Test func replyIsReturned() async throws {
        try await withMesh { mesh in
            try mesh.startBroker()
            _ = try mesh.join(.notifier, worker: Echo.worker.handler)
            let client = try mesh.client()
            #expect(
                try await client.send(Echo.EchoRequest(text: "hello"), trace: .random(), timeout: .seconds(300)).text
                    == "hello")
        }
    }

    @Test func parallelCallsGetTheirOwnReplies() async throws {
        try await withMesh { mesh in
            try mesh.startBroker()
            _ = try mesh.join(.notifier, instance: "1", worker: Echo.worker.handler)
            _ = try mesh.join(.notifier, instance: "2", worker: Echo.worker.handler)
            let client = try mesh.client()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<400 {
                    group.addTask {
                        let reply = try await client.send(
                            Echo.EchoRequest(text: "\(number)"), trace: .random(), timeout: .seconds(300))
                        #expect(reply.text == "\(number)")
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func servingProcessCanSendRequests() async throws {
        try await withMesh { mesh in
            try mesh.startBroker()
            _ = try mesh.join(.notifier, worker: Echo.worker.handler)
            let asking = Mutex<BusClient?>(nil)
            let forward = BusWorker(ForwardingService.Operation.self) { _, call in
                let client = try #require(asking.withLock { $0 })
                return try await call.reply { (request: ForwardingService.Forward, call) in
                    try await client.send(
                        Echo.EchoRequest(text: request.text), trace: call.trace.child(), timeout: .seconds(300))
                }
            }
            let (connection, _) = try mesh.join(.passkey, worker: forward.handler)
            asking.withLock { $0 = BusClient(connection) }
            let client = try mesh.client()
            #expect(
                try await client.send(
                    ForwardingService.Forward(text: "through"), trace: .random(), timeout: .seconds(300)
                ).text
                    == "through")
        }
    }

    // MARK: Errors

    @Test func refusalIsReturnedUnchanged() async throws {
        try await withMesh { mesh in
            try mesh.startBroker()
            let refusal = ServiceError(.weakPassword, "too short", retry: .afterSeconds(7))
            _ = try mesh.join(.notifier, worker: { _ in throw refusal })
            let client = try mesh.client()
            await #expect(throws: refusal) {
                try await client.send(Echo.Once(text: ""), trace: .random(), timeout: .seconds(300))
            }
        }
    }

    @Test func unexpectedErrorIsReportedAsInternalWithTrace() async throws {
        struct DiskFull: Error {}
        try await withMesh { mesh in
            try mesh.startBroker()
            let noted = AsyncStream<BusDiagnostic>.makeStream()
            _ = try mesh.join(.notifier, worker: { _ in throw DiskFull() }, note: { noted.continuation.yield($0) })
            let client = try mesh.client()
            let trace = TraceContext.random()
            let refusal = await #expect(throws: ServiceError.self) {
                try await client.send(Echo.Once(text: ""), trace: trace, timeout: .seconds(300))
            }
            // Without the error, nothing was recorded, and the loop below would wait forever.
            try #require(refusal == ServiceError(.internal, "trace \(trace.traceID)"))
            for await notice in noted.stream {
                guard case .handlerFailed(let operation, let failedTrace, let error) = notice else { continue }
                #expect(operation == "once" && failedTrace.traceID == trace.traceID && error is DiskFull)
                break
            }
        }
    }

    /// The dependency failed, not the service: the caller gets the error of the dependency, and the log contains the
    /// reason.
    @Test func dependencyFailureHidesItsReasonFromCaller() async throws {
        struct UnavailableDependency: DependencyFailure {
            var serviceError: ServiceError? { ServiceError(.overloaded, retry: .afterSeconds(7)) }
            var reason: String { "the moon is full" }
        }
        try await withMesh { mesh in
            try mesh.startBroker()
            _ = try mesh.join(.notifier, worker: { _ in throw UnavailableDependency() })
            let client = try mesh.client()
            await #expect(throws: ServiceError(.overloaded, retry: .afterSeconds(7))) {
                try await client.send(Echo.Once(text: ""), trace: .random(), timeout: .seconds(300))
            }
        }
    }

    /// Security rule BU12.
    @Test func unknownOperationIsNamed() async throws {
        try await withMesh { mesh in
            try mesh.startBroker()
            let other = BusWorker(ForwardingService.Operation.self) { _, _ in
                throw ServiceError(.internal)
            }
            _ = try mesh.join(.notifier, worker: other.handler)
            let client = try mesh.client()
            await #expect(throws: ServiceError(.unknownOperation)) {
                try await client.send(Echo.Once(text: ""), trace: .random(), timeout: .seconds(300))
            }
        }
    }

    @Test func requestAboveSizeLimitIsNotSent() async throws {
        try await withMesh { mesh in
            let client = try mesh.client()
            let error = await #expect(throws: ServiceError.self) {
                let text = String(repeating: "a", count: BusMessage.maximumBodyBytes)
                _ = try await client.send(Echo.EchoRequest(text: text), trace: .random(), timeout: .seconds(300))
            }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test func replyAboveSizeLimitIsInternal() async throws {
        try await withMesh { mesh in
            try mesh.startBroker()
            let text = String(repeating: "a", count: BusMessage.maximumBodyBytes)
            _ = try mesh.join(.notifier, worker: { try await $0.reply { (_: Echo.Once) in .init(text: text) } })
            let client = try mesh.client()
            let error = await #expect(throws: ServiceError.self) {
                _ = try await client.send(Echo.Once(text: ""), trace: .random(), timeout: .seconds(300))
            }
            #expect(error?.code == .internal)
        }
    }

    // MARK: Time

    @Test func callWithoutBrokerIsUnavailable() async throws {
        try await withMesh { mesh in
            var limits = BusSettings.Limits()
            limits.brokerGrace = .milliseconds(10)
            let client = try mesh.client(limits: limits)
            let error = await #expect(throws: ServiceError.self) {
                _ = try await client.send(Echo.Once(text: ""), trace: .random(), timeout: .seconds(300))
            }
            #expect(error?.code == .unavailable)
        }
    }

    @Test func deadlineEndsCall() async throws {
        try await withMesh { mesh in
            try mesh.startBroker()
            let gate = Gate()
            _ = try mesh.join(.notifier, worker: { try await gate.reply($0) })
            let client = try mesh.client()
            await #expect(throws: ServiceError(.deadlineExceeded)) {
                try await client.send(Echo.Once(text: ""), trace: .random(), timeout: .milliseconds(50))
            }
            gate.open()
            // The late reply to the first call is dropped; the second call gets its own.
            #expect(
                try await client.send(Echo.Once(text: "second"), trace: .random(), timeout: .seconds(300)).text
                    == "second"
            )
        }
    }

    @Test func cancelledCallEnds() async throws {
        try await withMesh { mesh in
            try mesh.startBroker()
            let gate = Gate()
            _ = try mesh.join(.notifier, worker: { try await gate.reply($0) })
            let (connection, _) = try mesh.join(.gateway)
            let call = Task {
                try await BusClient(connection).send(Echo.Once(text: ""), trace: .random(), timeout: .seconds(300))
            }
            await gate.waitForArrival()
            call.cancel()
            await #expect(throws: ServiceError.self) { try await call.value }
            gate.open()
        }
    }

    @Test func fullServiceIsOverloadedAtOnce() async throws {
        try await withMesh { mesh in
            var limits = BrokerLimits()
            limits.queuedPerService = 1
            try mesh.startBroker(limits: limits)
            let gate = Gate()
            _ = try mesh.join(.notifier, capacity: 1, worker: { try await gate.reply($0) })
            let client = try mesh.client()
            let codes = await withTaskGroup(of: ServiceError?.self) { group in
                for _ in 0..<5 {
                    group.addTask {
                        do throws(ServiceError) {
                            _ = try await client.send(Echo.Once(text: ""), trace: .random(), timeout: .seconds(300))
                            return nil
                        } catch {
                            gate.open()
                            return error
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes.contains(ServiceError.overloaded))
            #expect(codes.contains(nil))
        }
    }

    // MARK: Events

    @Test func eventReachesOtherProcesses() async throws {
        try await withMesh { mesh in
            try mesh.startBroker()
            let (publisher, _) = try mesh.join(.notifier, worker: Echo.worker.handler)
            let (listener, _) = try mesh.join(.gateway)
            let events = listener.subscribe()
            // Both have joined once a call of one process has reached the other.
            _ = try await BusClient(listener).send(Echo.EchoRequest(text: ""), trace: .random(), timeout: .seconds(300))
            let event = BusEvent.sessionsRevoked(Realm(project: ProjectID("p")), AccountID("a"))
            publisher.publish(event)
            #expect(await events.first { _ in true } == event)
        }
    }

    /// Events of a handler can fill the queue of the connection. They are lossy; its reply is not.
    @Test func replyWaitsForRoomBehindEvents() async throws {
        try await withMesh { mesh in
            let broker = StalledBroker(mesh.endpoint())
            let publisher = Mutex<BusConnection?>(nil)
            let event = BusEvent.sessionsRevoked(Realm(project: ProjectID("p")), nil)
            async let reply = broker.run()
            let (connection, _) = try mesh.join(
                .notifier, limits: .silent,
                worker: { _ in
                    guard let connection = publisher.withLock({ $0 }) else { throw ServiceError(.internal) }
                    while connection.status.droppedEvents == 0 {
                        for _ in 0..<100 { connection.publish(event) }
                        await Task.yield()
                    }
                    throw ServiceError(.quotaExceeded)
                })
            publisher.withLock { $0 = connection }
            broker.sendRequest()
            try await eventually("the handler has replied") {
                connection.status.droppedEvents > 0 && connection.status.running == 0
            }
            let dropped = connection.status.droppedReplies
            broker.end(untilReply: dropped == 0)
            #expect(try await reply?.id == StalledBroker.requestID)
            #expect(dropped == 0)
        }
    }

    @Test func reportsReachProcessesThatWatchThem() async throws {
        try await withMesh { mesh in
            try mesh.startBroker()
            let (publisher, _) = try mesh.join(.notifier, worker: Echo.worker.handler)
            let (listener, _) = try mesh.join(.gateway)
            let reports = listener.watchReports()
            let ping = Echo.EchoRequest(text: "")
            _ = try await BusClient(listener).send(ping, trace: .random(), timeout: .seconds(300))
            // The second process asks for reports when it has already joined.
            let (late, _) = try mesh.join(.gateway, instance: "late")
            _ = try await BusClient(late).send(ping, trace: .random(), timeout: .seconds(300))
            let lateReports = late.watchReports()
            _ = try await BusClient(late).send(ping, trace: .random(), timeout: .seconds(300))
            let report = ProcessReport(service: .notifier, instance: "notifier.1", metrics: [])
            publisher.publish(report)
            #expect(await reports.first { _ in true } == report)
            #expect(await lateReports.first { _ in true } == report)
        }
    }

    @Test func processWatchesReportsOfRestartedBroker() async throws {
        try await withMesh { mesh in
            let broker = try mesh.startBroker()
            let (publisher, _) = try mesh.join(.notifier, worker: Echo.worker.handler)
            let (listener, _) = try mesh.join(.gateway)
            let reports = listener.watchReports()
            let ping = Echo.EchoRequest(text: "")
            _ = try await BusClient(listener).send(ping, trace: .random(), timeout: .seconds(300))
            await broker.stop()
            try mesh.startBroker()
            _ = try await BusClient(listener).send(ping, trace: .random(), timeout: .seconds(300))
            let report = ProcessReport(service: .notifier, instance: "notifier.1", metrics: [])
            publisher.publish(report)
            #expect(await reports.first { _ in true } == report)
        }
    }

    @Test func shutdownEndsEventsAndCalls() async throws {
        try await withMesh { mesh in
            try mesh.startBroker()
            let (connection, part) = try mesh.join(.gateway)
            let events = connection.subscribe()
            await part.stop()
            #expect(await events.first { _ in true } == nil)
            await #expect(throws: ServiceError.self) {
                _ = try await BusClient(connection).send(Echo.Once(text: ""), trace: .random(), timeout: .seconds(300))
            }
            #expect(await connection.subscribe().first { _ in true } == nil)
        }
    }

    // MARK: Malformed peers

    /// Security rule BU5.
    @Test func disagreeingFramesAndBodyAreRefused() async throws {
        try await withMesh { mesh in
            try mesh.startBroker()
            _ = try mesh.join(.notifier, worker: Echo.worker.handler)
            let thread = BlockingPool(label: "malformed", threads: 1, maximumWaiting: 0)
            try await thread.run {
                let deadline = BusTime.now().wall + .seconds(60)
                let envelope = RequestEnvelope(
                    id: RequestID.random().description, params: Echo.Once(text: ""), deadline: deadline,
                    trace: .random())
                // The body has another id than the frames.
                let request = BusMessage.Request(
                    service: BusName(.notifier), id: .random(), deadline: deadline, isIdempotent: false,
                    payload: PayloadDigest(high: 0, low: 0), body: ZeroMQFrame(try WireJSON.encode(envelope)))
                var draft = ZeroMQMessageBuilder()
                BusMessage.request(request).write(to: &draft)
                let peer = try MalformedPeer(mesh.endpoint())
                try peer.send(draft.parts)
                guard case .reply(let reply) = try peer.receive() else {
                    Issue.record("something else than a reply")
                    return
                }
                #expect(reply.id == request.id)
                let body = reply.body.withUnsafeBytes { Data($0) }
                guard case .error(_, let error) = try WireJSON.decode(ReplyEnvelope<EmptyReply>.self, from: body) else {
                    Issue.record("it was done")
                    return
                }
                #expect(error == WireError(.invalidRequest, "the frames and the body disagree"))
            }
            thread.shutDown()
        }
    }

    @Test func malformedMessagesChangeNothing() async throws {
        try await withMesh { mesh in
            try mesh.startBroker()
            _ = try mesh.join(.notifier, worker: Echo.worker.handler)
            let client = try mesh.client()
            _ = try await client.send(Echo.EchoRequest(text: "before"), trace: .random(), timeout: .seconds(300))
            let thread = BlockingPool(label: "malformed", threads: 1, maximumWaiting: 0)
            try await thread.run {
                let peer = try MalformedPeer(mesh.endpoint())
                for parts in MalformedPeer.messages { try peer.send(parts) }
            }
            thread.shutDown()
            #expect(
                try await client.send(Echo.EchoRequest(text: "after"), trace: .random(), timeout: .seconds(300)).text
                    == "after")
        }
    }
}

/// A second service that sends requests to the first one.
enum ForwardingService {
    enum Operation: String, ServiceOperation {
        case forward
        static let service = ServiceName.passkey
        var callers: Set<BusCaller> { [.gateway] }
    }

    struct Forward: BusRequest {
        static let operation = ForwardingService.Operation.forward
        static let retrySemantics = RetrySemantics.idempotent
        var text: String
        typealias Reply = Echo.EchoRequest.Reply
    }
}

/// Counts requests and holds them until the test opens the gate.
final class Gate: Sendable {
    private let opened: AsyncStream<Never>
    private let opening: AsyncStream<Never>.Continuation
    private let arrivals: AsyncStream<BusCall>
    private let arriving: AsyncStream<BusCall>.Continuation

    init() {
        (opened, opening) = AsyncStream.makeStream()
        (arrivals, arriving) = AsyncStream.makeStream()
    }

    func open() { opening.finish() }

    func reply(_ call: BusCall) async throws -> BusReply {
        arriving.yield(call)
        for await _ in opened {}
        return try await Echo.worker.handler(call)
    }

    /// The next request that arrived.
    @discardableResult
    func waitForArrival() async -> BusCall? { await arrivals.first { _ in true } }
}
