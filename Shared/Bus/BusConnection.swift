package import Contracts
package import EventLoop
import FoundationEssentials
import JSON
import Synchronization
package import Tracing
import Vocabulary
import ZeroMQ

/// The connection of this process to the bus: one DEALER socket per broker on the thread of an event loop. All clients in
/// the process and the request handler share it.
package final class BusConnection: Sendable {
    let settings: BusSettings
    let machine: any BusMachine
    private let handler: Mutex<BusHandler?>
    private let spans: SpanRecorder?
    private let note: @Sendable (BusDiagnostic) -> Void
    private let outbox: BusCommandQueue
    /// Owns the sockets and runs the handlers.
    package let loop: EventLoop
    private let events = Subscribers<BusEvent>()
    private let reports = Subscribers<ProcessReport>()
    private let currentStatus = Mutex(BusStatus())
    private let retryBudget = Mutex(RetryBudget())
    private let refusedCallers: RefusalCount

    /// - Parameters:
    ///   - worker: handles requests. Without it the process joins with capacity 0: it sends requests and receives
    ///     events.
    ///   - loop: owns the sockets and runs the handlers. Nil for a loop of its own.
    ///   - machine: its clocks and connections.
    ///   - spans: records the requests that the worker handles; nil if this process records no traces.
    ///   - note: receives diagnostics for the operator and must not block.
    /// - Throws: `EventLoopError` when the process has no free file descriptor.
    package init(
        _ settings: BusSettings, worker: BusHandler? = nil, on loop: EventLoop? = nil,
        machine: any BusMachine = LocalMachine(), recordingIn spans: SpanRecorder? = nil,
        note: @escaping @Sendable (BusDiagnostic) -> Void
    ) throws {
        self.settings = settings
        self.machine = machine
        handler = Mutex(worker)
        self.spans = spans
        let refusedCallers = RefusalCount()
        self.refusedCallers = refusedCallers
        self.note = { diagnostic in
            if case .callerRefused = diagnostic { refusedCallers.increment() }
            note(diagnostic)
        }
        let loop = try loop ?? EventLoop(label: "bus")
        self.loop = loop
        let signal = loop.makeSignal()
        outbox = BusCommandQueue(signal: signal, limit: settings.limits.pendingReplies)
        settings.keys?.observe { [weak signal] in signal?.raise() }
    }

    /// Sets the request handler of a service that itself sends requests through this connection. Call it before `run`.
    package func serve(_ worker: @escaping BusHandler) {
        handler.withLock { $0 = worker }
    }

    /// Connects to every broker and returns after `beginShutdown`, once running requests have ended. Call it once.
    package func run() async throws {
        // Every waiting caller gets a result when the loop ends, for any reason.
        defer {
            for command in outbox.close() { Self.refuse(command) }
            events.finish()
            reports.finish()
            currentStatus.withLock { $0 = BusStatus() }
        }
        let handler = handler.withLock { $0 }
        try await loop.serve(outbox.signal) { [self] in
            var settings = settings
            if handler == nil { settings.capacity = 0 }
            return try BusLoop(
                settings: settings, machine: machine, handler: handler, spans: spans, note: note, outbox: outbox,
                events: events, reports: reports, executor: loop,
                onStatus: { [self] status in currentStatus.withLock { $0 = status } })
        }
    }

    /// Sends `disconnect` to the brokers. They send no new requests. Running requests may finish and may
    /// still send requests.
    package func beginShutdown() async {
        _ = outbox.enqueue(.beginShutdown)  // Rejected only if the connection has already ended.
    }

    /// The status at the time of its last change.
    package var status: BusStatus {
        var status = currentStatus.withLock { $0 }
        status.refusedCallers = refusedCallers.count
        return status
    }

    // MARK: Events

    /// The events that other processes publish from now on. A subscriber that is 256 events behind loses the oldest
    /// ones: events are lossy.
    package func subscribe() -> AsyncStream<BusEvent> {
        events.subscribe()
    }

    /// Publishes an event to all other processes. The event can be lost.
    package func publish(_ event: BusEvent) {
        publish(event, BusMessage.event)
    }

    /// The reports that other processes publish from now on. They can be lost, like events.
    package func watchReports() -> AsyncStream<ProcessReport> {
        defer { _ = outbox.enqueue(.watch) }  // Rejected only if the connection has already ended.
        return reports.subscribe()
    }

    /// Publishes the report of this process to those that watch reports. It can be lost.
    package func publish(_ report: ProcessReport) {
        publish(report, BusMessage.report)
    }

    private func publish(_ content: some Encodable, _ message: (ZeroMQFrame) -> BusMessage) {
        // It consists of strings and numbers, so encoding fails only for a NaN. A full queue drops it.
        guard let json = try? WireJSON.encode(content), json.count <= BusMessage.maximumBodyBytes else { return }
        _ = outbox.enqueue(.publish(message(ZeroMQFrame(json))))
    }

    /// Reports to every broker that a process ended, and how. The broker then decides whether the requests of that
    /// process are the cause. Brokers learn it faster this way than from a missing heartbeat.
    package func report(_ ended: BusMessage.Ended) {
        _ = outbox.enqueue(.report(ended))
    }

    // MARK: Calls

    /// Sends one request and waits for its reply, its deadline, or the end of the connection.
    func send(
        _ request: BusMessage.Request, isRetryable: Bool, expiresAt: ContinuousClock.Instant
    ) async -> CallResult {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let call = BusCommand.send(
                    OutgoingCall(
                        request: request, isRetryable: isRetryable, expiresAt: expiresAt, continuation: continuation))
                switch outbox.enqueue(call) {
                case .full: continuation.resume(returning: .failure(.overloaded))
                case .closed: continuation.resume(returning: .failure(Self.stopped))
                // Cancelled before the call was enqueued: the handler below found no call to cancel.
                case nil: if Task.isCancelled { _ = outbox.enqueue(.cancel(request.id)) }
                }
            }
        } onCancel: {
            // Rejected if the connection has ended: every caller has a result by then.
            _ = outbox.enqueue(.cancel(request.id))
        }
    }

    /// Whether this process may repeat one more call now (security rule BU10).
    func consumeRetry() -> Bool { retryBudget.withLock { $0.tryWithdraw() } }

    func depositRetry() { retryBudget.withLock { $0.deposit() } }

    private static let stopped = ServiceError(.unavailable, "this process is stopping")

    private static func refuse(_ command: BusCommand) {
        switch command {
        case .send(let call): call.continuation.resume(returning: .failure(stopped))
        case .cancel, .reply, .publish, .report, .watch, .beginShutdown: break
        }
    }
}

/// The state of the bus connection of a process, for health and metrics.
package struct BusStatus: Equatable, Sendable {
    /// Brokers that know this process and whose last message is recent.
    package var connectedBrokers = 0
    /// Calls that have no reply yet.
    package var pendingReplies = 0
    /// Requests that handlers process.
    package var running = 0
    /// Replies that arrived after their caller stopped waiting.
    package var lateReplies: UInt64 = 0
    /// Replies that no connection took, or whose broker was lost.
    package var droppedReplies: UInt64 = 0
    /// Events that no connection took.
    package var droppedEvents: UInt64 = 0
    /// Requests rejected because they were late or too many.
    package var refused: UInt64 = 0
    /// Malformed messages.
    package var malformedMessages: UInt64 = 0
    /// Requests that the keys of their callers did not permit.
    package var refusedCallers: UInt64 = 0

    package init() {}
}

/// Counts the requests of callers without the authority.
private final class RefusalCount: Sendable {
    private let value = Mutex<UInt64>(0)

    var count: UInt64 { value.withLock { $0 } }

    func increment() { value.withLock { $0 += 1 } }
}
