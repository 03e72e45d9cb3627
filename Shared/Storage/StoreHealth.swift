import Contracts
import EventLoop
package import ServiceRuntime
import Synchronization
package import Vocabulary

/// The periodic check of a store of a service.
package struct StoreProbe: Sendable {
    /// The name of the store in the log, in metrics and in `/readyz`.
    package let store: String
    /// - Throws: why the store does not work.
    package let check: @Sendable (StoreCheckKind) async throws -> Void

    package init(_ store: String, check: @escaping @Sendable (StoreCheckKind) async throws -> Void) {
        self.store = store
        self.check = check
    }

    /// The service's database.
    package static func database(_ database: FencedDatabase, now: @escaping @Sendable () -> Moment) -> StoreProbe {
        StoreProbe("database") { kind in
            switch kind {
            // Each transaction reads the epoch.
            case .read: try await database.read { _ in }
            case .commit: try await database.probe(at: now())
            }
        }
    }
}

/// What a check does.
package enum StoreCheckKind: Sendable {
    /// It reads a row: an unavailable store is detected without work for the disk.
    case read
    /// It commits a small change: a read-only or full store is as unusable as an unavailable one.
    case commit
}

/// Checks a service's store every two seconds. It logs an outage at each change and once a minute. Metrics and the
/// process report, which the gateway uses for `/readyz`, contain it too.
package final class StoreHealth: SignaledComponent {
    package static let interval = Duration.seconds(2)
    /// The interval before a failed check is repeated: a shorter interruption is no outage.
    static let repetitionInterval = Duration.milliseconds(500)
    /// A store whose check takes longer does not work.
    package static let timeout = Duration.seconds(3)

    private let probe: StoreProbe
    private let interval: Duration
    private let timeout: Duration
    private let log: Log
    private let failures: Metrics.Counter
    private let state: Mutex<StoreHealthState>
    package let stop = StopSignal()

    package init(
        _ probe: StoreProbe, metrics: Metrics, log: Log, every interval: Duration = StoreHealth.interval,
        timeout: Duration = StoreHealth.timeout
    ) {
        self.probe = probe
        self.interval = interval
        self.timeout = timeout
        self.log = log
        failures = metrics.counter("latchkey_storage_failed_checks_total", ["store": probe.store])
        state = Mutex(StoreHealthState())
        metrics.addCollector { [weak self] in self?.measurements ?? [] }
    }

    package func run() async throws {
        await stop.run {
            var pending: StoreCheck?
            // A sleep throws only when it is cancelled, which ends the loop.
            while true {
                let next = self.state.withLock { state in state.next }
                let pause = next.isRepetition ? min(self.interval, Self.repetitionInterval) : self.interval
                guard (try? await EventLoop.sleep(forAbout: pause)) != nil else { return }
                // No second check starts beside a hanging one: each holds a connection.
                let check = pending ?? StoreCheck(self.probe, next.kind)
                let result = await check.result(within: self.timeout)
                guard !Task.isCancelled else { return }
                pending = result == .unanswered ? check : nil
                self.receive(result)
            }
        }
    }

    /// Processes the result of one check.
    private func receive(_ result: StoreCheckResult) {
        if case .working = result {} else { failures.increment() }
        let change = state.withLock { $0.receive(result, at: .now) }
        let store = LogValue.public(probe.store)
        switch change {
        case .lost(let problem):
            log.error(
                .storeLost, ["store": store, "problem": .public(problem.word), "reason": .public(problem.reason)])
        case .stillLost(let problem, let duration):
            log.error(
                .storeStillLost,
                [
                    "store": store, "seconds": .public(duration.components.seconds),
                    "problem": .public(problem.word), "reason": .public(problem.reason),
                ])
        case .recovered(let duration):
            log.warn(.storeRecovered, ["store": store, "seconds": .public(duration.components.seconds)])
        case nil: break
        }
    }

    private var measurements: [ProcessReport.Metric] {
        let outage = state.withLock(\.outage)
        let seconds = outage.map { ContinuousClock.now - $0.since } ?? .zero
        let value = Double(seconds.components.seconds)
        var metrics = [
            ProcessReport.Metric(
                name: "latchkey_storage_outage_seconds", kind: .gauge, labels: ["store": probe.store], value: value)
        ]
        if let outage {
            metrics.append(
                ProcessReport.Metric(
                    name: ProcessReport.Metric.outageName, kind: .gauge,
                    labels: [
                        "component": ProcessReport.Metric.storePart(probe.store), "reason": outage.problem.word,
                    ], value: value))
        }
        return metrics
    }
}
