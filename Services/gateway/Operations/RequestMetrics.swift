internal import Contracts
package import ServiceRuntime
internal import Synchronization

/// Counts requests by route and status, and refusals by limit, and measures the durations of the gateway and the bus.
package final class RequestMetrics: Sendable {
    private static let secondBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5]

    private struct Series: Sendable {
        var duration: Metrics.Histogram
        var byStatus: [Int: Metrics.Counter] = [:]
    }

    private let metrics: Metrics
    private let roundTrip: Metrics.Histogram
    private let refusals: [LimitName: Metrics.Counter]
    /// Bounded: route names and statuses are constants of the gateway.
    private let series = Mutex<[String: Series]>([:])

    package init(_ metrics: Metrics) {
        refusals = Dictionary(
            uniqueKeysWithValues: LimitName.allCases.map { limit in
                let counter = metrics.counter("latchkey_limit_refusals_total", ["limit": limit.rawValue])
                counter.increment(by: 0)
                return (limit, counter)
            })
        self.metrics = metrics
        roundTrip = metrics.histogram("latchkey_bus_request_duration_seconds", bounds: Self.secondBounds)
    }

    func count(_ request: CompletedRequest) {
        let (route, status) = (request.route, request.status)
        let (histogram, counter) = series.withLock { series in
            var known =
                series[route]
                ?? Series(
                    duration: metrics.histogram(
                        "latchkey_http_request_duration_seconds", ["route": route], bounds: Self.secondBounds))
            let counter =
                known.byStatus[status]
                ?? metrics.counter("latchkey_http_requests_total", ["route": route, "status": "\(status)"])
            known.byStatus[status] = counter
            series[route] = known
            return (known.duration, counter)
        }
        histogram.observe(request.duration / .seconds(1))
        counter.increment()
        if let limit = request.limit { refusals[limit]?.increment() }
    }

    func countRoundTrip(_ duration: Duration) {
        roundTrip.observe(duration / .seconds(1))
    }
}
