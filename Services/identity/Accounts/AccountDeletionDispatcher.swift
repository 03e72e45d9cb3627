package import Contracts
package import ServiceRuntime
import Synchronization
package import Vocabulary

/// Tells the services that store something about accounts which accounts were deleted, until each has replied. Any number of
/// dispatchers, in several processes, read one table: a service may be told twice.
package final class AccountDeletionDispatcher: Sendable {
    package struct Dependencies: Sendable {
        package var store: IdentityStore
        /// Returns when the service has deleted what it stored about the accounts. The same request again changes nothing.
        package var send: @Sendable (AccountDataHolder, Realm, [DeletedAccount]) async throws(WireError) -> Void
        package var now: @Sendable () -> Moment
        package var instant: @Sendable () -> ContinuousClock.Instant
        /// 0 ..< 1.
        package var jitter: @Sendable () -> Double
        package var metrics: Metrics
        package var log: Log

        package init(
            store: IdentityStore,
            send: @escaping @Sendable (AccountDataHolder, Realm, [DeletedAccount]) async throws(WireError) -> Void,
            now: @escaping @Sendable () -> Moment, instant: @escaping @Sendable () -> ContinuousClock.Instant,
            jitter: @escaping @Sendable () -> Double, metrics: Metrics, log: Log
        ) {
            self.store = store
            self.send = send
            self.now = now
            self.instant = instant
            self.jitter = jitter
            self.metrics = metrics
            self.log = log
        }
    }

    private static let interval = Duration.seconds(1)
    private static let measuringInterval = Duration.seconds(5)
    /// Of one request.
    package static let timeout = Duration.seconds(5)
    /// In one request.
    static let maximumAccounts = Passkey.ForgetAccounts.maximumCount

    private let dependencies: Dependencies
    private let states = Mutex<[AccountDataHolder: EnqueueState]>([:])

    package init(_ dependencies: Dependencies) {
        self.dependencies = dependencies
        for holder in AccountDataHolder.allCases {
            for result in Result.allCases { counter(result, holder).increment(by: 0) }
            set(.init(), holder)
        }
    }

    /// Part of the maintenance of the service, apart from tasks that must not wait.
    package var maintenanceTasks: [MaintenanceTask] {
        [
            MaintenanceTask("account-deletions", every: Self.interval, dispatch),
            MaintenanceTask("account-deletion-metrics", every: Self.measuringInterval, measure),
        ]
    }

    /// Tells each service what it does not know yet.
    /// - Throws: errors of the store.
    func dispatch() async throws {
        guard try await dependencies.store.hasDeletedAccounts() else { return }
        for holder in AccountDataHolder.allCases {
            while try await dispatch(to: holder), !Task.isCancelled {}
        }
    }

    /// - Returns: whether there may be more to do at once.
    private func dispatch(to holder: AccountDataHolder) async throws -> Bool {
        let room = states.withLock { $0[holder, default: .init()].room(at: dependencies.instant()) }
        guard room > 0 else { return false }
        let accounts = try await dependencies.store.deletedAccounts(unknownTo: holder, limit: Self.maximumAccounts)
        for (realm, accounts) in accounts {
            guard try await tell(holder, realm, accounts) else { return false }
        }
        return accounts.reduce(0) { $0 + $1.value.count } == Self.maximumAccounts
    }

    /// - Returns: whether the service has replied.
    private func tell(_ holder: AccountDataHolder, _ realm: Realm, _ accounts: [DeletedAccount]) async throws -> Bool {
        var outcome = EnqueueOutcome.accepted
        do throws(WireError) {
            try await dependencies.send(holder, realm, accounts)
        } catch {
            outcome = Task.isCancelled ? .interrupted : EnqueueOutcome(error)
        }
        record(outcome, of: holder)
        switch outcome {
        case .accepted:
            // A stop does not cancel it: the service has deleted its rows.
            try await Task { [store = dependencies.store] in
                try await store.acknowledge(accounts, of: realm, by: holder)
            }.value
            counter(.accepted, holder).increment(by: Double(accounts.count))
            return true
        case .failed(let code), .rejected(let code):
            counter(.failed, holder).increment()
            dependencies.log.errorOnceAMinute(
                "account-deletion.not-accepted", about: holder.rawValue,
                ["receiver": .public(holder.rawValue), "error": .public(code.rawValue)])
            return false
        case .receiverUnavailable, .interrupted, .dropped: return false
        }
    }

    private func record(_ outcome: EnqueueOutcome, of holder: AccountDataHolder) {
        let change = states.withLock { states in
            states[holder, default: .init()].record(
                [outcome], at: dependencies.instant(), jitter: dependencies.jitter())
        }
        switch change {
        case .began(let code):
            dependencies.log.warn(
                "account-deletion.receiver-unavailable",
                ["receiver": .public(holder.rawValue), "error": .public(code.rawValue)])
        case .ended(let duration):
            dependencies.log.info(
                "account-deletion.receiver-available",
                [
                    "receiver": .public(holder.rawValue), "outageInSeconds": .public(duration.components.seconds),
                ])
        case nil: break
        }
    }

    // MARK: Metrics

    private enum Result: String, CaseIterable {
        case accepted, failed
    }

    private func counter(_ result: Result, _ holder: AccountDataHolder) -> Metrics.Counter {
        dependencies.metrics.counter(
            "latchkey_identity_account_deletions_total", ["receiver": holder.rawValue, "result": result.rawValue])
    }

    private func set(_ backlog: IdentityStore.DeletionBacklog, _ holder: AccountDataHolder) {
        let labels = ["receiver": holder.rawValue]
        dependencies.metrics.gauge("latchkey_identity_pending_account_deletions", labels).set(Double(backlog.count))
        let age = backlog.oldest.map { Double(max(0, dependencies.now().milliseconds(since: $0))) / 1000 }
        dependencies.metrics.gauge("latchkey_identity_oldest_pending_account_deletion_seconds", labels).set(age ?? 0)
    }

    func measure() async throws {
        let backlog = try await dependencies.store.deletionBacklog()
        for holder in AccountDataHolder.allCases { set(backlog[holder, default: .init()], holder) }
    }
}
