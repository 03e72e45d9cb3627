package import Contracts
package import HTTPServer
package import ServiceRuntime

/// One request that was answered, as the log shows it: never a path with the caller's values, a body, a token or an
/// address of one device.
package struct CompletedRequest: Sendable {
    /// `other` for one that no route has.
    package var method: String
    /// Of the route table, or `unmatched`; `refused` for a request that the HTTP server refused before it was whole.
    package var route: String
    package var status = 0
    package var duration = Duration.zero
    /// The project that the caller has access to; nil for a request that was refused before that was known.
    package var project: String?
    /// An IPv4 address, or the /64 of an IPv6 address; nil for a request that was refused before it was known.
    package var network: IPAddress?
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
}

extension Log {
    /// Writes `request.completed`: for operators of a service, while a developer sees it with `LATCHKEY_LOG=debug`.
    package func report(_ request: CompletedRequest, isDev: Bool) {
        let fields: Log.Fields = [
            "method": .public(request.method), "route": .public(request.route), "status": .public(request.status),
            "milliseconds": .public(Int(request.duration / .milliseconds(1))),
            "project": .public(request.project ?? "-"), "network": .public(request.network?.description ?? "-"),
        ]
        if isDev {
            debug("request.completed", fields, trace: request.trace)
        } else {
            info("request.completed", fields, trace: request.trace)
        }
    }
}
