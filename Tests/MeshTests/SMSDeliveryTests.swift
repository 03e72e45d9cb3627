import Bus
import Contracts
import Crypto
import Foundation
import HTTPClient
import JSON
import TestSupport
import Testing
import Vocabulary

extension MeshTests {
    /// SMS through real processes, with a fake provider that fails in several ways.
    @Suite struct SMSDeliveryTests {
        /// No log may contain these values.
        private static let code = "918273"
        private static let number = "+15005550010"
        private static let token = "token-of-the-provider"

        private static func settings(_ url: String) -> [String: String] {
            [
                "LATCHKEY_SMS_PROVIDER": "twilio", "LATCHKEY_TWILIO_BASE_URL": url,
                "LATCHKEY_TWILIO_ACCOUNT_SID": "AC1", "LATCHKEY_TWILIO_AUTH_TOKEN": token,
                "LATCHKEY_TWILIO_FROM": "+15005550006", "LATCHKEY_SMS_TIMEOUT": "2s", "LATCHKEY_LOG": "debug",
            ]
        }

        private func withSMSMesh(
            _ arguments: [String] = [], on engine: MeshEngine = .sqlite, environment: [String: String] = [:],
            _ body: (RunningMesh, BusClient, FakeProvider) async throws -> Void
        ) async throws {
            try await FakeProvider.running { fake, url in
                try await withMesh(
                    ["--only", "gateway,identity,notifier"] + arguments, on: engine,
                    environment: Self.settings(url).merging(environment) { $1 }
                ) { mesh in
                    try await mesh.onBus { try await body(mesh, $0, fake) }
                    for secret in [Self.code, Self.number, Self.token] { #expect(!mesh.log.contains(secret)) }
                }
            }
        }

        private func send(_ client: BusClient) async throws -> String {
            let request = Notifier.SendSMS(
                realm: Realm(project: ProjectID("demo-latchkey")), recipient: try #require(PhoneNumber(Self.number)),
                region: "US", purpose: .secondFactorSignIn, code: Secret(Self.code), appName: "Demo")
            return try await client.send(request, trace: .random(), timeout: .seconds(30)).messageID.rawValue
        }

        /// Sends messages in parallel, so that they share commits.
        private func send(_ count: Int, _ client: BusClient) async throws -> Set<String> {
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<count { group.addTask { try await send(client) } }
                return try await group.reduce(into: []) { $0.insert($1) }
            }
        }

        private func deliveries(_ mesh: RunningMesh) async throws -> [JSONValue] {
            let path = "/identitytoolkit.googleapis.com/v2/projects/demo-latchkey/deliveries?pageSize=500"
            let response = try await mesh.client.get(path, headers: [("Authorization", "Bearer owner")])
            guard case .array(let deliveries)? = try response.json["deliveries"] else { return [] }
            return deliveries
        }

        @Test func messageIsDeliveredAndReceiptRecorded() async throws {
            try await withSMSMesh { mesh, client, fake in
                let id = try await send(client)
                try await eventually("it was sent") { fake.taken.count == 1 }
                let call = try #require(fake.taken.first)
                #expect(call.id == id && call.form["To"] == Self.number)
                #expect(call.form["Body"] == "Demo: \(Self.code) is your code. Do not share it.")
                let callback = try #require(call.form["StatusCallback"])
                #expect(callback == "\(mesh.client.origin)/__/notify/receipts/twilio?message=\(id)")

                let signed = callback + "MessageSidSM1MessageStatusdelivered"
                let signature = Data(
                    HMAC.sha1(key: Array(Self.token.utf8), message: Array(signed.utf8))
                ).base64EncodedString()
                func receipt(_ signature: String) async throws -> Int {
                    try await HTTPClient().send(
                        .init(
                            .post, callback,
                            headers: [
                                ("Content-Type", "application/x-www-form-urlencoded"),
                                ("X-Twilio-Signature", signature),
                            ], body: Data("MessageSid=SM1&MessageStatus=delivered".utf8))
                    ).status
                }
                #expect(try await receipt("wrong") == 403)
                #expect(try await receipt(signature) == 200)
                let delivery = try #require(try await deliveries(mesh).first)
                #expect(delivery["receipt"] == .string("delivered"))
                #expect(delivery["provider"] == .string("twilio"))
                #expect(delivery["maskedRecipient"] == .string("•••0010"))
                #expect(delivery["state"] == .string("sent"))
            }
        }

        /// Accepted messages are stored: the process that accepted them is killed before any was sent and while calls
        /// are running.
        /// Security rule SM14.
        @Test(arguments: MeshEngine.allCases)
        func acceptedMessagesSurviveKilledNotifier(engine: MeshEngine) async throws {
            try await withSMSMesh(on: engine) { mesh, client, fake in
                fake.setBehavior(.responds(503, ""))
                var ids = try await send(20, client)
                try await eventually("the provider was called") { !fake.calls.isEmpty }
                try await mesh.killAndReplace("notifier.1")
                ids.formUnion(try await send(20, client))
                fake.setBehavior(.takes)
                try await eventually("all were sent") { fake.taken.count == 40 }
                // These are refused before the kill, so nothing could be sent twice.
                #expect(Set(fake.taken.map(\.id)) == ids)
                try await eventually("all are known to be sent") {
                    try await deliveries(mesh).allSatisfy { $0["state"] == .string("sent") }
                }
            }
        }

        @Test func hangingProviderCausesNoLossAndNoDuplicate() async throws {
            try await withSMSMesh { mesh, client, fake in
                fake.setBehavior(.hangs)
                let ids = try await send(12, client)
                try await eventually("calls were given up") {
                    mesh.log.contains("delivery.transport-failed channel=sms")
                }
                // Other services are not affected.
                #expect(try await mesh.client.signUp(TestUser()).status == 200)
                try await mesh.killAndReplace("notifier.1")
                fake.setBehavior(.takes)
                try await eventually("all were sent") { Set(fake.taken.map(\.id)) == ids }
                #expect(fake.taken.count == 12)
            }
        }

        @Test func failoverUsesSecondProvider() async throws {
            try await FakeProvider.running { second, secondURL in
                let both = [
                    "LATCHKEY_SMS_PROVIDER": "twilio,webhook", "LATCHKEY_SMS_WEBHOOK_URL": secondURL + "/send",
                    "LATCHKEY_SMS_WEBHOOK_SECRET": "secret",
                ]
                try await withSMSMesh(environment: both) { mesh, client, fake in
                    fake.setBehavior(.responds(500, "no"))
                    let ids = try await send(20, client)
                    try await eventually("the second took them") { second.taken.count == 20 }
                    #expect(Set(second.taken.map(\.id)) == ids)
                    #expect(fake.taken.isEmpty)
                }
            }
        }

        @Test(arguments: MeshEngine.allCases)
        func fourNotifiersShareDelivery(engine: MeshEngine) async throws {
            try await withSMSMesh(["--scale", "notifier=4"], on: engine) { mesh, client, fake in
                let ids = try await send(200, client)
                try await eventually("all were sent") { fake.taken.count == 200 }
                #expect(Set(fake.calls.map(\.id)) == ids && fake.calls.count == 200, "each once")
                let senders = (1...4).filter { number in
                    mesh.lines(of: "delivery.sent").contains { $0.contains("notifier.\(number)") }
                }
                #expect(senders.count > 1)
            }
        }

        /// Two machines have a notifier of the same name: a starting one does not take over the leases of the other.
        @Test(arguments: MeshEngine.allCases)
        func startingNotifierKeepsLeasesOfSameName(engine: MeshEngine) async throws {
            try await withSMSMesh(on: engine, environment: ["LATCHKEY_SMS_TIMEOUT": "30s"]) { mesh, client, fake in
                fake.setBehavior(.hangs)
                let ids = try await send(100, client)
                try await eventually("one notifier had its hands full") { fake.calls.count >= 8 }
                let first = fake.calls.count
                let twin = try RunningProgram(
                    "notifier", ["--channels", "sms"],
                    environment: mesh.environment(of: "notifier.1").merging(["LATCHKEY_LIFELINE": "stdin"]) { $1 },
                    in: mesh.directory)
                try await eventually("the other worked too") { fake.calls.count >= first + 8 }
                fake.setBehavior(.takes)
                try await eventually("all were sent") { fake.taken.count == 100 }
                #expect(Set(fake.calls.map(\.id)) == ids && fake.calls.count == 100, "each once")
                twin.send(SIGTERM)
                #expect(try await twin.ending() == .code(0))
            }
        }

        /// Processes that only send SMS run beside a mesh whose own notifier sends none.
        @Test func separateNotifiersServeOneOutbox() async throws {
            let elsewhere = ["LATCHKEY_NOTIFIER_CHANNELS": "email,push"]
            try await withSMSMesh(environment: elsewhere) { mesh, client, fake in
                let waiting = try await send(10, client)
                let senders = try (1...2).map { number in
                    try RunningProgram(
                        "notifier", ["--channels", "sms"],
                        environment: mesh.environment(of: "notifier.1").merging([
                            "LATCHKEY_INSTANCE": "sms.\(number)", "LATCHKEY_LIFELINE": "stdin",
                        ]) { $1 }, in: mesh.directory)
                }
                try await eventually("what waited was sent") { Set(fake.taken.map(\.id)) == waiting }
                let more = try await send(50, client)
                try await eventually("the rest was sent") { fake.taken.count == 60 }
                #expect(Set(fake.calls.map(\.id)) == waiting.union(more) && fake.calls.count == 60)
                for sender in senders {
                    sender.send(SIGTERM)
                    #expect(try await sender.ending() == .code(0))
                    #expect(!sender.errors.contains(Self.code) && !sender.errors.contains(Self.number))
                }
            }
        }
    }
}

extension RunningMesh {
    /// Joins the bus as a process that only sends requests.
    /// - Parameters:
    ///   - instance: a process that has the brokers in its environment.
    ///   - brokerGrace: how long a call waits for a broker; nil for the time that services have.
    func onBus(
        of instance: String = "notifier.1", brokerGrace: Duration? = nil, _ body: (BusClient) async throws -> Void
    ) async throws {
        let brokers = try #require(try environment(of: instance)["LATCHKEY_BROKERS"])
        var settings = try BusSettings(
            brokers: brokers.split(separator: ",").map(String.init), command: "test", instance: "test.1")
        if let brokerGrace { settings.limits.brokerGrace = brokerGrace }
        let connection = try BusConnection(settings, note: { _ in })
        let running = Task { try await connection.run() }
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(BusClient(connection)))
        } catch {
            result = .failure(error)
        }
        await connection.beginShutdown()
        try await running.value
        try result.get()
    }
}
