import Contracts
package import ServiceRuntime
import Synchronization

/// Counts requests by route and class of status, and refusals by limit, and measures the durations of the gateway by
/// class of status and by kind of route, and of the bus by service.
///
/// Strangers choose routes and provoke statuses. So the histograms, of eight or twelve series each, exist from the start and do
/// not multiply with routes, and each route has five counters at most.
package final class RequestMetrics: Sendable {
    private static let secondBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5]
    /// For histograms of several labels: the routes need most of the series of a process.
    private static let fewBounds = [0.005, 0.025, 0.1, 0.5, 2]

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
    private let roundTrips: [ServiceName: Metrics.Histogram]
    /// By the kinds of routes, which are few.
    private let kinds: [RateLimitClass: Metrics.Histogram]
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
        kinds = Dictionary(
            uniqueKeysWithValues: RateLimitClass.allCases.map { kind in
                (
                    kind,
                    metrics.histogram(
                        "latchkey_http_route_duration_seconds", ["kind": kind.metricLabel], bounds: Self.fewBounds)
                )
            })
        // The gateway sends no requests to brokers and to itself.
        roundTrips = Dictionary(
            uniqueKeysWithValues: ServiceName.allCases.filter { $0 != .broker && $0 != .gateway }.map { service in
                (
                    service,
                    metrics.histogram(
                        "latchkey_bus_request_duration_seconds", ["target_service": service.rawValue],
                        bounds: Self.fewBounds)
                )
            })
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
        if status == .success, let kind = request.kind { kinds[kind]?.observe(request.duration / .seconds(1)) }
        counter.increment()
        if let limit = request.limit { refusals[limit]?.increment() }
    }

    func countRoundTrip(to service: ServiceName, _ duration: Duration) {
        roundTrips[service]?.observe(duration / .seconds(1))
    }
}

extension RateLimitClass {
    fileprivate var metricLabel: String {
        switch self {
        case .signIn: "sign-in"
        case .signUp: "sign-up"
        case .refresh: "refresh"
        case .other: "other"
        case .exempt: "exempt"
        }
    }
}
