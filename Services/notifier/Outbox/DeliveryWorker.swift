import Contracts
import EventLoop
package import ServiceRuntime
import Synchronization
package import Vocabulary

/// Leases the messages of one channel, sends them and records the outcomes. Any number of delivery workers, in any
/// number of processes, share one outbox: the lease holder of a message is the only one that sends it.
///
/// Two values decide: `DeliveryWorkerState` and `OutboxMessage`. This type is the loop around them.
package final class DeliveryWorker: ProcessComponent {
    package struct Dependencies: Sendable {
        package var store: NotifierStore
        package var transport: Transport
        /// Unique among all processes that ever shared the outbox, also across restarts.
        package var holder: LeaseHolder
        /// Whether the process that holds a lease, given by its text in the outbox, has certainly ended.
        package var isKnownDead: @Sendable (String) -> Bool
        package var now: @Sendable () -> Moment
        /// The steady clock.
        package var instant: @Sendable () -> ContinuousClock.Instant
        /// 0 ..< 1.
        package var jitter: @Sendable () -> Double
        package var counters: DeliveryMetrics
        package var log: Log
        /// The polling interval for messages of other processes and messages that become due. Events usually arrive
        /// sooner.
        package var interval: Duration

        package init(
            store: NotifierStore, transport: Transport, holder: LeaseHolder,
            isKnownDead: @escaping @Sendable (String) -> Bool = LeaseHolder.isKnownDead,
            now: @escaping @Sendable () -> Moment,
            instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
            jitter: @escaping @Sendable () -> Double, counters: DeliveryMetrics, log: Log
        ) {
            self.store = store
            self.transport = transport
            interval = .seconds(1)
            self.holder = holder
            self.isKnownDead = isKnownDead
            self.now = now
            self.instant = instant
            self.jitter = jitter
            self.counters = counters
            self.log = log
        }
    }

    private enum Signal: Sendable {
        case poll
        case ended(DeliveryOutcome)
        case stop
    }

    /// The time that remains of a lease after the maximum duration of an attempt.
    private static let leaseMargin = Duration.seconds(30)
    /// The delays between attempts to store an outcome. Their sum is below `leaseMargin`.
    private static let storeRetryDelays: [Duration] = [.milliseconds(100), .seconds(1), .seconds(4), .seconds(10)]
    /// A part of the five seconds that a process has to stop. After it, running attempts are aborted and repeated
    /// later.
    private static let drainTime = Duration.seconds(3)

    private let dependencies: Dependencies
    private let signals: AsyncStream<Signal>
    private let inbox: AsyncStream<Signal>.Continuation
    /// Whether a `poll` is pending: one is enough for any number of messages.
    private let isPollPending = Atomic(false)
    private let isFull = Atomic(false)

    package init(_ dependencies: Dependencies) {
        self.dependencies = dependencies
        (signals, inbox) = AsyncStream.makeStream()
    }

    /// The channel of this worker.
    package var channel: Channel { dependencies.transport.channel }

    /// Whether the worker has free capacity. False also during an outage of the transport.
    package var hasRoom: Bool { !isFull.load(ordering: .relaxed) }

    /// Polls the outbox now.
    package func wake() {
        if !isPollPending.exchange(true, ordering: .relaxed) { inbox.yield(.poll) }
    }

    package func beginShutdown() async {
        inbox.yield(.stop)
        // Deliberately outlives this call: `run` ends earlier if nothing is in flight.
        Task { [transport = dependencies.transport] in
            try await Task.sleep(for: Self.drainTime)
            transport.abort()
        }
    }

    package func run() async throws {
        await releaseLeasesOfTheDead()
        // A discarding group, because a group that keeps results would grow with every message.
        await withDiscardingTaskGroup { group in
            group.addTask { await self.pollPeriodically() }
            await self.loop(in: &group)
            group.cancelAll()
        }
    }

    private func loop(in group: inout DiscardingTaskGroup) async {
        var state = DeliveryWorkerState(
            concurrency: dependencies.transport.concurrency, backoff: channel.transportBackoff)
        var lastProject: ProjectID?
        var isStopping = false
        wake()
        for await signal in signals {
            switch signal {
            case .poll: isPollPending.store(false, ordering: .relaxed)
            case .ended(let outcome): handleOutcome(outcome, &state)
            case .stop: isStopping = true
            }
            if isStopping {
                if state.inFlight == 0 { return }
                continue
            }
            for message in await acquireLeases(state.availableCapacity(at: dependencies.instant()), after: &lastProject)
            {
                state.begin(1)
                group.addTask { self.inbox.yield(.ended(await self.attempt(message))) }
            }
            isFull.store(state.availableCapacity(at: dependencies.instant()) == 0, ordering: .relaxed)
        }
    }

    private func handleOutcome(_ outcome: DeliveryOutcome, _ state: inout DeliveryWorkerState) {
        let before = state.outage
        state.end(outcome, at: dependencies.instant(), jitter: dependencies.jitter())
        dependencies.counters.setOutage(state.outage, of: channel)
        if before == nil, let outage = state.outage {
            dependencies.log.warn(
                "delivery.transport-failed",
                ["channel": .public(channel.rawValue), "reason": .public(outage.problem.text)])
        } else if before != nil, state.outage == nil {
            dependencies.log.info("delivery.transport-recovered", ["channel": .public(channel.rawValue)])
        }
    }

    private func acquireLeases(_ count: Int, after last: inout ProjectID?) async -> [LeasedMessage] {
        guard count > 0 else { return [] }
        do {
            let now = dependencies.now()
            // Most polls find nothing, and a read does not block writers.
            guard try await dependencies.store.hasDueMessages(channel, at: now) else { return [] }
            let (leased, served) = try await dependencies.store.acquireLeases(
                channel, upTo: count, to: dependencies.holder.text,
                for: dependencies.transport.attemptTimeout + Self.leaseMargin, after: last, at: now)
            last = served
            return leased
        } catch {
            // The messages are still stored; the next poll finds them.
            dependencies.log.errorOnceAMinute(
                "delivery.outbox-failed", about: channel.rawValue,
                ["channel": .public(channel.rawValue), "error": .kind(of: error)])
            return []
        }
    }

    private func attempt(_ leased: LeasedMessage) async -> DeliveryOutcome {
        let outcome = await dependencies.transport.deliver(leased)
        if let settled = await storeOutcome(leased.message, outcome) {
            dependencies.counters.countAttempt(settled, at: dependencies.now())
            logResult(of: settled)
        }
        return outcome
    }

    /// Stores the outcome of an attempt, with retries. If the lease expires before the outcome is stored, another
    /// worker sends the message again, although the server may have accepted it.
    /// - Returns: nil if the lease was lost, or the outcome could not be stored.
    private func storeOutcome(_ lease: OutboxMessage, _ outcome: DeliveryOutcome) async -> OutboxMessage? {
        var delays = Self.storeRetryDelays[...]
        while true {
            do {
                return try await dependencies.store.recordOutcome(
                    lease, outcome, at: dependencies.now(), jitter: dependencies.jitter())
            } catch {
                // The sleep ends early in a process that stops: then there is no time for another attempt.
                guard let delay = delays.popFirst(), (try? await Task.sleep(for: delay)) != nil else {
                    dependencies.log.error(
                        "delivery.outcome-store-failed", ["message": .public(lease.id), "error": .kind(of: error)])
                    return nil
                }
            }
        }
    }

    private func logResult(of message: OutboxMessage) {
        let log = dependencies.log
        switch message.state {
        case .sent:
            log.info(
                "delivery.sent",
                [
                    "channel": .public(channel.rawValue), "message": .public(message.id),
                    "project": .public(message.realm.project), "purpose": .public(message.purpose),
                    "attempts": .public(message.attempts), "provider": .public(message.provider ?? "-"),
                ])
        case .failed(let problem, _):
            log.warn(
                "delivery.failed",
                [
                    "channel": .public(channel.rawValue), "message": .public(message.id),
                    "project": .public(message.realm.project), "purpose": .public(message.purpose),
                    "attempts": .public(message.attempts), "reason": .public(problem.text),
                ])
        case .queued:
            log.debug(
                "delivery.deferred",
                [
                    "channel": .public(channel.rawValue), "message": .public(message.id),
                    "reason": .public(message.problem?.text ?? "interrupted"),
                ])
        case .leased, .suppressed: break
        }
    }

    /// Releases the leases of ended processes, so that their messages need not wait until the leases expire. This is
    /// only known on the machine of the ended process. A process of the same name on another machine keeps its leases.
    private func releaseLeasesOfTheDead() async {
        do {
            let count = try await dependencies.store.releaseLeases(
                where: dependencies.isKnownDead, channel, at: dependencies.now())
            if count > 0 { dependencies.log.info("delivery.leases-released", ["count": .public(count)]) }
        } catch {
            dependencies.log.error(
                "delivery.outbox-failed", ["channel": .public(channel.rawValue), "error": .kind(of: error)])
        }
    }

    private func pollPeriodically() async {
        // The only error of a sleep is its cancellation, which ends the loop.
        while (try? await EventLoop.sleep(forAbout: dependencies.interval)) != nil { wake() }
    }
}
