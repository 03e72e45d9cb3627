import Contracts
import DatabaseService
import Dispatch
import SQL
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import NotifierService

func sampleEvent(
    _ number: Int64 = 1, of account: String = "a", _ kind: AccountEvent.Kind = .signedIn
) -> AccountEvent {
    AccountEvent(
        id: AccountEventID("evt_\(account)_\(number)"), kind: kind, realm: Realm(project: ProjectID("p")),
        accountID: AccountID(account), occurredAt: Moment(milliseconds: 1_700_000_000_000), sequence: number)
}

func sampleTarget(
    _ id: String = "w", url: String = "https://hooks.example.com/", revision: Int64 = 1, isDisabled: Bool = false,
    isDeleted: Bool = false
) -> Notifier.WebhookTarget {
    .init(
        id: WebhookID(id), project: ProjectID("p"), url: url,
        secrets: [.init(bytes: Secret(OctetString(Array(repeating: 7, count: 32))), expiresAt: nil)],
        isDisabled: isDisabled, isDeleted: isDeleted, revision: revision)
}

extension NotifierFixture {
    /// Stores webhooks and events for each of them.
    @discardableResult
    func accept(
        _ events: [AccountEvent] = [], for webhooks: [Notifier.WebhookTarget] = [], to ids: [String] = ["w"]
    ) async throws -> [WebhookID] {
        try await send(
            Notifier.AcceptAccountEvents(
                webhooks: webhooks, events: events.map { .init(event: $0, webhooks: ids.map { WebhookID($0) }) })
        ).unknownWebhooks
    }

    /// Leases events of the webhook `w`.
    func lease(_ count: Int = 8, as holder: String = "h", for duration: Duration = .seconds(45)) async throws
        -> [LeasedEvent]
    {
        try await store.acquireWebhookLeases(WebhookID("w"), upTo: count, to: holder, for: duration, at: clock.now)
    }

    @discardableResult
    func end(_ leased: LeasedEvent, _ outcome: WebhookOutcome) async throws -> QueuedEvent? {
        try await store.recordOutcome(leased, outcome, at: clock.now, jitter: 1)
    }

    func status(_ id: String = "w") async throws -> Notifier.ReadWebhookStatus.Reply {
        try await send(Notifier.ReadWebhookStatus(project: ProjectID("p"), id: WebhookID(id)))
    }
}

/// The events of webhooks in the database.
@Suite(.serialized) struct WebhookStoreTests {
    private static let refusal = WebhookOutcome.refused(DeliveryFailure(.serverRefused, code: 500))

    /// Two processes of identity send the same events, and the call that reserved its positions first is stored last.
    @Test(arguments: StoreEngine.allCases)
    func eventsOfACallThatWasOvertakenKeepTheirOrder(engine: StoreEngine) async throws {
        let fixture = try await NotifierFixture(engine)
        try await fixture.accept(for: [sampleTarget()])
        let overtaken = try await fixture.store.webhookPositions.reserve([WebhookID("w"): 2])
        try await fixture.accept([sampleEvent(1)])
        let events = [1, 2].map {
            Notifier.AcceptAccountEvents.Item(event: sampleEvent($0), webhooks: [WebhookID("w")])
        }
        await #expect(throws: OvertakenReservationError.self) {
            try await fixture.store.accept(.init(webhooks: [], events: events), at: overtaken, fixture.clock.now)
        }
        try await fixture.accept([sampleEvent(1), sampleEvent(2)])
        for number in 1...2 {
            let leased = try #require(try await fixture.lease().first)
            #expect(leased.event.event.sequence == Int64(number))
            try await fixture.end(leased, .delivered)
        }
    }

    /// The next event of an account is sent only after the one before is delivered or has failed.
    @Test(arguments: StoreEngine.allCases)
    func eventsOfAnAccountAreSentInOrder(engine: StoreEngine) async throws {
        let fixture = try await NotifierFixture(engine)
        try await fixture.accept(
            [sampleEvent(1), sampleEvent(2), sampleEvent(1, of: "b"), sampleEvent(3)], for: [sampleTarget()])
        let first = try await fixture.lease()
        #expect(Set(first.map(\.event.event.id.rawValue)) == ["evt_a_1", "evt_b_1"])
        #expect(try await fixture.lease().isEmpty)
        let ofA = try #require(first.first { $0.event.event.accountID == AccountID("a") })
        let ofB = try #require(first.first { $0.event.event.accountID == AccountID("b") })
        try await fixture.end(ofA, Self.refusal)
        try await fixture.end(ofB, .delivered)
        #expect(try await fixture.lease().isEmpty)
        fixture.clock.advance(by: .seconds(5))
        let again = try await fixture.lease()
        #expect(again.map(\.event.event.id.rawValue) == ["evt_a_1"])
        try await fixture.end(try #require(again.first), .delivered)
        for id in ["evt_a_2", "evt_a_3"] {
            let next = try await fixture.lease()
            #expect(next.map(\.event.event.id.rawValue) == [id])
            try await fixture.end(try #require(next.first), .delivered)
        }
        #expect(try await fixture.lease().isEmpty)
        #expect(try await fixture.store.dueWebhooks(at: fixture.clock.now).isEmpty)
        let status = try await fixture.status()
        #expect(status.pendingEvents == 0 && status.deliveries.allSatisfy { $0.state == .delivered })
        #expect(status.deliveries.map(\.eventID.rawValue) == ["evt_a_3", "evt_b_1", "evt_a_2", "evt_a_1"])
        #expect(status.deliveries.last?.attempts == 2)
    }

    /// `DO NOTHING` would take no lock on the queue that exists: its deletion could commit beside the event.
    @Test(arguments: StoreEngine.allCases) func queueThatExistsIsWritten(engine: StoreEngine) async throws {
        let fixture = try await NotifierFixture(engine)
        try await fixture.accept([sampleEvent(1)], for: [sampleTarget()])
        let leased = try #require(try await fixture.lease().first)
        let now = fixture.clock.now
        let changes = try await fixture.store.database.write { transaction in
            try transaction.insertQueue(of: leased.event, dueAt: now)
            return transaction.changes
        }
        #expect(changes == 1)
        // It keeps its lease.
        #expect(try await fixture.lease().isEmpty)
        #expect(try await fixture.end(leased, .delivered) != nil)
    }

    @Test(arguments: StoreEngine.allCases) func pendingEventWithoutQueueGetsOne(engine: StoreEngine) async throws {
        let fixture = try await NotifierFixture(engine)
        try await fixture.accept(
            [sampleEvent(1), sampleEvent(2), sampleEvent(1, of: "b"), sampleEvent(1, of: "c")], for: [sampleTarget()])
        try await fixture.store.database.write { try $0.execute("DELETE FROM webhook_queues WHERE account_id <> 'c'") }
        #expect(try await fixture.lease().map(\.event.event.id.rawValue) == ["evt_c_1"])
        var counts: [Int] = []
        while counts.last != 0 {
            counts.append(try await fixture.store.restoreWebhookQueues(at: fixture.clock.now, batch: 2))
        }
        #expect(counts == [2, 1, 0] || counts == [2, 0])
        #expect(Set(try await fixture.lease().map(\.event.event.id.rawValue)) == ["evt_a_1", "evt_b_1"])
        #expect(try await fixture.store.restoreWebhookQueues(at: fixture.clock.now) == 0)
    }

    /// A failed event releases the next one of its account.
    @Test func failedEventIsFollowedByTheNext() async throws {
        let fixture = try await NotifierFixture()
        try await fixture.accept([sampleEvent(1)], for: [sampleTarget()])
        fixture.clock.advance(by: .seconds(3600))
        try await fixture.accept([sampleEvent(2)])
        fixture.clock.advance(by: WebhookRetry.lifetime - .seconds(3600))
        #expect(try await fixture.lease().map(\.event.event.id.rawValue) == ["evt_a_2"])
        let status = try await fixture.status()
        #expect(status.deliveries.last?.problem == "expired" && status.pendingEvents == 1)
    }

    @Test(arguments: StoreEngine.allCases)
    func acceptanceIsIdempotent(engine: StoreEngine) async throws {
        let fixture = try await NotifierFixture(engine)
        for _ in 0..<2 {
            #expect(
                try await fixture.accept([sampleEvent(1), sampleEvent(2)], for: [sampleTarget()], to: ["w", "x"])
                    == [WebhookID("x")])
        }
        #expect(try await fixture.status().pendingEvents == 2)
        let leased = try #require(try await fixture.lease().first)
        try await fixture.end(leased, .delivered)
        try await fixture.accept([sampleEvent(1)])
        #expect(try await fixture.status().pendingEvents == 1)
    }

    /// Calls that bring events of one webhook neither wait for each other nor for a change of its state, and none of them
    /// runs again: PostgreSQL aborts one of two transactions that change a row.
    @Test func acceptanceWaitsForNoOther() async throws {
        let fixture = try await NotifierFixture(.postgres)
        try await fixture.accept([sampleEvent(1)], for: [sampleTarget()])
        let (first, second) = (try await fixture.other(), try await fixture.other())
        final class Runs: Sendable {
            let counts = Mutex([0, 0])
        }
        let runs = Runs()
        let release = DispatchSemaphore(value: 0)
        let (now, id) = (fixture.clock.now, WebhookID("w"))
        async let accepting: Void = first.database.write { transaction in
            _ = try transaction.append(.accepted(sampleEvent(1, of: "b"), for: id, at: 100, now), at: now)
            runs.counts.withLock { $0[0] += 1 }
            release.wait()
        }
        async let failing: Void = second.database.write { transaction in
            try transaction.execute(
                WebhookTable.outage, [.webhookID: id, .failingSince: now, .problem: "unreachable"])
            runs.counts.withLock { $0[1] += 1 }
            release.wait()
        }
        try await eventually("both transactions have written") { runs.counts.withLock { $0 == [1, 1] } }
        try await fixture.accept([sampleEvent(2), sampleEvent(1, of: "c")])
        for _ in 0..<2 { release.signal() }
        try await accepting
        try await failing
        #expect(runs.counts.withLock { $0 } == [1, 1])
        #expect(try await fixture.status().pendingEvents == 4)
    }

    /// Many calls of several processes at once: each is accepted, and the events of each account keep their order.
    @Test(arguments: StoreEngine.shared) func concurrentCallsKeepTheOrder(engine: StoreEngine) async throws {
        let fixture = try await NotifierFixture(engine)
        try await fixture.accept(for: [sampleTarget()])
        let stores = [fixture.store, try await fixture.other(), try await fixture.other()]
        let now = fixture.clock.now
        try await withThrowingTaskGroup { group in
            for account in 0..<12 {
                group.addTask {
                    for number in 1...6 {
                        let item = Notifier.AcceptAccountEvents.Item(
                            event: sampleEvent(Int64(number), of: "\(account)"), webhooks: [WebhookID("w")])
                        let store = stores[(account + number) % stores.count]
                        let reply = try await store.accept(.init(webhooks: [], events: [item]), at: now)
                        #expect(reply.newEvents == 1 && reply.unknown.isEmpty)
                    }
                }
            }
            try await group.waitForAll()
        }
        let rows = try await fixture.store.database.read { transaction in
            try transaction.rows("SELECT account_id, event_id FROM webhook_events ORDER BY position").map {
                (account: try $0.get("account_id") as String, event: try $0.get("event_id") as String)
            }
        }
        #expect(rows.count == 72)
        for account in 0..<12 {
            #expect(
                rows.filter { $0.account == "\(account)" }.map(\.event)
                    == (1...6).map { "evt_\(account)_\($0)" })
        }
    }

    /// A call that failed has reserved positions: gaps do not count as events.
    @Test(arguments: StoreEngine.allCases) func gapsAreNoSurplus(engine: StoreEngine) async throws {
        let fixture = try await NotifierFixture(engine)
        try await fixture.accept((1...5).map { sampleEvent($0) }, for: [sampleTarget()])
        _ = try await fixture.store.webhookPositions.reserve([WebhookID("w"): 1000])
        try await fixture.accept((6...10).map { sampleEvent($0) })
        func drop(_ maximum: Int) async throws -> [Int] {
            try await fixture.store.deleteSurplusWebhookEvents(maximum: maximum, at: fixture.clock.now)
                .dropped.map(\.count)
        }
        #expect(try await drop(10) == [])
        #expect(try await drop(7) == [3])
        #expect(try await fixture.status().pendingEvents == 7)
        #expect(try await fixture.lease().map(\.event.event.id.rawValue) == ["evt_a_4"])
    }

    @Test func earlierRevisionChangesNothing() async throws {
        let fixture = try await NotifierFixture()
        try await fixture.accept([sampleEvent()], for: [sampleTarget(url: "https://b.example/", revision: 2)])
        try await fixture.accept(for: [sampleTarget(url: "https://a.example/", revision: 1)])
        #expect(try await fixture.lease().map(\.url) == ["https://b.example/"])
        try await fixture.accept(for: [sampleTarget(revision: 3, isDeleted: true)])
        try await fixture.accept(for: [sampleTarget(revision: 2)])
        await #expect(throws: ServiceError(.webhookNotFound)) { try await fixture.status() }
        #expect(try await fixture.accept([sampleEvent(2)]) == [WebhookID("w")])
    }

    /// Queued events use the URL and the secrets that the webhook has when they are sent.
    @Test func queuedEventUsesCurrentSettings() async throws {
        let fixture = try await NotifierFixture()
        try await fixture.accept([sampleEvent()], for: [sampleTarget()])
        var target = sampleTarget(url: "https://b.example/", revision: 2)
        target.secrets[0].bytes = Secret(OctetString([9]))
        try await fixture.accept(for: [target])
        let leased = try #require(try await fixture.lease().first)
        #expect(leased.url == "https://b.example/" && leased.secrets == target.secrets)
    }

    @Test func goneEndpointGetsNothingUntilAChange() async throws {
        let fixture = try await NotifierFixture()
        try await fixture.accept([sampleEvent()], for: [sampleTarget()])
        try await fixture.end(try #require(try await fixture.lease().first), .gone)
        #expect(try await fixture.status().goneAt == fixture.clock.now)
        #expect(try await fixture.store.dueWebhooks(at: fixture.clock.now).isEmpty)
        #expect(try await fixture.lease().isEmpty)
        try await fixture.accept([sampleEvent(2)])
        try await fixture.accept(for: [sampleTarget(revision: 2)])
        #expect(try await fixture.status().goneAt == nil)
        #expect(try await fixture.lease().map(\.event.event.id.rawValue) == ["evt_a_1"])
    }

    @Test func disabledWebhookKeepsItsEvents() async throws {
        let fixture = try await NotifierFixture()
        try await fixture.accept([sampleEvent()], for: [sampleTarget()])
        try await fixture.accept(for: [sampleTarget(revision: 2, isDisabled: true)])
        #expect(try await fixture.lease().isEmpty)
        #expect(try await fixture.store.dueWebhooks(at: fixture.clock.now).isEmpty)
        try await fixture.accept(for: [sampleTarget(revision: 3)])
        #expect(try await fixture.lease().count == 1)
    }

    @Test(arguments: StoreEngine.shared)
    func lostLeaseRecordsNothing(engine: StoreEngine) async throws {
        let fixture = try await NotifierFixture(engine)
        try await fixture.accept([sampleEvent()], for: [sampleTarget()])
        let first = try #require(try await fixture.lease(for: .seconds(1)).first)
        fixture.clock.advance(by: .seconds(1))
        let other = try await fixture.other()
        let second = try #require(
            try await other.acquireWebhookLeases(
                WebhookID("w"), upTo: 1, to: "other", for: .seconds(45), at: fixture.clock.now
            ).first)
        #expect(try await fixture.end(first, Self.refusal) == nil)
        #expect(try await other.recordOutcome(second, .delivered, at: fixture.clock.now, jitter: 1) != nil)
        #expect(try await fixture.status().deliveries.map(\.state) == [.delivered])
    }

    @Test func leasesOfEndedProcessesAreReleased() async throws {
        let fixture = try await NotifierFixture()
        try await fixture.accept([sampleEvent(), sampleEvent(1, of: "b")], for: [sampleTarget()])
        _ = try await fixture.lease(1, as: "dead")
        _ = try await fixture.lease(1, as: "alive")
        #expect(
            try await fixture.store.releaseWebhookLeases(ofEndedProcesses: { $0 == "dead" }, at: fixture.clock.now) == 1
        )
        #expect(try await fixture.lease().count == 1)
    }

    @Test(arguments: StoreEngine.allCases)
    func replayKeepsTheOrder(engine: StoreEngine) async throws {
        let fixture = try await NotifierFixture(engine)
        try await fixture.accept([sampleEvent(1)], for: [sampleTarget()])
        try await fixture.end(try #require(try await fixture.lease().first), .delivered)
        fixture.clock.advance(by: .seconds(60))
        try await fixture.accept([sampleEvent(2), sampleEvent(3)])
        try await fixture.end(try #require(try await fixture.lease().first), .delivered)
        func replay(_ ids: [String]? = nil, after: Moment? = nil) async throws -> Int {
            try await fixture.send(
                Notifier.ReplayAccountEvents(
                    project: ProjectID("p"), id: WebhookID("w"), eventIDs: ids.map { $0.map { AccountEventID($0) } },
                    after: after, client: ClientContext(operatorName: "ada"))
            ).replayedEvents
        }
        // Only finished events are replayed, and they come before the pending one.
        #expect(try await replay(after: fixture.clock.now) == 1)
        #expect(try await replay() == 1)
        #expect(try await replay(["evt_a_1", "evt_unknown"]) == 0)
        for id in ["evt_a_1", "evt_a_2", "evt_a_3"] {
            let next = try #require(try await fixture.lease().first)
            #expect(next.event.event.id.rawValue == id)
            try await fixture.end(next, .delivered)
        }
        #expect(try await replay(["evt_a_2"]) == 1)
        #expect(try await fixture.lease().map(\.event.event.id.rawValue) == ["evt_a_2"])
        // Each call that has replayed something.
        let changes = fixture.identity.sent(Identity.RecordNotifierChange.self)
        #expect(changes.map(\.change) == [.webhookReplayed, .webhookReplayed, .webhookReplayed])
        #expect(changes.allSatisfy { $0.client.operatorName == "ada" && $0.realm == Realm(project: ProjectID("p")) })
        #expect(try await fixture.auditedChanges.unrecorded(limit: 10).isEmpty)
    }

    @Test func replayIsContinuedAfterItsMaximum() async throws {
        let fixture = try await NotifierFixture()
        let maximum = Notifier.ReplayAccountEvents.maximumCount
        try await fixture.accept(for: [sampleTarget()])
        for start in stride(from: 0, to: maximum + 50, by: 50) {
            try await fixture.accept((0..<50).map { sampleEvent(1, of: "\(start + $0)") })
        }
        for leased in try await fixture.lease(maximum + 50) { try await fixture.end(leased, .delivered) }
        var request = Notifier.ReplayAccountEvents(project: ProjectID("p"), id: WebhookID("w"))
        let first = try await fixture.send(request)
        #expect(first.replayedEvents == maximum && first.nextPosition != nil)
        request.fromPosition = first.nextPosition
        let second = try await fixture.send(request)
        #expect(second.replayedEvents == 50 && second.nextPosition == nil)
    }

    @Test func surplusEventsAreDroppedAndCounted() async throws {
        let fixture = try await NotifierFixture()
        try await fixture.accept((1...30).map { sampleEvent($0, of: "\($0)") }, for: [sampleTarget()])
        let result = try await fixture.store.deleteSurplusWebhookEvents(maximum: 20, at: fixture.clock.now, batch: 4)
        #expect(result.dropped.map(\.count) == [4] && result.hasMore)
        while try await fixture.store.deleteSurplusWebhookEvents(maximum: 20, at: fixture.clock.now).hasMore {}
        let status = try await fixture.status()
        #expect(status.pendingEvents == 20 && status.droppedEvents == 10)
        // The queues of the dropped events are empty.
        #expect(try await fixture.lease(100).count == 20)
    }

    @Test func eventsOfADeletedWebhookAreDeleted() async throws {
        let fixture = try await NotifierFixture()
        try await fixture.accept([sampleEvent()], for: [sampleTarget()])
        try await fixture.accept(for: [sampleTarget(revision: 2, isDeleted: true)])
        _ = try await fixture.store.deleteSurplusWebhookEvents(maximum: 1000, at: fixture.clock.now)
        let rows = try await fixture.store.database.read { transaction in
            try transaction.rows("SELECT 1 AS one FROM webhook_events").count
        }
        #expect(rows == 0)
        #expect(try await fixture.store.dueWebhooks(at: fixture.clock.now).isEmpty)
    }

    @Test func maintenanceEndsAndDeletesOldEvents() async throws {
        let fixture = try await NotifierFixture()
        let metrics = Metrics()
        try await fixture.accept([sampleEvent()], for: [sampleTarget()])
        let maintenance = NotifierMaintenance(
            store: fixture.store, history: .seconds(86_400),
            webhookHistory: .init(time: .seconds(86_400), maximumEvents: 1000), counters: fixture.counters,
            webhookMetrics: WebhookMetrics(metrics), log: Log(instance: "notifier.1", write: { _ in }),
            now: { fixture.clock.now })
        fixture.clock.advance(by: WebhookRetry.lifetime)
        try await maintenance.expireWebhookEvents(at: fixture.clock.now)
        #expect(try await fixture.status().deliveries.map(\.state) == [.failed])
        #expect(
            metrics.snapshot().first {
                $0.name == "latchkey_notifier_webhook_events_total" && $0.labels["result"] == "failed"
            }?.value == 1)
        fixture.clock.advance(by: .seconds(86_401))
        try await maintenance.expireWebhookEvents(at: fixture.clock.now)
        #expect(try await fixture.status().deliveries.isEmpty)
        #expect(try await fixture.store.dueWebhooks(at: fixture.clock.now).isEmpty)
    }

    @Test func boundsOfCallsAreChecked() async throws {
        let fixture = try await NotifierFixture()
        let maximum = Notifier.AcceptAccountEvents.maximumCount
        try await fixture.accept(
            (0..<Int64(maximum)).map { sampleEvent($0) }, for: (0..<maximum).map { sampleTarget("w\($0)") })
        await #expect(throws: ServiceError.self) {
            try await fixture.accept((0...Int64(maximum)).map { sampleEvent($0) })
        }
        await #expect(throws: ServiceError.self) {
            try await fixture.accept(for: (0...maximum).map { sampleTarget("w\($0)") })
        }
        await #expect(throws: ServiceError.self) {
            try await fixture.send(
                Notifier.ReadWebhookStatus(project: ProjectID("p"), id: WebhookID("w0"), limit: 501))
        }
        await #expect(throws: ServiceError(.webhookNotFound)) {
            try await fixture.send(Notifier.ReadWebhookStatus(project: ProjectID("other"), id: WebhookID("w0")))
        }
        await #expect(throws: ServiceError(.webhookNotFound)) {
            try await fixture.send(Notifier.ReplayAccountEvents(project: ProjectID("other"), id: WebhookID("w0")))
        }
    }
}
