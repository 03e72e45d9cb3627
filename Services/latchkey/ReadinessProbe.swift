internal import FoundationEssentials
internal import HTTPClient
internal import ServiceRuntime

/// Asks the gateway whether the mesh answers.
struct ReadinessProbe: Sendable {
    private let url: String
    private let client: HTTPClient

    /// - Parameter address: the public listener. One that listens everywhere is asked on loopback.
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

    /// Returns when `GET /readyz` answers 200. Asks often at first, because a start takes a fraction of a second, and
    /// then seldom, because what takes longer waits for an operator.
    /// - Parameter late: told after a few seconds, and from then on every half minute, who is awaited.
    func waitUntilReady(onDelay late: @Sendable (String) -> Void) async throws {
        let start = ContinuousClock.now
        var nextWord = start + Self.requestTimeout
        while true {
            let missing = await missing()
            if missing.isEmpty { return }
            if .now >= nextWord {
                late(missing.joined(separator: ", "))
                nextWord = .now + .seconds(30)
            }
            try await Task.sleep(for: .now < start + .seconds(3) ? .milliseconds(10) : .milliseconds(250))
        }
    }

    private static let requestTimeout = Duration.seconds(3)

    /// The processes that do not answer yet; none when everything does.
    private func missing() async -> [String] {
        // A refused connection is an answer too: not yet.
        guard let answer = try? await client.send(HTTPClientRequest(.get, url)) else { return ["gateway"] }
        guard answer.status != 200 else { return [] }
        // `try?`: who answers something else is no gateway of ours, or none that is well.
        return (try? JSONDecoder().decode(UnreadyResponse.self, from: answer.body))?.missing ?? ["gateway"]
    }

    /// What `/readyz` says beside 503.
    private struct UnreadyResponse: Decodable {
        var missing: [String]
    }
}
