import Bus
import Contracts
import Glibc
import Vocabulary

/// SMS requests to the notifier, as mfa-sms sends them. It prints one line `message ID MICROSECONDS` for each: the time
/// of the request by the clock of the machine.
enum TextMessages {
    static func send(over broker: String, atATime: Int, count: Int) async throws {
        let settings = try BusSettings(brokers: [broker], command: "bench", instance: "bench.1")
        let connection = try BusConnection(settings, note: { _ in })
        let running = Task { try await connection.run() }
        let client = BusClient(connection)
        guard let recipient = PhoneNumber("+15005550010") else { preconditionFailure("it is a number") }
        let request = Notifier.SendSMS(
            realm: Realm(project: ProjectID("bench")), recipient: recipient, region: "US", purpose: .phoneSignIn,
            code: Secret("123456"), appName: "Bench")
        try await withThrowingTaskGroup { group in
            for first in 0..<atATime {
                group.addTask {
                    for _ in stride(from: first, to: count, by: atATime) {
                        let began = microseconds()
                        let id = try await client.send(request, trace: .random(), timeout: .seconds(30)).messageID
                        print("message \(id.rawValue) \(began)")
                        if atATime == 1 { try await Task.sleep(for: .milliseconds(50)) }
                    }
                }
            }
            try await group.waitForAll()
        }
        await connection.beginShutdown()
        try await running.value
    }

    private static func microseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
