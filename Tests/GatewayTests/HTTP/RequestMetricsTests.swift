import Contracts
import HTTPServer
import ServiceRuntime
import Testing

@testable import GatewayService

/// Strangers must not use up the series of a gateway.
@Suite struct RequestMetricsTests {
    @Test func seriesOfAllRoutesFailingFitTheLimit() {
        let metrics = Metrics()
        let requests = RequestMetrics(metrics)
        let before = metrics.snapshot().count
        for number in 0..<100 {
            for status in [200, 201, 204, 400, 401, 403, 404, 429, 500, 503] {
                var request = CompletedRequest(.get, route: "route-\(number)", trace: .random())
                request.status = status
                request.kind = .signIn
                requests.count(request)
            }
        }
        #expect(metrics.snapshot().count == before + 100 * 3)
        #expect(metrics.droppedSeries == 0)
        let failed = metrics.snapshot().first {
            $0.name == "latchkey_http_requests_total" && $0.labels == ["route": "route-99", "status": "5xx"]
        }
        #expect(failed?.value == 2)
        let durations = metrics.snapshot().filter { $0.name == "latchkey_http_request_duration_seconds_count" }
        #expect(durations.map(\.value).reduce(0, +) == 1000 && durations.count == 5)
        // Those that succeeded.
        let kinds = metrics.snapshot().filter { $0.name == "latchkey_http_route_duration_seconds_count" }
        #expect(kinds.first { $0.labels == ["kind": "sign-in"] }?.value == 300 && kinds.count == 5)
    }
}
