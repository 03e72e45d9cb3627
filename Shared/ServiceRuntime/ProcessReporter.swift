package import Contracts

/// Publishes what this process measures of itself, every two seconds, until it is stopped.
package struct ProcessReporter: RunningPart {
    private let service: ServiceName
    private let instance: String
    private let metrics: Metrics
    private let interval: Duration
    private let publish: @Sendable (ProcessReport) -> Void
    private let stops: AsyncStream<Never>
    private let stopping: AsyncStream<Never>.Continuation

    /// - Parameter publish: takes a report without waiting; a lost one is made up for by the next.
    package init(
        _ settings: CommonSettings, metrics: Metrics, every interval: Duration = .seconds(2),
        publish: @escaping @Sendable (ProcessReport) -> Void
    ) {
        service = settings.service
        instance = settings.instance
        self.metrics = metrics
        self.interval = interval
        self.publish = publish
        (stops, stopping) = AsyncStream.makeStream()
    }

    package func run() async throws {
        let startedAt = ContinuousClock.now
        let reports = Task {
            while !Task.isCancelled {
                publish(report(startedAt: startedAt))
                try? await Task.sleep(for: interval)  // Cut short by cancellation, which the loop sees.
            }
        }
        for await _ in stops {}
        reports.cancel()
    }

    package func beginShutdown() async {
        stopping.finish()
    }

    func report(startedAt: ContinuousClock.Instant) -> ProcessReport {
        .init(
            service: service, instance: instance,
            metrics: ProcessUsage.metrics(startedAt: startedAt) + metrics.snapshot())
    }
}
