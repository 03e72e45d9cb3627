package import Contracts
import EventLoop

/// Publishes the metrics of a service every two seconds until it is stopped. One of the services of a process also measures
/// the process, and returns its memory when it is idle.
package struct ProcessReporter: SignaledComponent {
    private let service: ServiceName
    private let instance: String
    private let measuresProcess: Bool
    private let metrics: Metrics
    private let interval: Duration
    private let log: Log
    private let publish: @Sendable (ProcessReport) -> Void
    package let stop = StopSignal()

    /// - Parameter publish: accepts a report without waiting. The next report replaces a lost one.
    package init(
        _ settings: ProcessSettings, in host: ServiceHost, metrics: Metrics, log: Log,
        every interval: Duration = .seconds(2),
        publish: @escaping @Sendable (ProcessReport) -> Void
    ) {
        service = settings.service
        instance = settings.instance
        measuresProcess = host.processMetrics != nil
        self.metrics = metrics
        self.interval = interval
        self.log = log
        self.publish = publish
    }

    package func run() async throws {
        let startedAt = ContinuousClock.now
        await stop.run {
            var memory = IdleMemory()
            var reportedAt = startedAt
            var droppedSeries = 0
            while !Task.isCancelled {
                let now = ContinuousClock.now
                if measuresProcess,
                    memory.isDue(
                        processorSeconds: ProcessUsage.processorSeconds,
                        interval: (now - reportedAt) / .seconds(1))
                {
                    // It takes milliseconds, too long for an event loop.
                    await withTaskExecutorPreference(globalConcurrentExecutor) { IdleMemory.release() }
                }
                reportedAt = now
                publish(report(startedAt: startedAt))
                if metrics.droppedSeries > droppedSeries {
                    droppedSeries = metrics.droppedSeries
                    log.warn(.metricsSeriesDropped, ["count": .public("\(droppedSeries)")])
                }
                // Cancellation shortens it, and the loop checks for that.
                try? await EventLoop.sleep(forAbout: interval)
            }
        }
    }

    func report(startedAt: ContinuousClock.Instant) -> ProcessReport {
        .init(
            service: service, instance: instance,
            metrics: ProcessUsage.startMetrics(startedAt: startedAt)
                + (measuresProcess ? ProcessUsage.metrics : []) + [
                    .init(
                        name: "latchkey_metrics_dropped_series_total", kind: .counter,
                        value: Double(metrics.droppedSeries))
                ] + metrics.snapshot())
    }
}
