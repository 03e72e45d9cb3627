import Bus
import Contracts
package import ServiceRuntime
package import Vocabulary

/// Compares the factors with those that identity lists, and deletes secrets that it has not listed for a day.
package struct FactorReconciliation: Sendable {
    /// The number of accounts that identity finds at a time.
    static let page = Identity.FindAccounts.maximumCriteria

    private let store: TOTPStore
    private let peers: PeerClient
    private let log: Log

    package init(_ store: TOTPStore, peers: PeerClient, log: Log) {
        self.store = store
        self.peers = peers
        self.log = log
    }

    /// Compares all factors, a page at a time.
    /// - Returns: the number of deleted factors.
    /// - Throws: errors of identity or the store. A missing reply of identity deletes nothing.
    @discardableResult
    package func reconcile(at now: Moment) async throws -> Int {
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
        if removed > 0 { log.info("totp.secrets-deleted", ["count": .public(removed)]) }
        return removed
    }

    /// The factors among `keys` that identity lists.
    private func listed(_ keys: [TOTPFactorKey], in realm: Realm) async throws -> Set<TOTPFactorKey> {
        let ids = Set(keys.map(\.owner.accountID))
        let accounts: [Account]
        do {
            accounts = try await peers.findAccounts(
                .init(realm: realm, criteria: ids.sorted().map { .accountID($0) }),
                CallOptions(trace: .random(), timeout: .seconds(5))
            ).accounts
        } catch let error as ServiceError where error.code == .tenantNotFound {
            accounts = []  // The tenant and its accounts are deleted.
        } catch let error as ServiceError where error.code == .projectNotFound {
            // Projects are never deleted: an older backup of identity was restored. The factors stay.
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
