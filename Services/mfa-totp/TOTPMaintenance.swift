import Contracts
package import ServiceRuntime
package import Vocabulary

/// What mfa-totp does of itself: every minute it sweeps out enrolments that are past their time, and every hour it asks
/// identity which factors are still listed, and removes the secrets of those that have not been for a day.
package struct TOTPMaintenance: ProcessComponent {
    private static let sweepInterval = Duration.seconds(60)
    private static let reconciliationInterval = Duration.seconds(3600)
    /// A start has more urgent things to do.
    private static let initialReconciliationDelay = Duration.seconds(300)
    /// As many accounts as identity finds at a time.
    static let page = Identity.FindAccounts.maximumCriteria

    private let store: TOTPStore
    private let identity: IdentityClient
    private let trustedNow: @Sendable () async throws -> Moment?
    private let log: Log
    private let stop = StopSignal()

    /// - Parameter trustedNow: nil while the clock is in doubt; then nothing is removed.
    package init(
        _ store: TOTPStore, identity: IdentityClient, trustedNow: @escaping @Sendable () async throws -> Moment?,
        log: Log
    ) {
        self.store = store
        self.identity = identity
        self.trustedNow = trustedNow
        self.log = log
    }

    package func run() async throws {
        let failed: @Sendable (any Error) -> Void = { [log] in
            log.error("mfa-totp.maintenance-failed", ["error": .kind(of: $0)])
        }
        await stop.run(
            PeriodicTask(every: Self.sweepInterval, failed: failed) {
                if let now = try await trustedNow() { try await store.sweep(at: now) }
            }.run,
            PeriodicTask(every: Self.reconciliationInterval, after: Self.initialReconciliationDelay, failed: failed) {
                let removed = try await reconcile()
                if removed > 0 { log.info("totp.secrets-deleted", ["count": .public(removed)]) }
            }.run)
    }

    package func beginShutdown() async {
        stop.raise()
    }

    /// Compares all factors with what identity lists, a page at a time. A failure ends the round: nobody is taken for
    /// gone because identity did not answer.
    /// - Returns: how many were removed.
    @discardableResult
    func reconcile() async throws -> Int {
        guard let now = try await trustedNow() else { return 0 }
        var removed = 0
        var last: TOTPFactorKey?
        repeat {
            let keys = try await store.factors(after: last, limit: Self.page)
            for (realm, keys) in Dictionary(grouping: keys, by: \.owner.realm) {
                let listed = try await listed(keys, in: realm)
                removed += try await store.recordListing(
                    listed: listed, unlisted: Set(keys).subtracting(listed), at: now)
            }
            last = keys.count == Self.page ? keys.last : nil
        } while last != nil
        return removed
    }

    /// Those of some factors of a realm that identity lists.
    private func listed(_ keys: [TOTPFactorKey], in realm: Realm) async throws -> Set<TOTPFactorKey> {
        let ids = Set(keys.map(\.owner.accountID))
        let accounts: [Account]
        do {
            accounts = try await identity.findAccounts(
                .init(realm: realm, criteria: ids.sorted().map { .accountID($0) }), .random(), .seconds(5)
            ).accounts
        } catch let error as WireError where error.code == .tenantNotFound {
            accounts = []  // Deleted, and its accounts with it.
        } catch let error as WireError where error.code == .projectNotFound {
            // Projects are not deleted: identity was set back to a time before this one. Nothing is concluded from
            // that.
            return Set(keys)
        }
        let listed = accounts.flatMap { account in
            account.secondFactors.filter { $0.kind == .totp }.map { factor in
                TOTPFactorKey(owner: TOTPAccountKey(realm: realm, accountID: account.id), id: factor.id)
            }
        }
        return Set(listed).intersection(keys)
    }
}
