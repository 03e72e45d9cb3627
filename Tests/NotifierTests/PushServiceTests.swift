import Contracts
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import NotifierService

@Suite struct PushServiceTests {
    @Test func pushIsDeliveredToInboxWithoutAPNs() async throws {
        let fixture = try await NotifierFixture()
        let id = try await fixture.send(samplePush(isSandbox: true)).messageID
        try await fixture.running([fixture.worker("n.1", .pushInbox(fixture.store))]) {
            try await eventually("it arrived") { try await fixture.deliveries().first?.state == .sent }
        }
        let messages = try await fixture.send(Notifier.ListInboxMessages(recipient: "9F86D081884C7D65")).messages
        let message = try #require(messages.first)
        #expect(message.id == id && message.channel == .push && message.subject == "Silent push to com.example.app")
        #expect(message.text.contains(#""receipt":"rcp-71","secret":"sec-09""#))
        let record = try #require(try await fixture.deliveries().first)
        #expect(record.maskedRecipient == "•••7D65" && record.purpose == "appVerification")
    }

    @Test func pushExpiresAfterOneMinute() async throws {
        let fixture = try await NotifierFixture()
        _ = try await fixture.send(samplePush())
        fixture.clock.advance(by: .seconds(60))
        #expect(try await fixture.store.expire(at: fixture.clock.now).count == 1)
        #expect(try await fixture.deliveries().first?.problem == "expired")
    }

    @Test func unregisteredDeviceIsRecordedInHistory() async throws {
        let fixture = try await NotifierFixture()
        _ = try await fixture.send(samplePush())
        fixture.sent.outcomes.withLock { $0 = [DeliveryOutcome(apnsStatus: 410, .unregistered)] }
        try await fixture.running([fixture.worker("n.1", fixture.transport(.push))]) {
            try await eventually("it was refused") { try await fixture.deliveries().first?.state == .failed }
        }
        #expect(try await fixture.deliveries().first?.problem == "deviceGone 410")
    }

    @Test func invalidPushIsRefused() async throws {
        let fixture = try await NotifierFixture()
        let changes: [(inout Notifier.SendPush) -> Void] = [
            { $0.deviceToken = Secret("") }, { $0.deviceToken = Secret("9F86D08188/../7D65") },
            { $0.deviceToken = Secret(String(repeating: "a", count: 202)) }, { $0.bundleID = "" },
            { $0.bundleID = "a\r\nb" }, { $0.bundleID = String(repeating: "a", count: 256) }, { $0.receipt = "" },
            { $0.receipt = String(repeating: "r", count: 513) },
            { $0.secret = Secret(String(repeating: "s", count: 1025)) },
        ]
        for change in changes {
            var request = samplePush()
            change(&request)
            await #expect(throws: ServiceError.self) { try await fixture.send(request) }
        }
        #expect(try await fixture.deliveries().isEmpty)
        var largest = samplePush(secret: String(repeating: "\u{1}", count: 1024))
        largest.receipt = String(repeating: "r", count: 512)
        _ = try await fixture.send(largest)
    }

    @Test func pushIsRefusedWithoutConfiguredTransport() async throws {
        let fixture = try await NotifierFixture()
        let service = fixture.service(unconfiguredChannels: [.push], isDev: false)
        await #expect(throws: ServiceError.channelNotConfigured(.push)) {
            try await fixture.send(samplePush(), of: service)
        }
    }

    @Test func pushSettingsFollowChannels() throws {
        func push(_ variables: [String: String]) throws -> APNsSettings? {
            let base = [
                "LATCHKEY_BROKERS": "ipc:///x", "LATCHKEY_DATA": "/d", "LATCHKEY_DEV": "1",
                "LATCHKEY_SMTP_URL": "smtp://mail.example.com", "LATCHKEY_SMTP_FROM": "x@example.com",
            ]
            return try NotifierSettings(Environment(base.merging(variables) { $1 })).push
        }
        #expect(try push([:])?.authentication == nil)
        #expect(try push(["LATCHKEY_NOTIFIER_CHANNELS": "email"]) == nil)
        #expect(try push(["LATCHKEY_APNS_CERT_FILE": "/c.pem"])?.authentication == .certificate(file: "/c.pem"))
    }
}
