import Bus
import Contracts
import Delivery
import SMTPClient
import ServiceRuntime
import TestSupport
import Testing
import Vocabulary

@testable import NotifierService

@Suite struct NotifierServiceTests {
    @Test func sameIdempotencyKeyReturnsSameMessage() async throws {
        let fixture = try await NotifierFixture()
        let first = try await fixture.send(sampleEmail(), idempotencyKey: "k")
        #expect(try await fixture.send(sampleEmail(), idempotencyKey: "k") == first)
        #expect(try await fixture.send(sampleEmail(), idempotencyKey: "l") != first)
        #expect(first.messageID.rawValue.wholeMatch(of: /[0-9a-f]{32}/) != nil)
        await #expect(throws: ServiceError(.idempotencyKeyReused)) {
            try await fixture.send(sampleEmail(to: "eve@example.com"), idempotencyKey: "k")
        }
        #expect(try await fixture.deliveries().count == 2)
    }

    @Test func parallelCallsWithOneKeyCreateOneMessage() async throws {
        let fixture = try await NotifierFixture(.file)
        let request = try sampleEmail()
        let ids = try await withThrowingTaskGroup(of: MessageID.self) { group in
            for _ in 0..<20 { group.addTask { try await fixture.send(request, idempotencyKey: "k").messageID } }
            var ids: Set<MessageID> = []
            for try await id in group { ids.insert(id) }
            return ids
        }
        #expect(ids.count == 1)
        #expect(try await fixture.store.queueDepth(.email).count == 1)
    }

    /// Security rule EN7: a limit must not reveal which addresses have an account.
    @Test func exceededLimitIsNotReportedToCaller() async throws {
        let fixture = try await NotifierFixture()
        let service = fixture.service(limits: .init(perRecipient: 1, perProject: nil))
        for _ in 0..<3 { _ = try await fixture.send(sampleEmail(), of: service) }
        #expect(
            try await fixture.send(Notifier.ListDeliveries(project: ProjectID("p"))).deliveries.map(\.state)
                .filter { $0 == .suppressed }.count == 2)
    }

    @Test func inboxRequiresDevMode() async throws {
        let fixture = try await NotifierFixture()
        #expect(try await fixture.send(Notifier.ListInboxMessages()).messages == [])
        await #expect(throws: ServiceError(.operationNotAllowed, "There is an inbox in development mode only.")) {
            try await fixture.send(Notifier.ListInboxMessages(), of: fixture.service(isDev: false))
        }
    }

    @Test(arguments: [0, -1, 51])
    func listCountsAreBounded(count: Int) async throws {
        let fixture = try await NotifierFixture()
        await #expect(throws: ServiceError.self) { try await fixture.send(Notifier.ListInboxMessages(limit: count)) }
        await #expect(throws: ServiceError.self) {
            try await fixture.send(Notifier.ListDeliveries(project: ProjectID("p"), limit: count * 10))
        }
    }

    @Test func maintenanceMeasuresOutboxAndEndsExpiredMessages() async throws {
        let fixture = try await NotifierFixture()
        _ = try await fixture.send(sampleEmail())
        fixture.clock.advance(by: .seconds(30))
        let maintenance = NotifierMaintenance(
            store: fixture.store, history: .seconds(86_400), webhookHistory: .standard, counters: fixture.counters,
            webhookMetrics: WebhookMetrics(fixture.metrics),
            log: Log(instance: "notifier.1", write: { _ in }), now: { fixture.clock.now })
        try await maintenance.measure()
        func value(_ name: String) -> Double? {
            fixture.metrics.snapshot().first { $0.name == name && $0.labels["channel"] == "email" }?.value
        }
        #expect(value("latchkey_notifier_queued_messages") == 1)
        #expect(value("latchkey_notifier_oldest_queued_message_age_seconds") == 30)
        fixture.clock.advance(by: .seconds(3600))
        try await maintenance.expire(at: fixture.clock.now)
        try await maintenance.measure()
        #expect(value("latchkey_notifier_queued_messages") == 0)
        #expect(try await fixture.deliveries().first?.problem == "expired")
    }
}

@Suite struct NotifierSettingsTests {
    private func settings(_ variables: [String: String], isDev: Bool = false) throws -> NotifierSettings {
        let base = ["LATCHKEY_BROKERS": "ipc:///x", "LATCHKEY_DATA": "/d", "LATCHKEY_DEV": isDev ? "1" : "0"]
        return try NotifierSettings(Environment(base.merging(variables) { $1 }))
    }

    private static let server = [
        "LATCHKEY_SMTP_URL": "smtp://u:p@mail.example.com", "LATCHKEY_SMTP_FROM": "X <x@example.com>",
    ]

    private func faults(_ variables: [String: String], isDev: Bool = false) -> [String] {
        do {
            _ = try settings(variables, isDev: isDev)
            return []
        } catch {
            return (error as? SettingsError)?.issues.map(\.setting) ?? ["\(error)"]
        }
    }

    @Test func productionRequiresServerAndSender() throws {
        #expect(faults([:]) == ["LATCHKEY_SMTP_URL", "LATCHKEY_SMTP_FROM"])
        let settings = try settings(Self.server)
        guard case .smtp(let server, let limits, nil) = settings.email else {
            Issue.record("no server")
            return
        }
        #expect(server.description == "smtp://mail.example.com:587")
        #expect(limits.connections == 4 && limits.connectTime == .seconds(10) && limits.totalTime == .seconds(60))
        #expect(settings.limits == EmailLimits(perRecipient: 10, perProject: 10_000))
        #expect(settings.history == .seconds(30 * 86_400))
        #expect(settings.channels == [.email, .sms, .push] && settings.deliversWebhooks)
        #expect(settings.webhooks == .init(isDev: false) && settings.webhookHistory == .standard)
    }

    @Test func processDeliversOnlyItsChannels() throws {
        let sms = try settings(["LATCHKEY_NOTIFIER_CHANNELS": "sms"])
        #expect(sms.channels == [.sms] && !sms.deliversWebhooks)
        let webhooks = try settings([
            "LATCHKEY_NOTIFIER_CHANNELS": "webhook", "LATCHKEY_WEBHOOK_PRIVATE_HOSTS": "Hooks.internal,b.internal",
            "LATCHKEY_WEBHOOK_HISTORY": "1d", "LATCHKEY_WEBHOOK_MAXIMUM_EVENTS": "1000",
        ])
        #expect(webhooks.channels.isEmpty && webhooks.deliversWebhooks)
        #expect(webhooks.webhooks.privateHosts == ["hooks.internal", "b.internal"])
        #expect(webhooks.webhookHistory == .init(time: .seconds(86_400), maximumEvents: 1000))
    }

    @Test func devModeUsesInboxUntilServerIsConfigured() throws {
        let dev = try settings([:], isDev: true)
        guard case .inbox = dev.email else {
            Issue.record("no inbox")
            return
        }
        #expect(dev.sender.address.rawValue == "noreply@latchkey.localhost")
        #expect(dev.limits == EmailLimits(perRecipient: nil, perProject: nil))
        guard case .smtp = try settings(Self.server, isDev: true).email else {
            Issue.record("no server")
            return
        }
        #expect(faults(["LATCHKEY_SMTP_URL": "smtp://127.0.0.1:25"], isDev: true) == ["LATCHKEY_SMTP_FROM"])
    }

    @Test(arguments: [
        ("LATCHKEY_SMTP_URL", "mail.example.com"), ("LATCHKEY_SMTP_FROM", "nobody"), ("LATCHKEY_SMTP_CONNECTIONS", "0"),
        ("LATCHKEY_SMTP_CONNECTIONS", "65"), ("LATCHKEY_SMTP_TIMEOUT", "11m"),
        ("LATCHKEY_SMTP_CONNECT_TIMEOUT", "soon"),
        ("LATCHKEY_NOTIFIER_CHANNELS", "email,fax"), ("LATCHKEY_NOTIFIER_CHANNELS", ","),
        ("LATCHKEY_EMAIL_PER_RECIPIENT_PER_HOUR", "-1"), ("LATCHKEY_EMAIL_PER_PROJECT_PER_HOUR", "many"),
        ("LATCHKEY_NOTIFIER_HISTORY", "23h"), ("LATCHKEY_WEBHOOK_PRIVATE_HOSTS", "https://a.example"),
        ("LATCHKEY_WEBHOOK_HISTORY", "367d"), ("LATCHKEY_WEBHOOK_MAXIMUM_EVENTS", "999"),
    ])
    func invalidSettingIsNamed(name: String, value: String) {
        #expect(faults(Self.server.merging([name: value]) { $1 }) == [name])
    }

    @Test func errorMessageOmitsPassword() {
        #expect {
            try settings(Self.server.merging(["LATCHKEY_SMTP_URL": "smtp://me:hunter2@mail.example.com:x"]) { $1 })
        } throws: { error in
            let sentences = (error as? SettingsError)?.messages ?? []
            return sentences.count == 1 && !sentences[0].contains("hunter2")
        }
    }
}
