import Contracts
import ServiceRuntime
import Synchronization
import Testing

struct MetricsTests {
    private let metrics = Metrics()

    @Test func sameNameAndLabelsAreOneSeries() {
        metrics.counter("requests_total", ["status": "200"]).increment()
        metrics.counter("requests_total", ["status": "200"]).increment(by: 2)
        metrics.counter("requests_total", ["status": "503"]).increment()
        metrics.gauge("connections").set(5)
        #expect(
            metrics.snapshot() == [
                .init(name: "requests_total", kind: .counter, labels: ["status": "200"], value: 3),
                .init(name: "requests_total", kind: .counter, labels: ["status": "503"], value: 1),
                .init(name: "connections", kind: .gauge, value: 5),
            ])
    }

    @Test func histogramBucketsAreCumulative() {
        let histogram = metrics.histogram("seconds", bounds: [0.1, 1])
        for value in [0.1, 0.5, 2] { histogram.observe(value) }
        let values = Dictionary(
            uniqueKeysWithValues: metrics.snapshot().map { ($0.name + ($0.labels["le"] ?? ""), $0.value) })
        #expect(
            values == [
                "seconds_bucket0.1": 1, "seconds_bucket1.0": 2, "seconds_bucket+Inf": 3, "seconds_sum": 2.6,
                "seconds_count": 3,
            ])
    }

    @Test func seriesAboveLimitAreNotReported() {
        for number in 0..<Metrics.maximumSeries { metrics.counter("c", ["n": "\(number)"]).increment() }
        let beyond = metrics.counter("c", ["n": "one more"])
        beyond.increment()
        #expect(beyond.value == 1)
        #expect(metrics.snapshot().count == Metrics.maximumSeries)
        #expect(!metrics.snapshot().contains { $0.labels["n"] == "one more" })
    }

    @Test func collectorsRunAtSnapshot() {
        metrics.addCollector { [.init(name: "waiting", kind: .gauge, value: 4)] }
        #expect(metrics.snapshot() == [.init(name: "waiting", kind: .gauge, value: 4)])
    }

    @Test func concurrentIncrementsAreNotLost() async {
        let counter = metrics.counter("c")
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { for _ in 0..<1000 { counter.increment() } } }
        }
        #expect(counter.value == 10_000)
    }
}

struct ProcessReporterTests {
    @Test func reportContainsProcessMemoryAndCPU() async throws {
        let settings = try ProcessSettings(.broker, Environment(["LATCHKEY_INSTANCE": "broker.1"]))
        let (reports, inbox) = AsyncStream.makeStream(of: ProcessReport.self)
        let metrics = Metrics()
        metrics.counter("requests_total").increment()
        let logged = Mutex<[String]>([])
        for number in 0..<Metrics.maximumSeries + 2 { _ = metrics.counter("c", ["n": "\(number)"]) }
        let log = Log(instance: "broker.1", write: { line in logged.withLock { $0.append(line) } })
        let reporter = ProcessReporter(
            settings, in: .process(isUnderLauncher: false), metrics: metrics, log: log
        ) { inbox.yield($0) }
        async let running: Void = reporter.run()
        let report = try #require(await reports.first { _ in true })
        await reporter.beginShutdown()
        try await running

        #expect(report.service == .broker)
        #expect(report.instance == "broker.1")
        let values = Dictionary(
            uniqueKeysWithValues: report.metrics.filter { $0.name != "c" }.map { ($0.name, $0.value) })
        #expect(try #require(values["process_resident_memory_bytes"]) > 1_048_576)
        #expect(try #require(values["process_cpu_seconds_total"]) > 0)
        #expect(try #require(values["process_start_time_seconds"]) >= 0)
        #expect(values["requests_total"] == 1)
        // One of the series above is `requests_total`.
        #expect(values["latchkey_metrics_dropped_series_total"] == 3)
        #expect(logged.withLock { $0.count { $0.contains("metrics.series-dropped") } } == 1)
    }
}
