import Contracts
package import ServiceRuntime
import Synchronization
package import Vocabulary

/// Takes the messages of one channel out of the outbox and to the server. Any number of couriers, in as many processes, share one outbox: a
/// message belongs to who has its lease.
///
/// A courier decides by two values, `CourierState` and `OutboxMessage`; this is the loop around them.
package final class Courier: RunningPart {
    package struct Dependencies: Sendable {
        package var store: NotifierStore
        package var transport: Transport
        /// Unique among all processes that ever shared the outbox: of this start alone.
        package var holder: LeaseHolder
        /// Whether the process that has a lease, by the text in the outbox, has ended for certain.
        package var isKnownDead: @Sendable (String) -> Bool
        package var now: @Sendable () -> Moment
        /// 0 ..< 1.
        package var jitter: @Sendable () -> Double
        package var counters: DeliveryCounters
        package var log: Log
        /// How often to look for what others have put there, and for what has come to its time. Hints come sooner, as a
        /// rule.
        package var interval: Duration

        package init(
            store: NotifierStore, transport: Transport, holder: LeaseHolder,
            isKnownDead: @escaping @Sendable (String) -> Bool = LeaseHolder.isKnownDead,
            now: @escaping @Sendable () -> Moment, jitter: @escaping @Sendable () -> Double,
            counters: DeliveryCounters, log: Log
        ) {
            self.store = store
            self.transport = transport
            interval = transport.channel == .email ? .seconds(1) : .milliseconds(250)
            self.holder = holder
            self.isKnownDead = isKnownDead
            self.now = now
            self.jitter = jitter
            self.counters = counters
            self.log = log
        }
    }

    private enum Signal: Sendable {
        case look
        case ended(AttemptOutcome)
        case stop
    }

    /// What the server may take beyond its time before a lease runs out.
    private static let leaseMargin = Duration.seconds(30)
    /// Between attempts to store what came of a message, all inside of that margin.
    private static let settlingPauses: [Duration] = [.milliseconds(100), .seconds(1), .seconds(4), .seconds(10)]
    /// Of the five seconds a process has to stop; what is under way after that is broken off and sent again later.
    private static let drainTime = Duration.seconds(3)

    private let dependencies: Dependencies
    private let signals: AsyncStream<Signal>
    private let inbox: AsyncStream<Signal>.Continuation
    /// Whether a `look` waits already: one is enough for any number of messages.
    private let isLookWaiting = Atomic(false)
    private let isFull = Atomic(false)

    package init(_ dependencies: Dependencies) {
        self.dependencies = dependencies
        (signals, inbox) = AsyncStream.makeStream()
    }

    /// What this courier takes out.
    package var channel: Channel { dependencies.transport.channel }

    /// Whether it could take on more. False also while the way out is in trouble.
    package var hasRoom: Bool { !isFull.load(ordering: .relaxed) }

    /// Looks into the outbox now.
    package func wake() {
        if !isLookWaiting.exchange(true, ordering: .relaxed) { inbox.yield(.look) }
    }

    package func beginShutdown() async {
        inbox.yield(.stop)
        // Outlives this call on purpose: `run` ends earlier if nothing is under way.
        Task { [transport = dependencies.transport] in
            try await Task.sleep(for: Self.drainTime)
            transport.abort()
        }
    }

    package func run() async throws {
        await releaseLeasesOfTheDead()
        // A group that keeps its finished tasks would grow by one with every message.
        await withDiscardingTaskGroup { group in
            group.addTask { await self.lookRegularly() }
            await self.loop(in: &group)
            group.cancelAll()
        }
    }

    private func loop(in group: inout DiscardingTaskGroup) async {
        var state = CourierState(limit: dependencies.transport.concurrency, pauses: channel.serverPauses)
        var lastProject: ProjectID?
        var isStopping = false
        wake()
        for await signal in signals {
            switch signal {
            case .look: isLookWaiting.store(false, ordering: .relaxed)
            case .ended(let outcome): end(outcome, &state)
            case .stop: isStopping = true
            }
            if isStopping {
                if state.inFlight == 0 { return }
                continue
            }
            for message in await lease(state.room(at: dependencies.now()), after: &lastProject) {
                state.begin(1)
                group.addTask { self.inbox.yield(.ended(await self.attempt(message))) }
            }
            isFull.store(state.room(at: dependencies.now()) == 0, ordering: .relaxed)
        }
    }

    private func end(_ outcome: AttemptOutcome, _ state: inout CourierState) {
        let before = state.trouble
        state.end(outcome, at: dependencies.now(), jitter: dependencies.jitter())
        dependencies.counters.setTrouble(state.trouble, of: channel)
        if before == nil, let trouble = state.trouble {
            dependencies.log.warn(
                "delivery.trouble", ["channel": .public(channel.rawValue), "problem": .public(trouble.problem.text)])
        } else if before != nil, state.trouble == nil {
            dependencies.log.info("delivery.recovered", ["channel": .public(channel.rawValue)])
        }
    }

    private func lease(_ count: Int, after last: inout ProjectID?) async -> [LeasedMessage] {
        guard count > 0 else { return [] }
        do {
            let now = dependencies.now()
            // Most looks find nothing, and a read does not keep others from writing.
            guard try await dependencies.store.hasDue(channel, at: now) else { return [] }
            let (leased, served) = try await dependencies.store.lease(
                channel, upTo: count, to: dependencies.holder.text,
                for: dependencies.transport.longestAttempt + Self.leaseMargin, after: last, at: now)
            last = served
            return leased
        } catch {
            // Everything is still there; the next look finds it.
            dependencies.log.errorOnceAMinute(
                "delivery.outbox-failed", about: channel.rawValue,
                ["channel": .public(channel.rawValue), "error": .kind(of: error)])
            return []
        }
    }

    private func attempt(_ leased: LeasedMessage) async -> AttemptOutcome {
        let outcome = await dependencies.transport.deliver(leased)
        if let settled = await settle(leased.message, outcome) {
            dependencies.counters.countAttempt(settled, at: dependencies.now())
            tell(settled)
        }
        return outcome
    }

    /// Stores what came of an attempt, more than once if need be: what is not stored when the lease has run out is sent
    /// again by somebody, though the server may have taken it.
    /// - Returns: nil if the lease was lost, or nothing could be stored.
    private func settle(_ lease: OutboxMessage, _ outcome: AttemptOutcome) async -> OutboxMessage? {
        var pauses = Self.settlingPauses[...]
        while true {
            do {
                return try await dependencies.store.settle(
                    lease, outcome, at: dependencies.now(), jitter: dependencies.jitter())
            } catch {
                // A sleep ends early in a process that stops: then there is no time for another try.
                guard let pause = pauses.popFirst(), (try? await Task.sleep(for: pause)) != nil else {
                    dependencies.log.error(
                        "delivery.not-settled", ["message": .public(lease.id), "error": .kind(of: error)])
                    return nil
                }
            }
        }
    }

    private func tell(_ message: OutboxMessage) {
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
                    "attempts": .public(message.attempts), "problem": .public(problem.text),
                ])
        case .queued:
            log.debug(
                "delivery.delayed",
                [
                    "channel": .public(channel.rawValue), "message": .public(message.id),
                    "problem": .public(message.problem?.text ?? "interrupted"),
                ])
        case .leased, .suppressed: break
        }
    }

    /// A process that ended leaves leases behind. Where that is known, on the machine it ran on, nobody has to wait until
    /// they run out. A process of the same name can be alive elsewhere: its leases stay its own.
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

    private func lookRegularly() async {
        // The only error of a sleep is its cancellation, which is how this ends.
        while (try? await Task.sleep(for: dependencies.interval)) != nil { wake() }
    }
}
