import Contracts
import DatabaseService
import MasterKey
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import NotifierService

/// Two methods of the notifier's store beside each other, in every order of their statements.
@Suite(.serialized) struct NotifierInterleavingTests {
    private typealias Webhooks = Interleavings<NotifierStore, LeasedEvent>
    private typealias Outbox = Interleavings<NotifierStore, LeasedMessage>

    private static let now = Moment(milliseconds: 1_700_000_000_000)
    private static let webhook = WebhookID("w")

    private static func opener() throws -> @Sendable (any SQLDatabase) async throws -> NotifierStore {
        let keys = try ReloadingMasterKeyRing(.variable(.init(.random())))
        return { database in try await NotifierStore(database, keys: keys) }
    }

    // MARK: Webhooks

    /// The webhook `w` with a leased event of the account `a`, and a delivered one of `b`.
    private static func webhooks() throws -> Webhooks {
        Webhooks(
            open: try opener(),
            prepare: { store in
                _ = try await store.accept(
                    .init(
                        webhooks: [sampleTarget()],
                        events: [sampleEvent(1), sampleEvent(1, of: "b")].map { .init(event: $0, webhooks: [webhook]) }),
                    at: now)
                let leased = try await store.acquireWebhookLeases(
                    webhook, upTo: 8, to: "h", for: .seconds(45), at: now)
                let ofA = try #require(leased.first { $0.event.event.accountID == AccountID("a") })
                let ofB = try #require(leased.first { $0.event.event.accountID == AccountID("b") })
                _ = try await store.recordOutcome(ofB, .delivered, at: now, jitter: 0)
                return ofA
            },
            invariants: [
                .init(
                    "a pending event has a queue",
                    violations: """
                        SELECT COUNT(*) AS count FROM webhook_events WHERE state = 'pending' AND NOT EXISTS
                            (SELECT 1 FROM webhook_queues AS q WHERE q.webhook_id = webhook_events.webhook_id
                             AND q.tenant = webhook_events.tenant AND q.account_id = webhook_events.account_id)
                        AND EXISTS (SELECT 1 FROM webhooks AS w WHERE w.webhook_id = webhook_events.webhook_id
                            AND w.deleted_at IS NULL)
                        """),
                .init(
                    "a position has one event",
                    violations: """
                        SELECT COUNT(*) AS count FROM webhook_events AS e WHERE EXISTS (SELECT 1 FROM webhook_events AS f
                            WHERE f.webhook_id = e.webhook_id AND f.position = e.position AND f.event_id <> e.event_id)
                        """),
            ],
            // A call that fails has reserved positions.
            masking: ["webhook_events.position", "webhook_positions.*", "webhook_queues.lease_number"])
    }

    private static func accepting(_ name: String, _ event: AccountEvent) -> Webhooks.Method {
        .init(name) { store, _ in
            "\(try await store.accept(.init(webhooks: [], events: [.init(event: event, webhooks: [webhook])]), at: now))"
        }
    }

    private static func storing(_ name: String, _ target: Notifier.WebhookTarget) -> Webhooks.Method {
        .init(name) { store, _ in "\(try await store.accept(.init(webhooks: [target], events: []), at: now))" }
    }

    private static func ending(_ name: String, _ outcome: WebhookOutcome) -> Webhooks.Method {
        .init(name) { store, leased in
            let event = try await store.recordOutcome(leased, outcome, at: now, jitter: 0)
            return event.map { "\($0.progress)" } ?? "lost"
        }
    }

    private static let append = accepting("append", sampleEvent(2))
    private static let deliver = ending("deliver", WebhookOutcome.delivered)

    private static let webhookMethods: [Webhooks.Method] = [
        append, accepting("append again", sampleEvent(1)), accepting("append of another", sampleEvent(2, of: "b")),
        storing("disable", sampleTarget(revision: 2, isDisabled: true)),
        storing("delete", sampleTarget(revision: 3, isDeleted: true)), deliver,
        ending("refuse", .refused(DeliveryFailure(.serverRefused, code: 500))), ending("gone", .gone),
        .init("lease") { store, _ in
            let leased = try await store.acquireWebhookLeases(
                webhook, upTo: 8, to: "i", for: .seconds(45), at: now + .seconds(60))
            return "\(leased.map(\.event.event.id.rawValue))"
        },
        .init("replay") { store, _ in
            let request = Notifier.ReplayAccountEvents(
                project: ProjectID("p"), id: webhook, eventIDs: [AccountEventID("evt_b_1")])
            let change = NotifierChange(
                id: "replay", change: .webhookReplayed, realm: Realm(project: ProjectID("p")),
                at: now,
                trace: .random())
            return "\(try await store.replay(request, at: now, change).replayedEvents)"
        },
        .init("release") { store, _ in
            "\(try await store.releaseWebhookLeases(ofEndedProcesses: { $0 == "h" }, at: now + .seconds(1)))"
        },
        .init("expire") { store, _ in
            "\(try await store.expireWebhookEvents(at: now + WebhookRetry.lifetime).map(\.event.id.rawValue))"
        },
        .init("forget") { store, _ in
            "\(try await store.deleteFinishedWebhookEvents(before: now + .seconds(60)))"
        },
        .init("drop") { store, _ in
            "\(try await store.deleteSurplusWebhookEvents(maximum: 1, at: now).dropped.map(\.count))"
        },
        .init("restore") { store, _ in "\(try await store.restoreWebhookQueues(at: now))" },
    ]

    /// An event that meets the deletion of its queue: with `DO NOTHING` it stayed pending for ever on PostgreSQL.
    @Test(arguments: StoreEngine.shared) func eventMeetsTheEndOfItsQueue(engine: StoreEngine) async throws {
        let plan = try Self.webhooks()
        for other in [Self.deliver, Self.webhookMethods[11], Self.webhookMethods[13]] {
            let report = try await plan.run(Self.append, other, on: engine, switches: 1)
            #expect(report.failures.isEmpty, "\(report.failures.first ?? "")")
            #expect(report.orders >= 2)
        }
    }

    // MARK: The outbox

    private static func submission(_ id: String, key: String) throws -> MessageSubmission {
        MessageSubmission(
            id: MessageID(id), content: .email(try sampleEmail()), idempotencyKey: key, paramsDigest: [1])
    }

    private static let limits = EmailLimits(perRecipient: 3, perProject: 3)

    /// A leased e-mail, and another one that waits.
    private static func outbox() throws -> Outbox {
        Outbox(
            open: try opener(),
            prepare: { store in
                for id in ["a", "b"] {
                    _ = try await store.accept(submission(id, key: id), limits: limits, at: now)
                }
                return try #require(
                    try await store.acquireLeases(.email, upTo: 1, to: "h", for: .seconds(90), after: nil, at: now)
                        .leased.first)
            },
            invariants: [
                .init(
                    "a message in the outbox is pending",
                    violations: """
                        SELECT COUNT(*) AS count FROM outbox WHERE NOT EXISTS (SELECT 1 FROM messages
                            WHERE messages.message_id = outbox.message_id AND state = 'pending')
                        """),
                .init(
                    "a pending message is in the outbox",
                    violations: """
                        SELECT COUNT(*) AS count FROM messages WHERE state = 'pending' AND NOT EXISTS
                            (SELECT 1 FROM outbox WHERE outbox.message_id = messages.message_id)
                        """),
            ])
    }

    private static func accepting(_ name: String, _ id: String, key: String) -> Outbox.Method {
        .init(name) { store, _ in
            let reply = try await store.accept(submission(id, key: key), limits: limits, at: now)
            return "\(reply.id.rawValue) \(reply.accepted == nil ? "again" : "new")"
        }
    }

    private static func ending(_ name: String, _ outcome: DeliveryOutcome) -> Outbox.Method {
        .init(name) { store, leased in
            let message = try await store.recordOutcome(leased.message, outcome, at: now, jitter: 0)
            return message.map { "\($0.state)" } ?? "lost"
        }
    }

    private static let outboxMethods: [Outbox.Method] = [
        accepting("accept", "c", key: "c"), accepting("accept again", "d", key: "c"),
        ending("sent", .sent(ProviderAcceptance(provider: "one", price: nil))),
        ending("deferred", .deferred(DeliveryFailure(.deferred, code: 451))),
        ending("rejected", .rejected(DeliveryFailure(.unsendable))),
        .init("lease") { store, _ in
            let leased = try await store.acquireLeases(
                .email, upTo: 2, to: "i", for: .seconds(90), after: nil, at: now + .seconds(90))
            return "\(leased.leased.map(\.message.id.rawValue))"
        },
        .init("release") { store, _ in
            "\(try await store.releaseLeases(ofEndedProcesses: { $0 == "h" }, at: now + .seconds(1)))"
        },
        .init("expire") { store, _ in
            "\(try await store.expire(at: now + .seconds(86_400)).map(\.id.rawValue).sorted())"
        },
        .init("receipt") { store, leased in
            let message = try await store.recordReceipt(
                .init(message: leased.message.id, provider: "one", receipt: .delivered, price: nil), at: now)
            return "\(message == nil)"
        },
        .init("sweep") { store, _ in
            try await store.sweep(history: .seconds(1), at: now + .seconds(86_400))
            return ""
        },
    ]

    @Test(arguments: StoreEngine.shared) func messageIsSentOnce(engine: StoreEngine) async throws {
        let plan = try Self.outbox()
        let (sent, lease) = (Self.outboxMethods[2], Self.outboxMethods[5])
        let report = try await plan.run(sent, lease, on: engine, switches: 1)
        #expect(report.failures.isEmpty, "\(report.failures.first ?? "")")
    }

    // MARK: All pairs

    /// Each pair of methods, also of one with itself. `make test-interleavings` runs it.
    @Test(.enabled(if: Interleaving.isFullTest), arguments: StoreEngine.shared)
    func everyPairEndsLikeASerialOrder(engine: StoreEngine) async throws {
        let webhooks = try await Self.webhooks().runAllPairs(of: Self.webhookMethods, on: engine)
        let outbox = try await Self.outbox().runAllPairs(of: Self.outboxMethods, on: engine)
        for failure in webhooks.failures + outbox.failures { Issue.record("\(failure)") }
        print("\(engine): \(webhooks.orders + outbox.orders) orders")
    }
}
