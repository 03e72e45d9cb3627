import Contracts
import Delivery
import ServiceRuntime
import Synchronization
import Vocabulary

extension Notifier.Channel: DeliveryReceiver {}

/// The messages of one channel. `OutboxMessage` decides what the outcome of an attempt means for the message.
final class MessageOutbox: Outbox {
    private let store: NotifierStore
    private let transport: Transport
    private let holder: LeaseHolder
    private let counters: DeliveryMetrics
    private let log: Log
    /// The project that this process served last.
    private let lastProject = Mutex<ProjectID?>(nil)

    /// - Parameter holder: unique among all processes that ever shared the outbox, also across restarts.
    init(
        _ store: NotifierStore, _ transport: Transport, holder: LeaseHolder, counters: DeliveryMetrics, log: Log
    ) {
        self.store = store
        self.transport = transport
        self.holder = holder
        self.counters = counters
        self.log = log
    }

    var channel: Channel { transport.channel }

    var name: String { channel.rawValue }

    func loop(
        every interval: Duration = .seconds(1), _ environment: DeliveryEnvironment
    ) -> DeliveryLoop<MessageOutbox> {
        let limits = DeliveryLimits(attempts: transport.concurrency, backoff: channel.transportBackoff)
        return DeliveryLoop(self, limits, every: interval, environment)
    }

    func receivers(at now: Moment) async throws -> [Channel] {
        try await store.hasDueMessages(channel, at: now) ? [channel] : []
    }

    func lease(upTo count: Int, for channel: Channel, at now: Moment) async throws -> [LeasedMessage] {
        let (leased, last) = try await store.acquireLeases(
            channel, upTo: count, to: holder.text, for: transport.attemptTimeout + DeliveryLease.margin,
            after: lastProject.withLock(\.self), at: now)
        lastProject.withLock { $0 = last }
        return leased
    }

    static var interrupted: DeliveryOutcome { .interrupted }

    func attempt(_ leased: LeasedMessage) async -> DeliveryOutcome {
        await transport.deliver(leased)
    }

    func origins(of leased: LeasedMessage) -> [TraceContext] { leased.message.trace.map { [$0] } ?? [] }

    func report(_ outcome: DeliveryOutcome, of leased: LeasedMessage) -> ReceiverReport {
        switch outcome {
        case .sent, .deferred, .rejected: .works
        case .transportUnavailable(let problem): .unavailable(reason: problem.text)
        case .uncertain(let uncertain):
            uncertain.isTransportFailure ? .unavailable(reason: uncertain.problem.text) : .nothing
        case .interrupted: .nothing
        }
    }

    func record(
        _ outcome: DeliveryOutcome, of leased: LeasedMessage, at now: Moment, jitter: Double
    ) async throws {
        let message = try await store.recordOutcome(leased.message, outcome, at: now, jitter: jitter)
        guard let message else { return }
        counters.countAttempt(message, at: now)
        logResult(of: message)
    }

    func releaseLeases(
        ofEndedProcesses hasEnded: @escaping @Sendable (String) -> Bool, at now: Moment
    ) async throws -> Int {
        try await store.releaseLeases(ofEndedProcesses: hasEnded, at: now)
    }

    func show(_ change: OutageChange, of channel: Channel, at now: Moment) async {
        counters.show(change, of: channel, log)
    }

    private func logResult(of message: OutboxMessage) {
        switch message.state {
        case .sent:
            log.info(
                .deliverySent,
                [
                    "channel": .public(channel.rawValue), "message": .public(message.id),
                    "project": .public(message.realm.project), "purpose": .public(message.purpose),
                    "attempts": .public(message.attempts), "provider": .public(message.provider ?? "-"),
                ])
        case .failed(let problem, _):
            log.warn(
                .deliveryFailed,
                [
                    "channel": .public(channel.rawValue), "message": .public(message.id),
                    "project": .public(message.realm.project), "purpose": .public(message.purpose),
                    "attempts": .public(message.attempts), "reason": .public(problem.text),
                ])
        case .queued:
            log.debug(
                .deliveryDeferred,
                [
                    "channel": .public(channel.rawValue), "message": .public(message.id),
                    "reason": .public(message.problem?.text ?? "interrupted"),
                ])
        case .leased, .suppressed: break
        }
    }
}
