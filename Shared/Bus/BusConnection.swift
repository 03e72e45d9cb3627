internal import Blocking
package import Contracts
internal import FoundationEssentials
internal import JSON
internal import Synchronization
internal import Vocabulary
internal import ZeroMQ

/// This process's place on the bus: one thread that owns one DEALER socket per broker, shared by everything in the
/// process that asks and by the handler that answers.
package final class BusConnection: Sendable {
    let settings: BusSettings
    private let handler: Mutex<BusHandler?>
    private let note: @Sendable (BusDiagnostic) -> Void
    private let outbox: BusCommandQueue
    private let wakeUp: WakeUp
    private let subscribers = EventSubscribers()
    private let currentStatus = Mutex(BusStatus())
    private let retryBudget = Mutex(RetryBudget())

    /// - Parameters:
    ///   - worker: answers requests; without it the process joins to ask and to hear events, with capacity 0.
    ///   - note: takes what an operator should know, without waiting.
    /// - Throws: `ZeroMQError` when the process has no file descriptor left.
    package init(
        _ settings: BusSettings, worker: BusHandler? = nil, note: @escaping @Sendable (BusDiagnostic) -> Void
    ) throws {
        self.settings = settings
        handler = Mutex(worker)
        self.note = note
        wakeUp = try WakeUp()
        outbox = BusCommandQueue(wakeUp: wakeUp, limit: settings.limits.pendingReplies)
    }

    /// Names who answers requests, for a service that itself asks through this connection. Before `run`.
    package func serve(_ worker: @escaping BusHandler) {
        handler.withLock { $0 = worker }
    }

    /// Connects to every broker and stays until `beginShutdown` and the end of what runs. Call it once.
    package func run() async throws {
        let thread = BlockingPool(label: "bus", threads: 1, waiting: 0)
        defer { thread.shutDown() }
        try await thread.run { [self] in
            // Whoever still waits when the loop ends, for whatever reason, is answered.
            defer {
                for command in outbox.close() { Self.refuse(command) }
                subscribers.finish()
                currentStatus.withLock { $0 = BusStatus() }
            }
            let handler = handler.withLock { $0 }
            var settings = settings
            if handler == nil { settings.capacity = 0 }
            let loop = try BusLoop(
                settings: settings, handler: handler, note: note, outbox: outbox, subscribers: subscribers,
                wakeUp: wakeUp, onStatus: { [self] status in currentStatus.withLock { $0 = status } })
            try loop.run()
        }
    }

    /// Says `disconnect` to the brokers: no new requests come in, and those that run may finish and may still ask.
    package func beginShutdown() async {
        _ = outbox.enqueue(.beginShutdown)  // Refused only when it has ended already.
    }

    /// How it stands, as of the last moment something changed.
    package var status: BusStatus { currentStatus.withLock { $0 } }

    // MARK: Events

    /// The events that other processes publish from now on. A subscriber that falls 256 events behind loses the oldest:
    /// events are hints.
    package func subscribe() -> AsyncStream<BusEvent> {
        subscribers.subscribe()
    }

    /// Hands an event to all other processes, or to none: lossy by design.
    package func publish(_ event: BusEvent) {
        // An event is made of strings and numbers, so that encoding fails for a NaN only; a full outbox drops it.
        guard let json = try? WireJSON.encode(event), json.count <= BusMessage.maximumBodyBytes else { return }
        _ = outbox.enqueue(.publish(ZeroMQFrame(json)))
    }

    /// Tells every broker that a process ended, and how: what it worked on is then taken for innocent, or refused.
    /// Brokers learn of it faster this way than by themselves.
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
                case .full: continuation.resume(returning: .failure(WireError(.overloaded, retryAfterSeconds: 1)))
                case .closed: continuation.resume(returning: .failure(Self.stopped))
                // Cancelled before the call was posted: the handler below has found nothing to abandon.
                case nil: if Task.isCancelled { _ = outbox.enqueue(.cancel(request.id)) }
                }
            }
        } onCancel: {
            // Refused when the connection has ended and everybody was answered.
            _ = outbox.enqueue(.cancel(request.id))
        }
    }

    /// Whether this process may repeat one more call now (security rule BU10).
    func consumeRetry() -> Bool { retryBudget.withLock { $0.tryWithdraw() } }

    func depositRetry() { retryBudget.withLock { $0.deposit() } }

    private static let stopped = WireError(.unavailable, "this process is stopping")

    private static func refuse(_ command: BusCommand) {
        switch command {
        case .send(let call): call.continuation.resume(returning: .failure(stopped))
        case .cancel, .reply, .publish, .report, .beginShutdown: break
        }
    }
}

/// A process's view of the bus, for health and metrics.
package struct BusStatus: Equatable, Sendable {
    /// Brokers that know this process and were heard lately.
    package var connectedBrokers = 0
    /// Calls without a reply so far.
    package var pendingReplies = 0
    /// Requests being worked on.
    package var running = 0
    /// Replies that nobody waited for any more.
    package var lateReplies: UInt64 = 0
    /// Requests refused because they were late or too many.
    package var refused: UInt64 = 0
    /// Messages that were not ours.
    package var malformedMessages: UInt64 = 0

    package init() {}
}
