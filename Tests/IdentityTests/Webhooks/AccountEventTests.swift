import Contracts
import Delivery
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// Events are recorded with their cause, and the notifier accepts each once and in order.
@Suite(.serialized) struct AccountEventTests {
    @Test(arguments: StoreEngine.allCases)
    func everyChangeOfAnAccountReachesTheNotifier(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let receiver = EventReceiver()
        let webhook = try await fixture.createWebhook().webhook
        let id = try await fixture.signUp().account.id
        fixture.clock.advance(by: .seconds(1))
        let tokens = try await fixture.signIn().tokens
        _ = try await fixture.changeOwn(tokens, .init(password: Secret("another-horse-9")))
        _ = try await fixture.change(id, .init(disabled: true))
        _ = try await fixture.change(id, .init(disabled: false))
        _ = try await fixture.send(Identity.DeleteAccount(realm: IdentityFixture.realm, accountID: id))
        try await fixture.dispatchEvents(to: receiver)
        let events = receiver.events
        #expect(
            events.map(\.kind) == [
                .created, .signedIn, .signedIn, .passwordChanged, .disabled, .enabled, .deleted,
            ])
        #expect(events.allSatisfy { $0.accountID == id && $0.realm == IdentityFixture.realm })
        #expect(zip(events, events.dropFirst()).allSatisfy { $0.sequence < $1.sequence })
        #expect(events[1].details == .init(provider: "password"))
        #expect(receiver.items.allSatisfy { $0.webhooks == [webhook.id] })
        #expect(try await fixture.store.accountEventBacklog().count == 0)
    }

    @Test func projectWithoutWebhookRecordsNothing() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        #expect(try await fixture.store.accountEventBacklog().count == 0)
    }

    @Test func webhookReceivesOnlyItsKinds() async throws {
        let fixture = try await IdentityFixture()
        let receiver = EventReceiver()
        let deletions = try await fixture.createWebhook([.deleted]).webhook
        let all = try await fixture.createWebhook().webhook
        _ = try await fixture.send(
            Identity.CreateWebhook(
                project: IdentityFixture.realm.project, url: "https://hooks.example.com/b", isDisabled: true))
        let id = try await fixture.signUp().account.id
        _ = try await fixture.send(Identity.DeleteAccount(realm: IdentityFixture.realm, accountID: id))
        try await fixture.dispatchEvents(to: receiver)
        #expect(receiver.items.map(\.event.kind) == [.created, .signedIn, .deleted])
        #expect(receiver.items.map(\.webhooks.count) == [1, 1, 2])
        #expect(Set(receiver.items.last?.webhooks ?? []) == [deletions.id, all.id])
    }

    @Test func importHasNoEvents() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.createWebhook()
        _ = try await fixture.send(
            Identity.ImportAccounts(
                realm: IdentityFixture.realm,
                accounts: [.init(id: AccountID("imported"), profile: .init(email: "imported@example.com"))],
                algorithm: nil,
                allowsOverwrite: false))
        #expect(try await fixture.store.account(AccountID("imported"), in: IdentityFixture.realm) != nil)
        #expect(try await fixture.store.accountEventBacklog().count == 0)
    }

    @Test func bulkDeletionHasAnEventForEachAccount() async throws {
        let fixture = try await IdentityFixture()
        let receiver = EventReceiver()
        _ = try await fixture.createWebhook([.deleted])
        var ids: [AccountID] = []
        for number in 0..<3 { ids.append(try await fixture.signUp("u\(number)@example.com").account.id) }
        _ = try await fixture.send(
            Identity.DeleteAccounts(realm: IdentityFixture.realm, accountIDs: ids, force: true))
        try await fixture.dispatchEvents(to: receiver)
        #expect(Set(receiver.events.compactMap(\.accountID)) == Set(ids) && receiver.events.count == 3)
    }

    /// More events than fit into one call arrive in the order of each account.
    @Test func batchesKeepTheOrder() async throws {
        let fixture = try await IdentityFixture()
        let receiver = EventReceiver()
        _ = try await fixture.createWebhook()
        let maximum = Notifier.AcceptAccountEvents.maximumCount
        let id = try await fixture.signUp().account.id
        for number in 0...maximum {
            _ = try await fixture.change(id, .init(disabled: number.isMultiple(of: 2)))
            // The clock does not move: the numbers alone decide.
        }
        try await fixture.dispatchEvents(to: receiver)
        #expect(receiver.events.count == maximum + 3)
        #expect(receiver.calls.allSatisfy { $0.events.count <= maximum })
        #expect(receiver.events.map(\.sequence) == receiver.events.map(\.sequence).sorted())
    }

    @Test(arguments: StoreEngine.allCases)
    func lostReplyAndOutageLoseAndRepeatNothing(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let receiver = EventReceiver()
        _ = try await fixture.createWebhook()
        _ = try await fixture.signUp()
        receiver.refuse(.unavailable)
        try await fixture.dispatchEvents(to: receiver)
        #expect(receiver.events.isEmpty)
        receiver.refuse(nil)
        receiver.loseReplies(true)
        try await fixture.dispatchEvents(to: receiver)
        #expect(try await fixture.store.accountEventBacklog().count == 2)
        receiver.loseReplies(false)
        try await fixture.dispatchEvents(to: receiver)
        #expect(receiver.events.map(\.kind) == [.created, .signedIn])
        #expect(try await fixture.store.accountEventBacklog().count == 0)
    }

    @Test func duringAnOutageOneCallProbes() async throws {
        let fixture = try await IdentityFixture()
        let receiver = EventReceiver()
        _ = try await fixture.createWebhook()
        receiver.refuse(.unavailable)
        let outbox = fixture.eventOutbox(receiver)
        var state = AccountEventOutbox.State(AccountEventOutbox.limits)
        for _ in 0..<5 { try await outbox.deliverDueRows(&state, at: fixture.clock) }
        #expect(receiver.calls.count == 1)
        #expect(fixture.log.count(of: "delivery.receiver-unavailable outbox=account-events") == 1)
        receiver.refuse(nil)
        fixture.clock.advance(by: .seconds(10))
        try await outbox.deliverDueRows(&state, at: fixture.clock)
        #expect(receiver.calls.count == 2)
        #expect(fixture.log.count(of: "delivery.receiver-available outbox=account-events") == 1)
    }

    /// An earlier version of the notifier does not know every kind.
    @Test func rejectedEventsAreKept() async throws {
        let fixture = try await IdentityFixture()
        let receiver = EventReceiver()
        _ = try await fixture.createWebhook()
        receiver.reject(.signedIn)
        let id = try await fixture.signUp().account.id
        _ = try await fixture.change(id, .init(disabled: true))
        for _ in 0..<3 { try await fixture.dispatchEvents(to: receiver) }
        #expect(receiver.events.isEmpty && receiver.calls.count == 3)
        #expect(fixture.log.count(of: "account-event.not-accepted") > 0)
        receiver.reject(nil)
        try await fixture.dispatchEvents(to: receiver)
        #expect(receiver.events.map(\.kind) == [.created, .signedIn, .disabled])
    }

    /// A notifier without the webhook gets it again, and the events with it.
    @Test func unknownWebhookIsSentAgain() async throws {
        let fixture = try await IdentityFixture()
        let receiver = EventReceiver()
        let webhook = try await fixture.createWebhook().webhook
        try await fixture.dispatchEvents(to: receiver)
        receiver.deleteWebhooks()
        _ = try await fixture.signUp()
        try await fixture.dispatchEvents(to: receiver)
        #expect(receiver.webhooks[webhook.id]?.url == webhook.url)
        #expect(receiver.events.map(\.kind) == [.created, .signedIn])
        #expect(try await fixture.store.accountEventBatch(limit: 10).isEmpty)
    }
}
