package import Contracts
internal import EventLoop
package import ServiceRuntime
package import Vocabulary

/// Gives the account events that identity has committed to the notifier, and the webhooks that receive them. Any number of
/// dispatchers, in several processes, read one table: the notifier accepts each event once.
package final class AccountEventDispatcher: ProcessComponent {
    package struct Dependencies: Sendable {
        package var store: IdentityStore
        /// Returns when the notifier has stored the events. The same events again change nothing.
        package var send:
            @Sendable (Notifier.AcceptAccountEvents) async throws(WireError) -> Notifier.AcceptAccountEvents.Reply
        package var now: @Sendable () -> Moment
        package var instant: @Sendable () -> ContinuousClock.Instant
        /// 0 ..< 1.
        package var jitter: @Sendable () -> Double
        package var metrics: Metrics
        package var log: Log

        package init(
            store: IdentityStore,
            send:
                @escaping @Sendable (Notifier.AcceptAccountEvents) async throws(WireError) ->
                Notifier.AcceptAccountEvents.Reply,
            now: @escaping @Sendable () -> Moment, instant: @escaping @Sendable () -> ContinuousClock.Instant,
            jitter: @escaping @Sendable () -> Double, metrics: Metrics, log: Log
        ) {
            self.store = store
            self.send = send
            self.now = now
            self.instant = instant
            self.jitter = jitter
            self.metrics = metrics
            self.log = log
        }
    }

    /// Between two polls for events of other processes. The commits of this process are polled for at once.
    private static let interval = Duration.seconds(1)
    /// Between two polls of a busy process: the events of its commits in this time share a call.
    private static let pause = Duration.milliseconds(250)
    private static let measuringInterval = Duration.seconds(5)
    /// Of one call.
    package static let timeout = Duration.seconds(5)

    private let dependencies: Dependencies
    private enum WakeUp: Sendable {
        case commit, interval
    }

    private let wakes: AsyncStream<WakeUp>
    private let waking: AsyncStream<WakeUp>.Continuation
    private let stop = StopSignal()

    package init(_ dependencies: Dependencies) {
        self.dependencies = dependencies
        // One pending wake-up is enough for any number of events.
        (wakes, waking) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        for result in Result.allCases { counter(result).increment(by: 0) }
    }

    /// Part of the maintenance of the service.
    package var maintenanceTasks: [MaintenanceTask] {
        [MaintenanceTask("account-event-metrics", every: Self.measuringInterval, measure)]
    }

    package func run() async throws {
        dependencies.store.commitObservers.add { [waking] in waking.yield(.commit) }
        waking.yield(.interval)
        await stop.run(dispatchWhenWoken, wakeRegularly)
    }

    package func beginShutdown() async {
        stop.raise()
    }

    private func dispatchWhenWoken() async {
        var state = EnqueueState()
        for await wakeUp in wakes {
            do {
                while try await dispatch(&state) {}
            } catch {
                dependencies.log.errorOnceAMinute(
                    "account-event.dispatch-failed", about: "store", ["error": .kind(of: error)])
            }
            // The only error of a sleep is its cancellation, which ends the loop.
            if wakeUp == .commit, (try? await EventLoop.sleep(forAbout: Self.pause)) == nil { return }
        }
    }

    private func wakeRegularly() async {
        while (try? await EventLoop.sleep(forAbout: Self.interval)) != nil { waking.yield(.interval) }
    }

    /// One iteration.
    /// - Returns: whether there may be more to do at once.
    /// - Throws: errors of the store.
    func dispatch(_ state: inout EnqueueState) async throws -> Bool {
        guard state.room(at: dependencies.instant()) > 0 else { return false }
        let batch = try await dependencies.store.accountEventBatch(limit: Notifier.AcceptAccountEvents.maximumCount)
        guard !batch.isEmpty else { return false }
        let outcome = try await enqueue(batch)
        switch state.record([outcome], at: dependencies.instant(), jitter: dependencies.jitter()) {
        case .began(let code):
            dependencies.log.warn("account-event.notifier-unavailable", ["error": .public(code.rawValue)])
        case .ended(let duration):
            dependencies.log.info(
                "account-event.notifier-available", ["outageInSeconds": .public(duration.components.seconds)])
        case nil: break
        }
        switch outcome {
        case .accepted: return !Task.isCancelled
        case .dropped, .rejected, .failed, .receiverUnavailable, .interrupted: return false
        }
    }

    private func enqueue(_ batch: AccountEventBatch) async throws -> EnqueueOutcome {
        let reply: Notifier.AcceptAccountEvents.Reply
        do throws(WireError) {
            reply = try await dependencies.send(batch.request)
        } catch {
            let outcome = Task.isCancelled ? .interrupted : EnqueueOutcome(error)
            switch outcome {
            case .rejected(let code), .failed(let code):
                // The events are kept: a notifier of an earlier version rejects a kind that it does not know.
                counter(.failed).increment()
                dependencies.log.errorOnceAMinute(
                    "account-event.not-accepted", about: code.rawValue, ["error": .public(code.rawValue)])
            case .accepted, .dropped, .receiverUnavailable, .interrupted: break
            }
            return outcome
        }
        // A stop does not cancel it: the notifier has the events.
        try await Task { [store = dependencies.store] in
            try await store.recordAcceptance(of: batch, unknown: reply.unknownWebhooks)
        }.value
        counter(.accepted).increment(by: Double(batch.events.count))
        return .accepted
    }

    // MARK: Metrics

    private enum Result: String, CaseIterable {
        case accepted, failed
    }

    private func counter(_ result: Result) -> Metrics.Counter {
        dependencies.metrics.counter("latchkey_identity_account_events_total", ["result": result.rawValue])
    }

    private func measure() async throws {
        let (count, oldest) = try await dependencies.store.accountEventBacklog()
        let now = dependencies.now()
        dependencies.metrics.gauge("latchkey_identity_pending_account_events").set(Double(count))
        dependencies.metrics.gauge("latchkey_identity_oldest_pending_account_event_seconds")
            .set(oldest.map { Double(max(0, now.milliseconds(since: $0))) / 1000 } ?? 0)
    }
}
