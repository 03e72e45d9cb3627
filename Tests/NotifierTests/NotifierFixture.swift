import Bus
import Contracts
import Crypto
import DatabaseService
import Delivery
import Foundation
import MasterKey
import Postgres
import SMTPClient
import SQL
import SQLite
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import NotifierService

func sampleEmail(
    _ purpose: Notifier.EmailPurpose = .resetPassword, to recipient: String = "ada@example.com",
    in project: String = "p"
) throws -> Notifier.SendEmail {
    Notifier.SendEmail(
        realm: Realm(project: ProjectID(project)), recipient: try #require(EmailAddress(recipient)), purpose: purpose,
        appName: "Demo", link: "https://example.com/action?oobCode=secret-code",
        newEmail: EmailAddress("new@example.com"))
}

/// The sender fields of a message.
struct SMTPMessageFacts: Equatable {
    var name: String?
    var address: String
    var returnPath: String

    init(name: String?, address: String, returnPath: String) {
        self.name = name
        self.address = address
        self.returnPath = returnPath
    }

    init(_ request: Notifier.SendEmail, _ sender: EmailTransport.Sender) throws {
        let accepted = OutboxMessage.accepted(
            MessageID("m"), .email(request), suppressedFor: nil, at: Moment(milliseconds: 0))
        let message = try SMTPMessage(accepted, request, from: sender)
        self.init(
            name: message.from.name, address: message.from.address.rawValue, returnPath: message.returnPath.rawValue)
    }
}

func sampleSMS(
    to recipient: String = "+15005550010", in project: String = "p", region: String? = "US", code: String = "123456"
) throws -> Notifier.SendSMS {
    Notifier.SendSMS(
        realm: Realm(project: ProjectID(project)), recipient: try #require(PhoneNumber(recipient)), region: region,
        purpose: .secondFactorSignIn, code: Secret(code), appName: "Demo")
}

/// The notifier with all real parts except the clock and the mail server.
struct NotifierFixture {
    let clock = ManualClock()
    let store: NotifierStore
    let masterKeys: ReloadingMasterKeyRing
    let place: StoreLocation
    var directory: TemporaryDirectory { place.directory }
    let sent = SentMessages()
    /// Identity, which has every project and records changes of keys.
    let identity = ScriptedMesh(as: .notifier)
    let metrics = Metrics()
    let activity = ActivityCounts()
    let counters: DeliveryMetrics

    /// Records the messages that the fake server received, and holds its responses.
    final class SentMessages: Sendable {
        let all = Mutex<[LeasedMessage]>([])
        let outcomes = Mutex<[DeliveryOutcome]>([])

        var ids: [MessageID] { all.withLock { $0.map(\.message.id) } }
    }

    init(_ engine: StoreEngine = .memory) async throws {
        place = try await StoreLocation(engine, name: "notifier", migrations: NotifierMigrations.all)
        masterKeys = try ReloadingMasterKeyRing(.variable(.init(.random())))
        store = try await NotifierStore(try await place.open(), keys: masterKeys)
        counters = DeliveryMetrics(metrics, activity: activity, instant: { [clock] in clock.instant })
        identity.reply(to: Identity.ResolveConfiguration.self) { _ in
            .init(configuration: .init(), projectNumber: "1", isDisabled: false)
        }
        identity.reply(to: Identity.RecordNotifierChange.self) { _ in EmptyReply() }
    }

    var auditedChanges: NotifierChangeOutbox {
        NotifierChangeOutbox(in: store, peers: identity, log: Log(instance: "notifier.1", write: { _ in }))
    }

    func service(
        limits: EmailLimits = .init(perRecipient: nil, perProject: nil), unconfiguredChannels: Set<Channel> = [],
        receipts: DeliveryReceiptVerifier? = nil, wakeDelivery: @escaping @Sendable (Channel) -> Void = { _ in },
        isDev: Bool = true
    ) -> NotifierService {
        NotifierService(
            dependencies: .init(
                now: { [clock] in clock.now }, randomBytes: Random.bytes, store: store, limits: limits,
                counters: counters, unconfiguredChannels: unconfiguredChannels, receipts: receipts,
                wakeDelivery: wakeDelivery, webhookMetrics: WebhookMetrics(metrics), wakeWebhooks: {}, peers: identity,
                auditedChanges: auditedChanges, isDev: isDev))
    }

    /// Sends the request as the bus does.
    func send<Request: BusRequest>(
        _ request: Request, of service: NotifierService? = nil, idempotencyKey: String? = nil
    ) async throws -> Request.Reply where Request.Operation == Notifier.Operation {
        let call = try BusCall(request, deadline: clock.now + .seconds(5), idempotencyKey: idempotencyKey)
        return try await (service ?? self.service()).handle(Request.operation, call).result()
    }

    /// A fake server that replies with the outcomes of the test and then accepts everything.
    func transport(_ channel: Notifier.Channel = .email, concurrency: Int = 4) -> Transport {
        Transport(
            channel: channel,
            deliver: { [sent] leased in
                sent.all.withLock { $0.append(leased) }
                return sent.outcomes.withLock { $0.isEmpty ? .delivered : $0.removeFirst() }
            }, concurrency: concurrency, attemptTimeout: .seconds(60))
    }

    /// A second store on the same database, as in another process.
    func other() async throws -> NotifierStore { try await NotifierStore(try await place.open(), keys: masterKeys) }

    func worker(
        _ instance: String, _ transport: Transport, on store: NotifierStore? = nil,
        interval: Duration = .milliseconds(5)
    ) -> DeliveryLoop<MessageOutbox> {
        let log = Log(instance: instance, write: { _ in })
        return MessageOutbox(
            store ?? self.store, transport, holder: LeaseHolder(text: instance), counters: counters, log: log
        ).loop(
            every: interval,
            DeliveryEnvironment(
                now: { [clock] in clock.now }, instant: { [clock] in clock.instant }, jitter: { 0 },
                hasEnded: { _ in false }, log: log))
    }

    /// Runs delivery workers until `body` ends.
    func running(_ workers: [DeliveryLoop<MessageOutbox>], _ body: () async throws -> Void) async throws {
        let tasks = workers.map { worker in Task { try await worker.run() } }
        let result: Result<Void, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        for worker in workers { await worker.beginShutdown() }
        for task in tasks { try await task.value }
        try result.get()
    }

    func deliveries(of project: String = "p") async throws -> [Notifier.DeliveryRecord] {
        try await store.deliveries(of: ProjectID(project), limit: 500)
    }

    /// The number of messages and events that a worker attempts now.
    func leaseCount() async throws -> Int {
        try await store.database.read { transaction in
            try ["outbox", "webhook_queues"].reduce(0) { sum, table in
                let row = try transaction.firstRow(
                    "SELECT COUNT(*) AS count FROM \(table) WHERE lease_holder IS NOT NULL")
                return sum + (try row?.get("count") as Int? ?? 0)
            }
        }
    }

    /// Moves the clocks as far as the workers can follow, however slow the machine is.
    ///
    /// Nothing moves while an attempt is in flight: its lease ends by the wall clock, and the row would be attempted
    /// again. While a row is due, only the steady clock moves, by which outages end: the wall clock could pass the time at
    /// which the row expires before a worker has seen it, and then no worker attempts it.
    func advanceBetweenAttempts(by duration: Duration) async throws {
        let now = clock.now
        // In one transaction: a row that a worker leases between two would be neither due nor leased.
        let (leased, due) = try await store.database.read { transaction in
            let rows = try ["outbox", "webhook_queues"].flatMap { table in
                try transaction.rows("SELECT due_at, paused_at, lease_holder FROM \(table)").map { row in
                    (
                        dueAt: try row.get("due_at") as Moment, pausedAt: try row.get("paused_at") as Moment,
                        holder: try row.getIfPresent("lease_holder") as String?
                    )
                }
            }
            let waiting = rows.filter { $0.holder == nil }
            return (
                rows.count - waiting.count,
                waiting.count { $0.dueAt <= now || $0.pausedAt > now + Moment.pauseTolerance }
            )
        }
        if leased > 0 { return }
        if due > 0 { clock.advanceSteady(by: duration) } else { clock.advance(by: duration) }
    }
}
