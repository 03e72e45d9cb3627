import Contracts
import Delivery
import Foundation
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

@Suite struct WebhookHandlerTests {
    private static let project = IdentityFixture.realm.project

    @Test func secretIsShownOnceAndReachesTheNotifier() async throws {
        let fixture = try await IdentityFixture()
        let receiver = EventReceiver()
        let created = try await fixture.createWebhook([.created])
        let text = created.secret.reveal()
        #expect(text.hasPrefix("whsec_"))
        let bytes = try #require(Data(base64Encoded: String(text.dropFirst(6))))
        #expect(bytes.count == WebhookRules.secretBytes)
        let listed = try await fixture.send(Identity.ListWebhooks(project: Self.project)).webhooks
        #expect(listed == [created.webhook])
        #expect(
            try await fixture.send(Identity.ReadWebhook(project: Self.project, id: created.webhook.id)) == listed[0])
        try await fixture.dispatchEvents(to: receiver)
        let target = try #require(receiver.webhooks[created.webhook.id])
        #expect(target.secrets.map { $0.bytes.reveal().bytes } == [Array(bytes)])
        #expect(target.url == created.webhook.url && target.revision == 1)
    }

    @Test func repeatedCallCreatesOneWebhook() async throws {
        let fixture = try await IdentityFixture()
        let request = Identity.CreateWebhook(project: Self.project, url: "https://hooks.example.com/")
        let first = try await fixture.send(request, idempotencyKey: "k")
        #expect(try await fixture.send(request, idempotencyKey: "k") == first)
        #expect(try await fixture.send(Identity.ListWebhooks(project: Self.project)).webhooks.count == 1)
    }

    @Test func rotationKeepsTheFormerSecretForADay() async throws {
        let fixture = try await IdentityFixture()
        let receiver = EventReceiver()
        let created = try await fixture.createWebhook()
        func rotate() async throws -> [Notifier.WebhookTarget.SigningSecret] {
            _ = try await fixture.send(
                Identity.RotateWebhookSecret(project: Self.project, id: created.webhook.id))
            try await fixture.dispatchEvents(to: receiver)
            return try #require(receiver.webhooks[created.webhook.id]).secrets
        }
        let first = try await rotate()
        #expect(first.map(\.expiresAt) == [nil, fixture.clock.now + .seconds(86_400)])
        let second = try await rotate()
        #expect(second.count == 2 && second[1].bytes == first[0].bytes && second[0].bytes != first[0].bytes)
    }

    @Test func deletedWebhookIsDeletedAtTheNotifierAndHere() async throws {
        let fixture = try await IdentityFixture()
        let receiver = EventReceiver()
        let id = try await fixture.createWebhook().webhook.id
        try await fixture.dispatchEvents(to: receiver)
        _ = try await fixture.send(Identity.DeleteWebhook(project: Self.project, id: id))
        await #expect(throws: ServiceError(.webhookNotFound)) {
            try await fixture.send(Identity.ReadWebhook(project: Self.project, id: id))
        }
        #expect(try await fixture.store.accountEventBatch(limit: 10).webhooks.map(\.target.secrets) == [[]])
        try await fixture.dispatchEvents(to: receiver)
        #expect(receiver.webhooks.isEmpty)
        #expect(try await fixture.store.accountEventBatch(limit: 10).isEmpty)
        _ = try await fixture.signUp()
        #expect(try await fixture.store.accountEventBacklog().count == 0)
    }

    @Test func changeReachesTheNotifier() async throws {
        let fixture = try await IdentityFixture()
        let receiver = EventReceiver()
        let id = try await fixture.createWebhook().webhook.id
        let changed = try await fixture.send(
            Identity.UpdateWebhook(
                project: Self.project, id: id, url: "https://b.example/", kinds: [.deleted], isDisabled: true))
        #expect(changed.url == "https://b.example/" && changed.kinds == [.deleted] && changed.isDisabled)
        try await fixture.dispatchEvents(to: receiver)
        #expect(receiver.webhooks[id]?.isDisabled == true && receiver.webhooks[id]?.revision == 2)
        await #expect(throws: ServiceError(.invalidWebhook, "The webhook is disabled.")) {
            try await fixture.send(Identity.TestWebhook(project: Self.project, id: id))
        }
    }

    @Test func testEventIsForOneWebhook() async throws {
        let fixture = try await IdentityFixture()
        let receiver = EventReceiver()
        let id = try await fixture.createWebhook([.deleted]).webhook.id
        _ = try await fixture.createWebhook()
        let event = try await fixture.send(
            Identity.TestWebhook(project: Self.project, id: id, client: ClientContext(operatorName: "ada"))
        ).eventID
        let records = try await fixture.store.auditRecords(.init(limit: 10)).filter { $0.action == "webhook.tested" }
        #expect(records.map(\.actor) == ["operator:ada"])
        try await fixture.dispatchEvents(to: receiver)
        #expect(receiver.items.map(\.webhooks) == [[id]] && receiver.events.map(\.id) == [event])
        #expect(receiver.events.first?.accountID == nil)
    }

    @Test(arguments: [
        ("", true), ("ftp://example.com/", true), ("https://user@example.com/", true),
        ("https://example.com/#a", true), ("/hook", true), ("http://example.com/", false),
    ])
    func invalidURLIsRefused(url: String, isDev: Bool) async throws {
        let fixture = try await IdentityFixture(isDev: isDev)
        await #expect(throws: ServiceError.self) {
            try await fixture.send(Identity.CreateWebhook(project: Self.project, url: url))
        }
    }

    @Test(arguments: [[AccountEvent.Kind.created, .created], [.test]])
    func invalidKindsAreRefused(kinds: [AccountEvent.Kind]) async throws {
        let fixture = try await IdentityFixture()
        await #expect(throws: ServiceError.self) { try await fixture.createWebhook(kinds) }
    }

    @Test func webhooksOfAProjectAreLimited() async throws {
        let fixture = try await IdentityFixture()
        for _ in 0..<Identity.Webhook.maximumCount { _ = try await fixture.createWebhook() }
        await #expect(throws: ServiceError(.tooManyWebhooks)) { try await fixture.createWebhook() }
    }

    @Test func webhookOfAnotherProjectIsUnknown() async throws {
        let fixture = try await IdentityFixture()
        let id = try await fixture.createWebhook().webhook.id
        let other = ProjectID("other")
        _ = try await fixture.send(Identity.ReadConfiguration(project: other))
        await #expect(throws: ServiceError(.webhookNotFound)) {
            try await fixture.send(Identity.ReadWebhook(project: other, id: id))
        }
        await #expect(throws: ServiceError(.webhookNotFound)) {
            try await fixture.send(Identity.RotateWebhookSecret(project: other, id: id))
        }
        await #expect(throws: ServiceError(.webhookNotFound)) {
            try await fixture.send(Identity.DeleteWebhook(project: other, id: id))
        }
        await #expect(throws: ServiceError(.webhookNotFound)) {
            try await fixture.send(Identity.TestWebhook(project: other, id: id))
        }
    }
}
