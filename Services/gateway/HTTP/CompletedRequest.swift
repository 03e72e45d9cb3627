package import Contracts
package import HTTPServer
package import ServiceRuntime
import Tracing
import Vocabulary

/// One completed request for the log. It contains no path with the caller's values, no body, no token and no address of
/// a single device.
package struct CompletedRequest: Sendable {
    /// `other` for a method that no route has.
    package var method: String
    /// From the route table, or `unmatched`; `refused` for a request that the HTTP server rejected before it was
    /// complete.
    package var route: String
    /// Nil for a request of no route.
    var kind: RateLimitClass?
    package var status = 0
    package var duration = Duration.zero
    /// The project that the caller has access to; nil if the request was rejected before it was known.
    package var project: String?
    /// An IPv4 address, or the /64 of an IPv6 address; nil if the request was rejected before it was known.
    package var network: IPAddress?
    /// The limit that refused the request.
    package var limit: LimitName?
    package var trace: TraceContext

    init(_ method: HTTPMethod?, route: String, trace: TraceContext) {
        self.method =
            switch method {
            case .get, .head, .post, .put, .patch, .delete, .options: method?.name ?? "other"
            case .other, nil: "other"
            }
        self.route = route
        self.trace = trace
    }

    /// Whether it is a probe or a scrape that succeeded.
    var isSuccessfulProbe: Bool { HealthRoutes.probes.contains(route) && status < 400 }
}

extension ActiveSpan {
    /// Ends the span of a request. Its path is no attribute: it can hold codes and addresses of users.
    func end(_ request: CompletedRequest, _ response: HTTPResponse) {
        // The name of a route begins with its method.
        let route = request.route.pieces(at: " ").last.map(String.init) ?? request.route
        let method = request.method == "other" ? "_OTHER" : request.method
        var attributes: [Span.Attribute] {
            [
                ("http.request.method", .text(method)), ("http.route", .text(route)),
                ("http.response.status_code", .number(response.status)), ("url.scheme", .text("http")),
            ] + (request.project.map { [("latchkey.project", .text($0))] } ?? [])
        }
        end(
            "\(method) \(route)", attributes, error: response.status >= 500 ? String(response.status) : nil)
    }
}

extension Log {
    /// Logs `request.completed`, in dev mode only at level debug (`LATCHKEY_LOG=debug`). Before it, logs `limit.exceeded` for
    /// a request that a limit refused.
    /// - Parameter logsProbes: whether probes that succeed are logged.
    package func report(_ request: CompletedRequest, isDev: Bool, logsProbes: Bool = true) {
        guard logsProbes || !request.isSuccessfulProbe else { return }
        let fields: Log.Fields = [
            "method": .public(request.method), "route": .public(request.route), "status": .public(request.status),
            "milliseconds": .public(Int(request.duration / .milliseconds(1))),
            "project": .public(request.project ?? "-"), "network": .public(request.network?.description ?? "-"),
        ]
        if let limit = request.limit {
            info(
                .limitExceeded,
                [
                    "limit": .public(limit.rawValue), "route": .public(request.route),
                    "project": .public(request.project ?? "-"), "network": .public(request.network?.description ?? "-"),
                ], trace: request.trace)
        }
        if isDev {
            debug(.requestCompleted, fields, trace: request.trace)
        } else {
            info(.requestCompleted, fields, trace: request.trace)
        }
    }
}
