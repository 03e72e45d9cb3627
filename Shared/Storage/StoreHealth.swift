internal import Contracts
package import ServiceRuntime
internal import Synchronization
package import Vocabulary

/// What a service asks one of its stores in short intervals, to find out whether it works.
package struct StoreProbe: Sendable {
    /// Names the store in the log, in metrics and in `/readyz`.
    package let store: String
    /// - Throws: why the store does not work.
    package let check: @Sendable () async throws -> Void

    package init(_ store: String, check: @escaping @Sendable () async throws -> Void) {
        self.store = store
        self.check = check
    }

    /// Commits something small to the service's database: one that only reads is no more of use than one that is away.
    package static func database(_ database: FencedDatabase, now: @escaping @Sendable () -> Moment) -> StoreProbe {
        StoreProbe("database") { try await database.probe(at: now()) }
    }
}

/// Asks a service's store every two seconds whether it works, and tells: the log at a change and once a minute, a
/// metric, and the gateway's `/readyz` by the process report.
package final class StoreHealth: ProcessComponent {
    package static let interval = Duration.seconds(2)
    /// A store that has not answered for so long does not work.
    package static let timeout = Duration.seconds(3)

    private let probe: StoreProbe
    private let interval: Duration
    private let timeout: Duration
    private let log: Log
    private let failures: Metrics.Counter
    private let state: Mutex<StoreHealthState>
    private let stop = StopSignal()

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
            // The only error of a sleep is its cancellation, which is how this ends.
            while (try? await Task.sleep(for: self.interval)) != nil {
                // A check that hangs is not joined by another one: each holds a connection.
                let check = pending ?? StoreCheck(self.probe)
                let result = await check.result(within: self.timeout)
                guard !Task.isCancelled else { return }
                pending = result == .unanswered ? check : nil
                self.receive(result)
            }
        }
    }

    package func beginShutdown() async {
        stop.raise()
    }

    /// Takes the result of one check.
    private func receive(_ result: StoreCheckResult) {
        if case .working = result {} else { failures.increment() }
        let change = state.withLock { $0.receive(result, at: .now) }
        let store = LogValue.public(probe.store)
        switch change {
        case .lost(let problem):
            log.error(
                "store.lost", ["store": store, "problem": .public(problem.word), "reason": .public(problem.reason)])
        case .stillLost(let problem, let duration):
            log.error(
                "store.still-lost",
                [
                    "store": store, "seconds": .public(duration.components.seconds),
                    "problem": .public(problem.word), "reason": .public(problem.reason),
                ])
        case .recovered(let duration):
            log.warn("store.recovered", ["store": store, "seconds": .public(duration.components.seconds)])
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
