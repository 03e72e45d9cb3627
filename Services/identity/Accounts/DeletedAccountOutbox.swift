import Bus
import Contracts
import Delivery
import ServiceRuntime
import Tracing
import Vocabulary

extension AccountDataHolder: DeliveryReceiver {}

/// The deleted accounts, for the services that store something about accounts, until each has replied. Any number of
/// processes may send the same rows: a service may be told twice.
struct DeletedAccountOutbox: Outbox {
    /// What one request says.
    struct Item: Equatable, Sendable {
        var holder: AccountDataHolder
        var realm: Realm
        var accounts: [DeletedAccount]
    }

    static let limits = DeliveryLimits.service(attempts: AccountDataHolder.allCases.count, perReceiver: 1)
    /// The time for one request.
    static let timeout = Duration.seconds(5)
    /// In one request.
    static let maximumAccounts = Passkey.ForgetAccounts.maximumCount

    private let store: IdentityStore
    private let peers: any BusRequestSending
    private let now: @Sendable () -> Moment
    private let metrics: Metrics
    private let log: Log

    init(
        _ store: IdentityStore, peers: any BusRequestSending, now: @escaping @Sendable () -> Moment, metrics: Metrics,
        log: Log
    ) {
        self.store = store
        self.peers = peers
        self.now = now
        self.metrics = metrics
        self.log = log
        for holder in AccountDataHolder.allCases {
            for result in Result.allCases { counter(result, holder).increment(by: 0) }
            set(Backlog(), holder, at: now())
        }
    }

    var name: String { "deleted-accounts" }

    func receivers(at now: Moment) async throws -> [AccountDataHolder] {
        try await store.hasDeletedAccounts() ? AccountDataHolder.allCases : []
    }

    /// The accounts of one realm.
    func lease(upTo count: Int, for holder: AccountDataHolder, at now: Moment) async throws -> [Item] {
        let accounts = try await store.deletedAccounts(unknownTo: holder, limit: Self.maximumAccounts)
        return accounts.first.map { [Item(holder: holder, realm: $0.key, accounts: $0.value)] } ?? []
    }

    func attempt(_ item: Item) async -> HandoverOutcome {
        await HandoverOutcome.of {
            switch item.holder {
            case .passkey: try await send(item, to: Passkey.self)
            case .mfaTOTP: try await send(item, to: MFATOTP.self)
            case .mfaSMS: try await send(item, to: MFASMS.self)
            }
        }.outcome
    }

    /// Returns when the service has deleted what it stored about the accounts. The same request again changes nothing.
    private func send<Service: AccountDataService>(_ item: Item, to _: Service.Type) async throws(ServiceError) {
        _ = try await peers.send(
            ForgetAccounts<Service>(realm: item.realm, accounts: item.accounts), trace: .current,
            timeout: Self.timeout)
    }

    func report(_ outcome: HandoverOutcome, of item: Item) -> ReceiverReport { outcome.reportOfFirstRows }

    func record(_ outcome: HandoverOutcome, of item: Item, at now: Moment, jitter: Double) async throws {
        switch outcome {
        case .accepted:
            try await store.acknowledge(item.accounts, of: item.realm, by: item.holder)
            counter(.accepted, item.holder).increment(by: Double(item.accounts.count))
        case .failed(let code), .rejected(let code):
            counter(.failed, item.holder).increment()
            log.errorOnceAMinute(
                .accountDeletionNotAccepted, about: item.holder.rawValue,
                ["receiver": .public(item.holder.rawValue), "error": .public(code.rawValue)])
        case .unavailable, .interrupted: break
        }
    }

    func show(_ change: OutageChange, of holder: AccountDataHolder, at now: Moment) async {
        show(change, ofService: holder.rawValue, in: log)
    }

    // MARK: Metrics

    private enum Result: String, CaseIterable {
        case accepted, failed
    }

    private func counter(_ result: Result, _ holder: AccountDataHolder) -> Metrics.Counter {
        metrics.counter(
            "latchkey_identity_account_deletions_total", ["receiver": holder.rawValue, "result": result.rawValue])
    }

    private func set(_ backlog: Backlog, _ holder: AccountDataHolder, at now: Moment) {
        metrics.set(
            backlog, count: "latchkey_identity_pending_account_deletions",
            age: "latchkey_identity_oldest_pending_account_deletion_seconds", ["receiver": holder.rawValue], at: now)
    }

    var maintenanceTasks: [MaintenanceTask] {
        [
            MaintenanceTask("account-deletion-metrics", every: .seconds(5)) {
                try await measure(at: now())
            }
        ]
    }

    func measure(at now: Moment) async throws {
        let backlog = try await store.deletionBacklog()
        for holder in AccountDataHolder.allCases { set(backlog[holder, default: Backlog()], holder, at: now) }
    }
}
