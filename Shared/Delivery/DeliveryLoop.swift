package import Bus
import EventLoop
package import ServiceRuntime
import Synchronization
package import Tracing
package import Vocabulary

/// Clocks, randomness and log of a loop.
package struct DeliveryEnvironment: Sendable {
    package var now: @Sendable () -> Moment
    /// The steady clock.
    package var instant: @Sendable () -> ContinuousClock.Instant
    /// 0 ..< 1.
    package var jitter: @Sendable () -> Double
    /// Whether the process that holds a lease, given by its text in the database, has certainly ended.
    package var hasEnded: @Sendable (String) -> Bool
    /// Records the attempts; nil if the process records no traces.
    package var spans: SpanRecorder?
    package var log: Log

    package init(
        now: @escaping @Sendable () -> Moment, instant: @escaping @Sendable () -> ContinuousClock.Instant,
        jitter: @escaping @Sendable () -> Double, hasEnded: @escaping @Sendable (String) -> Bool,
        spans: SpanRecorder? = nil, log: Log
    ) {
        self.now = now
        self.instant = instant
        self.jitter = jitter
        self.hasEnded = hasEnded
        self.spans = spans
        self.log = log
    }

    package init(
        on machine: any BusMachine, hasEnded: @escaping @Sendable (String) -> Bool = LeaseHolder.hasEnded,
        spans: SpanRecorder? = nil, log: Log
    ) {
        self.init(
            now: machine.wallClock, instant: machine.steadyClock, jitter: machine.jitter, hasEnded: hasEnded,
            spans: spans, log: log)
    }
}

/// Delivers the rows of an outbox. Any number of processes share one: a row is delivered by the process that has its lease.
///
/// `DeliveryState` decides; this type carries out its actions, each in a task of its own whose result is the next input.
package final class DeliveryLoop<Rows: Outbox>: ProcessComponent {
    private struct LeasedItem: Sendable {
        let item: Rows.Item
        /// Before the lease began.
        let leasedAt: ContinuousClock.Instant
    }

    private typealias State = DeliveryState<Rows.Receiver, LeasedItem, Rows.Outcome>

    package let outbox: Rows
    private let limits: DeliveryLimits
    private let interval: Duration
    private let environment: DeliveryEnvironment
    private let inputs: AsyncStream<State.Input>
    private let inbox: AsyncStream<State.Input>.Continuation
    /// Whether a poll follows the last `woken`: one is enough for any number of rows.
    private let isWoken = Atomic(false)
    private let isFull = Atomic(false)

    /// - Parameter interval: between two polls for rows of other processes, and rows that become due.
    package init(
        _ outbox: Rows, _ limits: DeliveryLimits, every interval: Duration = .seconds(1),
        _ environment: DeliveryEnvironment
    ) {
        self.outbox = outbox
        self.limits = limits
        self.interval = interval
        self.environment = environment
        (inputs, inbox) = AsyncStream.makeStream()
    }

    /// Call it after rows were committed.
    package func wake() {
        if !isWoken.exchange(true, ordering: .acquiringAndReleasing) { inbox.yield(.woken) }
    }

    /// Whether a row would be delivered at once. False also during an outage.
    package var hasRoom: Bool { !isFull.load(ordering: .relaxed) }

    package func beginShutdown() async {
        inbox.yield(.stopRequested)
    }

    package func run() async throws {
        // A discarding group, because a group that keeps results would grow with every row.
        await withDiscardingTaskGroup { group in
            group.addTask { await self.wakeRegularly() }
            await self.decide(in: &group)
            group.cancelAll()
        }
    }

    private func wakeRegularly() async {
        // The only error of a sleep is its cancellation, which ends the loop.
        while (try? await EventLoop.sleep(forAbout: interval)) != nil { wake() }
    }

    private func decide(in group: inout DiscardingTaskGroup) async {
        var state = State(limits)
        inbox.yield(.started)
        for await input in inputs {
            // What was committed until now is found.
            if case .pollDue = input { isWoken.store(false, ordering: .releasing) }
            for action in state.receive(input, at: environment.instant(), jitter: environment.jitter()) {
                switch action {
                case .poll(after: .zero): inbox.yield(.pollDue)
                case .releaseLeases, .poll, .findReceivers, .lease, .attempt, .record, .drain:
                    group.addTask { if let result = await self.result(of: action) { self.inbox.yield(result) } }
                case .abandon: environment.log.error(.deliveryOutcomeLost, ["outbox": .public(outbox.name)])
                case .report(let change, let receiver):
                    // Not in a task: the end must not be shown before the beginning.
                    await outbox.show(change, of: receiver, at: environment.now())
                case .cancelAll: group.cancelAll()
                case .finish: return
                }
            }
            isFull.store(!state.hasRoom(at: environment.instant()), ordering: .relaxed)
        }
    }

    /// Carries out an action.
    private func result(of action: State.Action) async -> State.Input? {
        switch action {
        case .releaseLeases:
            await releaseLeases()
            return .leasesReleased
        case .poll(let delay):
            return (try? await EventLoop.sleep(forAbout: delay)) == nil ? nil : .pollDue
        case .findReceivers:
            return await request { .found(try await outbox.receivers(at: environment.now())) }
        case .lease(let receiver, let count):
            let leasedAt = environment.instant()
            return await request {
                .leased(
                    try await outbox.lease(upTo: count, for: receiver, at: environment.now()).map {
                        LeasedItem(item: $0, leasedAt: leasedAt)
                    })
            }
        case .attempt(let id, let leased):
            // The process stood still: another one may have the lease now.
            guard environment.instant() - leased.leasedAt <= DeliveryLease.longestWait else {
                return .attempted(id, Rows.interrupted, .nothing)
            }
            let item = leased.item
            let span = environment.spans?.begin(.internal, for: outbox.origins(of: item))
            let outcome = await ActiveSpan.$current.withValue(span) { await outbox.attempt(item) }
            let report = outbox.report(outcome, of: item)
            span?.end("deliver \(outbox.name)", [("latchkey.outbox", .text(outbox.name))], error: report.error)
            return .attempted(id, outcome, report)
        case .record(let id, let leased, let outcome, let delay):
            // The sleep ends early in a process that stops: then this is the last attempt to store the outcome.
            if delay > .zero { try? await EventLoop.sleep(forAbout: delay) }
            return await record(id, leased.item, outcome)
        case .drain(let time):
            return (try? await EventLoop.sleep(forAbout: time)) == nil ? nil : .drainTimePassed
        case .abandon, .report, .cancelAll, .finish: return nil
        }
    }

    private func request(_ body: () async throws -> State.Input) async -> State.Input {
        do {
            return try await body()
        } catch {
            // The rows are still stored; the next poll finds them.
            logFailure(error)
            return .storeFailed
        }
    }

    private func record(_ id: State.AttemptID, _ item: Rows.Item, _ outcome: Rows.Outcome) async -> State.Input {
        // A stop does not cancel it: what was delivered must not be delivered again.
        await EventLoop.startTask {
            do {
                try await self.outbox.record(
                    outcome, of: item, at: self.environment.now(), jitter: self.environment.jitter())
                return .recorded(id)
            } catch {
                self.logFailure(error)
                return .recordFailed(id)
            }
        }.value
    }

    /// What ended processes had leased need not wait until the leases end. An end is only known on the machine of the ended
    /// process.
    private func releaseLeases() async {
        do {
            let count = try await outbox.releaseLeases(
                ofEndedProcesses: environment.hasEnded, at: environment.now())
            guard count > 0 else { return }
            environment.log.info(
                .deliveryLeasesReleased, ["outbox": .public(outbox.name), "count": .public(count)])
        } catch {
            // The leases end by themselves.
            logFailure(error)
        }
    }

    private func logFailure(_ error: any Error) {
        environment.log.errorOnceAMinute(
            .deliveryStoreFailed, about: outbox.name,
            ["outbox": .public(outbox.name), "error": .kind(of: error)])
    }
}
