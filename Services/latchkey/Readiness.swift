internal import FoundationEssentials
internal import HTTPClient
internal import ServiceRuntime

/// Asks the gateway whether the mesh answers.
struct Readiness: Sendable {
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
    func wait() async throws {
        for attempt in 0... {
            if await isReady() { return }
            try await Task.sleep(for: attempt < 300 ? .milliseconds(10) : .milliseconds(250))
        }
    }

    private func isReady() async -> Bool {
        // A refused connection is an answer too: not yet.
        (try? await client.send(HTTPClientRequest(.get, url)))?.status == 200
    }
}
