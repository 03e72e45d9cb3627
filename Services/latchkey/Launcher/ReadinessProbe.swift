import FoundationEssentials
import HTTPClient
import JSON
import ServiceRuntime

/// Asks the gateway whether the mesh is ready.
struct ReadinessProbe: Sendable {
    enum Answer: Equatable, Sendable {
        case ready
        /// The processes that are not ready yet.
        case missing([String])
        /// The gateway serves requests, and will stop.
        case draining
        /// No gateway answers.
        case none
    }

    private let url: String
    private let client: HTTPClient

    /// - Parameter address: the public listener. A wildcard address is replaced by loopback.
    init(of address: HostPort) {
        var address = address
        if address.host == "0.0.0.0" { address.host = "127.0.0.1" }
        if address.host == "::" { address.host = "::1" }
        url = "http://\(address)/readyz"
        var limits = HTTPClient.Limits()
        limits.totalTime = .seconds(5)
        limits.threads = 1
        client = HTTPClient(limits)
    }

    /// Returns when `GET /readyz` returns 200. It polls often at first, because a start takes a fraction of a second,
    /// and then rarely, because a longer delay needs an operator.
    /// - Parameter late: receives the missing processes after a few seconds, and then every 30 seconds.
    func waitUntilReady(onDelay late: @Sendable (String) -> Void) async throws {
        let start = ContinuousClock.now
        var nextWord = start + Self.requestTimeout
        while true {
            let missing: [String]
            switch await answer() {
            case .ready: return
            case .missing(let names): missing = names
            case .draining, .none: missing = ["gateway"]
            }
            if .now >= nextWord {
                late(missing.joined(separator: ", "))
                nextWord = .now + .seconds(30)
            }
            try await Task.sleep(for: .now < start + .seconds(3) ? .milliseconds(10) : .milliseconds(250))
        }
    }

    private static let requestTimeout = Duration.seconds(3)

    /// Asks once.
    func answer() async -> Answer {
        // `try?`: a refused connection means that the gateway is not ready.
        guard let response = try? await client.send(HTTPClientRequest(.get, url)) else { return .none }
        guard response.status != 200 else { return .ready }
        // `try?`: another response does not come from a working gateway.
        guard let unready = try? WireJSON.decode(UnreadyResponse.self, from: response.body) else { return .none }
        return unready.draining == true ? .draining : .missing(unready.missing)
    }

    /// The body of a 503 response of `/readyz`.
    private struct UnreadyResponse: Decodable {
        var missing: [String]
        var draining: Bool?
    }
}
