import Bus
import Contracts

/// Requests to a worker in another process, through a real broker.
enum RoundTrips {
    /// About the size of a lookup with its ID token.
    private static let text = String(repeating: "latchkey", count: 128)

    static func measure(over broker: String, for time: Duration) async throws {
        let connection = try BusConnection(Echo.settings(broker, "caller.1", capacity: 0), note: { _ in })
        let running = Task { try await connection.run() }
        let client = BusClient(connection)
        for _ in 0..<1000 { try await send(client) }  // Until all have joined and caches are filled.

        var times: [Duration] = []
        let end = ContinuousClock.now + time
        while .now < end { times.append(try await ContinuousClock().measure { try await send(client) }) }
        times.sort()
        show("p50-microseconds", times[times.count / 2] / .microseconds(1))
        show("p99-microseconds", times[times.count * 99 / 100] / .microseconds(1))
        show("per-second", try await Rate.perSecond(callers: 64, for: time) { _ in try await send(client) })

        await connection.beginShutdown()
        try await running.value
    }

    private static func send(_ client: BusClient) async throws {
        _ = try await client.send(Echo.Request(text: text), trace: .random())
    }
}
