import Bus
import Contracts
import Delivery
import ServiceRuntime
import Storage
import Vocabulary

/// The e-mails that identity has committed, for the notifier, which accepts each ID once.
struct EmailOutbox: Outbox {
    static let limits = DeliveryLimits.service(attempts: 16)
    /// The time for one request.
    static let timeout = Duration.seconds(5)
    /// Longer than an attempt takes. After it another process sends the e-mail again.
    static let lease = Duration.seconds(15)
    /// After the notifier failed on an e-mail.
    private static let backoff = Backoff(first: .seconds(1), longest: .seconds(5 * 60))

    private let store: IdentityStore
    private let peers: any BusRequestSending
    private let holder: LeaseHolder
    private let now: @Sendable () -> Moment
    private let metrics: Metrics
    private let log: Log

    /// - Parameter holder: unique among all processes that ever shared the database, also across restarts.
    init(
        _ store: IdentityStore, peers: any BusRequestSending, holder: LeaseHolder,
        now: @escaping @Sendable () -> Moment,
        metrics: Metrics, log: Log
    ) {
        self.store = store
        self.peers = peers
        self.holder = holder
        self.now = now
        self.metrics = metrics
        self.log = log
        for result in Result.allCases { counter(result).increment(by: 0) }
    }

    var name: String { "mails" }

    func receivers(at now: Moment) async throws -> [SoleReceiver] {
        try await store.hasDueEmails(at: now) ? [.sole] : []
    }

    func lease(upTo count: Int, for receiver: SoleReceiver, at now: Moment) async throws -> [LeasedEmail] {
        try await store.leaseEmails(upTo: count, to: holder.text, for: Self.lease, at: now)
    }

    static var interrupted: HandoverOutcome? { HandoverOutcome.interrupted }

    /// - Returns: nil if there was nothing to send.
    func attempt(_ leased: LeasedEmail) async -> HandoverOutcome? {
        guard let mail = leased.mail else { return .rejected(.internal) }
        guard !mail.content.isDecoy else { return nil }
        // The reply comes when the notifier has stored the e-mail. The same idempotency key again changes nothing.
        return await HandoverOutcome.of {
            try await peers.send(
                mail.content.email, trace: mail.content.trace.child(), timeout: Self.timeout, idempotencyKey: mail.id)
        }.outcome
    }

    func origins(of leased: LeasedEmail) -> [TraceContext] { leased.mail.map { [$0.content.trace] } ?? [] }

    func report(_ outcome: HandoverOutcome?, of leased: LeasedEmail) -> ReceiverReport {
        leased.mail == nil ? .nothing : outcome?.report ?? .nothing
    }

    func record(
        _ outcome: HandoverOutcome?, of leased: LeasedEmail, at now: Moment, jitter: Double
    ) async throws {
        switch outcome {
        case .accepted:
            try await store.deleteEmail(leased.id)
            counter(.accepted).increment()
        case nil: try await store.deleteEmail(leased.id)
        case .rejected(let code):
            try await store.deleteEmail(leased.id)
            counter(.rejected).increment()
            log.error(
                .mailRejected,
                [
                    "mail": .public(leased.id), "error": .public(code.rawValue),
                    "purpose": .public(leased.mail?.content.email.purpose.rawValue ?? "-"),
                ], trace: leased.mail?.content.trace)
        case .failed(let code):
            let delay = Self.backoff.delay(forAttempt: Int(clamping: leased.lease.number), jitter: 1)
            try await store.releaseEmail(leased, dueAt: now + delay, at: now)
            counter(.failed).increment()
            log.warn(
                .mailNotAccepted, ["mail": .public(leased.id), "error": .public(code.rawValue)],
                trace: leased.mail?.content.trace)
        case .unavailable, .interrupted: try await store.releaseEmail(leased, dueAt: now, at: now)
        }
    }

    func releaseLeases(
        ofEndedProcesses hasEnded: @escaping @Sendable (String) -> Bool, at now: Moment
    ) async throws -> Int {
        try await store.releaseEmails(ofEndedProcesses: hasEnded, at: now)
    }

    func show(_ change: OutageChange, of receiver: SoleReceiver, at now: Moment) async {
        show(change, ofService: "notifier", in: log)
    }

    // MARK: Maintenance

    private enum Result: String, CaseIterable {
        case accepted, failed, rejected, expired
    }

    private func counter(_ result: Result) -> Metrics.Counter {
        metrics.counter("latchkey_identity_mails_total", ["result": result.rawValue])
    }

    /// - Parameter clock: while it is not trusted, no expired e-mail is deleted.
    func maintenanceTasks(trusting clock: TrustedClock) -> [MaintenanceTask] {
        [
            MaintenanceTask("mail-metrics", every: .seconds(5)) { try await measure(at: now()) },
            MaintenanceTask("mail-expiry", every: .seconds(60), trusting: clock, deleteExpired),
        ]
    }

    private func measure(at now: Moment) async throws {
        metrics.set(
            try await store.emailBacklog(), count: "latchkey_identity_pending_mails",
            age: "latchkey_identity_oldest_pending_mail_seconds", at: now)
    }

    /// Deletes e-mails whose links have expired.
    func deleteExpired(at now: Moment) async throws {
        var hasMore = true
        while hasMore {
            let expired = try await store.deleteExpiredEmails(at: now)
            hasMore = expired.hasMore
            guard expired.lost > 0 else { continue }
            counter(.expired).increment(by: Double(expired.lost))
            log.error(.mailExpired, ["count": .public(expired.lost)])
        }
    }
}
