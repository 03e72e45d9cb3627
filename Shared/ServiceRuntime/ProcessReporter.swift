package import Contracts

/// Publishes what this process measures of itself, every two seconds, until it is stopped.
package struct ProcessReporter: ProcessComponent {
    private let service: ServiceName
    private let instance: String
    private let metrics: Metrics
    private let interval: Duration
    private let publish: @Sendable (ProcessReport) -> Void
    private let stop = StopSignal()

    /// - Parameter publish: takes a report without waiting; a lost one is made up for by the next.
    package init(
        _ settings: ProcessSettings, metrics: Metrics, every interval: Duration = .seconds(2),
        publish: @escaping @Sendable (ProcessReport) -> Void
    ) {
        service = settings.service
        instance = settings.instance
        self.metrics = metrics
        self.interval = interval
        self.publish = publish
    }

    package func run() async throws {
        let startedAt = ContinuousClock.now
        await stop.run {
            while !Task.isCancelled {
                publish(report(startedAt: startedAt))
                try? await Task.sleep(for: interval)  // Cut short by cancellation, which the loop sees.
            }
        }
    }

    package func beginShutdown() async {
        stop.raise()
    }

    func report(startedAt: ContinuousClock.Instant) -> ProcessReport {
        .init(
            service: service, instance: instance,
            metrics: ProcessUsage.metrics(startedAt: startedAt) + metrics.snapshot())
    }
}
