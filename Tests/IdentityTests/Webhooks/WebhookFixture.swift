import Contracts
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// A fake notifier that records the calls of `AccountEventOutbox`.
final class EventReceiver: Sendable {
    private struct State {
        var webhooks: [WebhookID: Notifier.WebhookTarget] = [:]
        var events: [Notifier.AcceptAccountEvents.Item] = []
        var calls: [Notifier.AcceptAccountEvents] = []
        var refusal: WireError.Code?
        var refusedEvent: AccountEvent.Kind?
        var losesReplies = false
    }
    private let state = Mutex(State())

    var events: [AccountEvent] { state.withLock { $0.events.map(\.event) } }
    var items: [Notifier.AcceptAccountEvents.Item] { state.withLock { $0.events } }
    var webhooks: [WebhookID: Notifier.WebhookTarget] { state.withLock { $0.webhooks } }
    var calls: [Notifier.AcceptAccountEvents] { state.withLock { $0.calls } }

    /// - Parameter refusal: nil to accept calls again.
    func refuse(_ refusal: WireError.Code?) { state.withLock { $0.refusal = refusal } }
    /// Rejects every call with an event of this kind; nil to accept them again.
    func reject(_ kind: AccountEvent.Kind?) { state.withLock { $0.refusedEvent = kind } }
    /// The calls take effect, but their replies are lost.
    func loseReplies(_ isSo: Bool) { state.withLock { $0.losesReplies = isSo } }
    /// The notifier has lost its database.
    func deleteWebhooks() { state.withLock { $0.webhooks = [:] } }

    func accept(
        _ request: Notifier.AcceptAccountEvents
    ) throws(ServiceError) -> Notifier.AcceptAccountEvents.Reply {
        try state.withLock { state throws(ServiceError) in
            state.calls.append(request)
            if let refusal = state.refusal { throw ServiceError(refusal) }
            if request.events.contains(where: { $0.event.kind == state.refusedEvent }) {
                throw ServiceError(.invalidRequest)
            }
            for webhook in request.webhooks { state.webhooks[webhook.id] = webhook.isDeleted ? nil : webhook }
            var unknown: Set<WebhookID> = []
            for item in request.events {
                unknown.formUnion(item.webhooks.filter { state.webhooks[$0] == nil })
                if item.webhooks.contains(where: { state.webhooks[$0] != nil }),
                    !state.events.contains(where: { $0.event.id == item.event.id })
                {
                    state.events.append(item)
                }
            }
            if state.losesReplies { throw ServiceError(.deadlineExceeded) }
            return .init(unknownWebhooks: unknown.sorted())
        }
    }
}

extension IdentityFixture {
    func eventOutbox(_ receiver: EventReceiver) -> AccountEventOutbox {
        let mesh = ScriptedMesh(as: .identity)
        mesh.reply(to: Notifier.AcceptAccountEvents.self) { try receiver.accept($0) }
        return AccountEventOutbox(
            store, peers: mesh, now: { [clock] in clock.now }, metrics: Metrics(),
            log: Log(instance: "identity.1", write: log.append))
    }

    /// Delivers the events that wait.
    func dispatchEvents(to receiver: EventReceiver) async throws {
        try await eventOutbox(receiver).deliverDueRows(AccountEventOutbox.limits, at: clock)
    }

    func createWebhook(_ kinds: [AccountEvent.Kind] = []) async throws -> Identity.WebhookWithSecret {
        try await send(
            Identity.CreateWebhook(project: Self.realm.project, url: "https://hooks.example.com/a", kinds: kinds))
    }
}
