import Contracts
package import ServiceRuntime
import Synchronization

/// Counts requests by route and class of status, and refusals by limit, and measures the durations of the gateway by
/// class of status, and of the bus.
///
/// Strangers choose routes and provoke statuses. So the histograms, of twelve series each, exist from the start and do
/// not multiply with routes, and each route has five counters at most.
package final class RequestMetrics: Sendable {
    private static let secondBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5]

    /// The class of a status, as a label.
    private enum StatusClass: String, CaseIterable, Sendable {
        case informational = "1xx"
        case success = "2xx"
        case redirection = "3xx"
        case clientError = "4xx"
        case serverError = "5xx"

        init(_ status: Int) {
            self =
                switch status {
                case ..<200: .informational
                case ..<300: .success
                case ..<400: .redirection
                case ..<500: .clientError
                default: .serverError
                }
        }
    }

    private struct Subject: Hashable, Sendable {
        var route: String
        var status: StatusClass
    }

    private let metrics: Metrics
    private let roundTrip: Metrics.Histogram
    private let refusals: [LimitName: Metrics.Counter]
    private let durations: [StatusClass: Metrics.Histogram]
    /// Bounded: route names are constants of the gateway.
    private let counters = Mutex<[Subject: Metrics.Counter]>([:])

    package init(_ metrics: Metrics) {
        refusals = Dictionary(
            uniqueKeysWithValues: LimitName.allCases.map { limit in
                let counter = metrics.counter("latchkey_limit_refusals_total", ["limit": limit.rawValue])
                counter.increment(by: 0)
                return (limit, counter)
            })
        self.metrics = metrics
        durations = Dictionary(
            uniqueKeysWithValues: StatusClass.allCases.map { status in
                (
                    status,
                    metrics.histogram(
                        "latchkey_http_request_duration_seconds", ["status": status.rawValue], bounds: Self.secondBounds
                    )
                )
            })
        roundTrip = metrics.histogram("latchkey_bus_request_duration_seconds", bounds: Self.secondBounds)
    }

    func count(_ request: CompletedRequest) {
        let status = StatusClass(request.status)
        let counter = counters.withLock { counters in
            let subject = Subject(route: request.route, status: status)
            let counter =
                counters[subject]
                ?? metrics.counter(
                    "latchkey_http_requests_total", ["route": request.route, "status": status.rawValue])
            counters[subject] = counter
            return counter
        }
        durations[status]?.observe(request.duration / .seconds(1))
        counter.increment()
        if let limit = request.limit { refusals[limit]?.increment() }
    }

    func countRoundTrip(_ duration: Duration) {
        roundTrip.observe(duration / .seconds(1))
    }
}
