import Contracts
import EventLoop
package import ServiceRuntime
import Synchronization
package import Vocabulary

/// Leases the queues of webhooks, sends their first events and records the outcomes. Any number of workers, in any number of
/// processes, share the queues: the lease holder of a queue is the only one that sends its events.
///
/// Two values decide: `EndpointStates` and `QueuedEvent`. This type is the loop around them.
package final class WebhookWorker: ProcessComponent {
    package struct Dependencies: Sendable {
        package var store: NotifierStore
        package var transport: WebhookTransport
        /// Unique among all processes that ever shared the database, also across restarts.
        package var holder: LeaseHolder
        /// Whether the process that holds a lease, given by its text, has certainly ended.
        package var isKnownDead: @Sendable (String) -> Bool
        package var now: @Sendable () -> Moment
        /// The steady clock.
        package var instant: @Sendable () -> ContinuousClock.Instant
        /// 0 ..< 1.
        package var jitter: @Sendable () -> Double
        package var metrics: WebhookMetrics
        package var log: Log

        package init(
            store: NotifierStore, transport: WebhookTransport, holder: LeaseHolder,
            isKnownDead: @escaping @Sendable (String) -> Bool = LeaseHolder.isKnownDead,
            now: @escaping @Sendable () -> Moment,
            instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
            jitter: @escaping @Sendable () -> Double, metrics: WebhookMetrics, log: Log
        ) {
            self.store = store
            self.transport = transport
            self.holder = holder
            self.isKnownDead = isKnownDead
            self.now = now
            self.instant = instant
            self.jitter = jitter
            self.metrics = metrics
            self.log = log
        }
    }

    private enum Signal: Sendable {
        case poll
        case ended(WebhookOutcome, AccountEventID, WebhookID)
        case stop
    }

    /// The polling interval for events of other processes and events that become due.
    private static let interval = Duration.seconds(1)
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
    private let abortController = AbortController<WebhookOutcome>()
    /// Whether a `poll` is pending: one is enough for any number of events.
    private let isPollPending = Atomic(false)

    package init(_ dependencies: Dependencies) {
        self.dependencies = dependencies
        (signals, inbox) = AsyncStream.makeStream()
    }

    /// Polls the queues now.
    package func wake() {
        if !isPollPending.exchange(true, ordering: .relaxed) { inbox.yield(.poll) }
    }

    package func beginShutdown() async {
        inbox.yield(.stop)
        // Deliberately outlives this call: `run` ends earlier if nothing is in flight.
        Task { [abortController] in
            try await Task.sleep(for: Self.drainTime)
            abortController.abort()
        }
    }

    package func run() async throws {
        await releaseLeasesOfTheDead()
        // A discarding group, because a group that keeps results would grow with every event.
        await withDiscardingTaskGroup { group in
            group.addTask { await self.pollPeriodically() }
            await self.loop(in: &group)
            group.cancelAll()
        }
    }

    private func loop(in group: inout DiscardingTaskGroup) async {
        var states = EndpointStates()
        var isStopping = false
        wake()
        for await signal in signals {
            switch signal {
            case .poll: isPollPending.store(false, ordering: .relaxed)
            case .ended(let outcome, let event, let webhook):
                await handle(outcome, of: event, to: webhook, &states)
                // The queue of the account may have another event.
                wake()
                if !isStopping { continue }
            case .stop: isStopping = true
            }
            if isStopping {
                if states.inFlight == 0 { return }
                continue
            }
            for leased in await acquireLeases(&states) {
                group.addTask {
                    let outcome = await self.attempt(leased)
                    self.inbox.yield(.ended(outcome, leased.event.event.id, leased.event.webhookID))
                }
            }
        }
    }

    private func handle(
        _ outcome: WebhookOutcome, of event: AccountEventID, to webhook: WebhookID, _ states: inout EndpointStates
    ) async {
        let (before, after) = states.end(
            outcome, of: event, to: webhook, at: dependencies.instant(), jitter: dependencies.jitter())
        guard (before == nil) != (after == nil) else { return }
        if let after {
            dependencies.log.warn(
                "webhook.endpoint-failed",
                ["webhook": .public(webhook), "reason": .public(after.problem.text)])
        } else {
            dependencies.log.info("webhook.endpoint-recovered", ["webhook": .public(webhook)])
        }
        do {
            try await dependencies.store.recordOutage(after?.problem, of: webhook, since: dependencies.now())
        } catch {
            dependencies.log.errorOnceAMinute(
                "webhook.store-failed", about: "outage", ["error": .kind(of: error)])
        }
    }

    /// Leases events of each webhook that has some, as many as its endpoint may receive now.
    private func acquireLeases(_ states: inout EndpointStates) async -> [LeasedEvent] {
        let (now, instant) = (dependencies.now(), dependencies.instant())
        var all: [LeasedEvent] = []
        do {
            guard states.inFlight < EndpointStates.maximumInFlight else { return [] }
            // Most polls find nothing, and a read does not block writers. In random order, so that the webhooks of a
            // project share its part of the capacity.
            for (id, project) in try await dependencies.store.dueWebhooks(at: now).shuffled() {
                let capacity = states.availableCapacity(of: id, project, at: instant)
                guard capacity > 0 else { continue }
                let leased = try await dependencies.store.acquireWebhookLeases(
                    id, upTo: capacity, to: dependencies.holder.text, for: WebhookTransport.timeout + Self.leaseMargin,
                    at: now)
                states.begin(leased.count, to: id, of: project)
                all += leased
            }
        } catch {
            // The events are still stored; the next poll finds them.
            dependencies.log.errorOnceAMinute("webhook.store-failed", about: "lease", ["error": .kind(of: error)])
        }
        return all
    }

    private func attempt(_ leased: LeasedEvent) async -> WebhookOutcome {
        let transport = dependencies.transport
        let outcome = await abortController.run { await transport.deliver(leased) } ?? .interrupted
        dependencies.metrics.countAttempt(outcome)
        guard let event = await storeOutcome(leased, outcome) else { return outcome }
        if case .gone = outcome {
            dependencies.log.warn("webhook.endpoint-gone", ["webhook": .public(event.webhookID)])
        }
        switch event.progress {
        case .pending: break
        case .delivered: dependencies.metrics.count(.delivered)
        case .failed:
            dependencies.metrics.count(.failed)
            logFailure(of: event)
        }
        return outcome
    }

    /// Stores the outcome of an attempt, with retries. If the lease expires before the outcome is stored, a worker sends the
    /// event again.
    /// - Returns: nil if the lease was lost, or the outcome could not be stored.
    private func storeOutcome(_ leased: LeasedEvent, _ outcome: WebhookOutcome) async -> QueuedEvent? {
        var delays = Self.storeRetryDelays[...]
        while true {
            do {
                return try await dependencies.store.recordOutcome(
                    leased, outcome, at: dependencies.now(), jitter: dependencies.jitter())
            } catch {
                // The sleep ends early in a process that stops: then there is no time for another attempt.
                guard let delay = delays.popFirst(), (try? await Task.sleep(for: delay)) != nil else {
                    dependencies.log.error(
                        "webhook.outcome-store-failed",
                        ["event": .public(leased.event.event.id), "error": .kind(of: error)])
                    return nil
                }
            }
        }
    }

    private func logFailure(of event: QueuedEvent) {
        dependencies.log.warn(
            "webhook.delivery-failed",
            [
                "webhook": .public(event.webhookID), "event": .public(event.event.id),
                "kind": .public(event.event.kind.rawValue), "attempts": .public(event.attempts),
                "reason": .public(event.problem?.text ?? "-"),
            ])
    }

    private func releaseLeasesOfTheDead() async {
        do {
            let count = try await dependencies.store.releaseWebhookLeases(
                where: dependencies.isKnownDead, at: dependencies.now())
            if count > 0 { dependencies.log.info("webhook.leases-released", ["count": .public(count)]) }
        } catch {
            // The leases expire.
            dependencies.log.error("webhook.store-failed", ["error": .kind(of: error)])
        }
    }

    private func pollPeriodically() async {
        // The only error of a sleep is its cancellation, which ends the loop.
        while (try? await EventLoop.sleep(forAbout: Self.interval)) != nil { wake() }
    }
}
