import Contracts
package import ServiceRuntime
package import Vocabulary

/// What mfa-totp does of itself: every minute it sweeps out enrolments that are past their time, and every hour it asks
/// identity which factors are still listed, and removes the secrets of those that have not been for a day.
package struct TOTPUpkeep: RunningPart {
    private static let sweepInterval = Duration.seconds(60)
    private static let comparisonInterval = Duration.seconds(3600)
    /// A start has more urgent things to do.
    private static let firstComparison = Duration.seconds(300)
    /// As many accounts as identity finds at a time.
    static let page = Identity.FindAccounts.maximumCriteria

    private let store: TOTPStore
    private let identity: AskIdentity
    private let now: @Sendable () -> Moment
    private let log: Log
    /// Ends when the process stops.
    private let running: (stream: AsyncStream<Never>, continuation: AsyncStream<Never>.Continuation)

    package init(_ store: TOTPStore, identity: AskIdentity, now: @escaping @Sendable () -> Moment, log: Log) {
        self.store = store
        self.identity = identity
        self.now = now
        self.log = log
        running = AsyncStream.makeStream(of: Never.self)
    }

    package func run() async throws {
        await withTaskGroup { group in
            group.addTask {
                await repeating(every: Self.sweepInterval, from: Self.sweepInterval) {
                    try await store.sweep(at: now())
                }
            }
            group.addTask {
                await repeating(every: Self.comparisonInterval, from: Self.firstComparison) {
                    let removed = try await compare()
                    if removed > 0 { log.info("totp.secrets-removed", ["count": .public(removed)]) }
                }
            }
            for await _ in running.stream {}
            group.cancelAll()
        }
    }

    package func beginShutdown() async {
        running.continuation.finish()
    }

    private func repeating(
        every interval: Duration, from first: Duration, _ round: @Sendable () async throws -> Void
    ) async {
        var pause = first
        // The only error of a sleep is its cancellation, which is how this ends.
        while (try? await Task.sleep(for: pause)) != nil {
            pause = interval
            do {
                try await round()
            } catch {
                guard !Task.isCancelled else { return }
                // Told and tried again: nothing is lost without a round.
                log.error("totp.upkeep-failed", ["error": .kind(of: error)])
            }
        }
    }

    /// Compares all factors with what identity lists, a page at a time. A failure ends the round: nobody is taken for
    /// gone because identity did not answer.
    /// - Returns: how many were removed.
    @discardableResult
    func compare() async throws -> Int {
        var removed = 0
        var last: TOTPFactorKey?
        repeat {
            let keys = try await store.factors(after: last, limit: Self.page)
            for (realm, keys) in Dictionary(grouping: keys, by: \.owner.realm) {
                let listed = try await listed(keys, in: realm)
                removed += try await store.note(listed: listed, unlisted: Set(keys).subtracting(listed), at: now())
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
        }
        let listed = accounts.flatMap { account in
            account.secondFactors.filter { $0.kind == .totp }.map { factor in
                TOTPFactorKey(owner: TOTPOwner(realm: realm, accountID: account.id), id: factor.id)
            }
        }
        return Set(listed).intersection(keys)
    }
}
