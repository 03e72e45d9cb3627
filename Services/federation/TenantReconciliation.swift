import Bus
import Contracts
package import ServiceRuntime
package import Vocabulary

/// Deletes the providers of tenants that identity has not had for a day.
package struct TenantReconciliation: Sendable {
    /// The number of tenants that are read at a time.
    static let page = 100

    private let store: FederationStore
    private let peers: PeerClient
    private let log: Log

    package init(_ store: FederationStore, peers: PeerClient, log: Log) {
        self.store = store
        self.peers = peers
        self.log = log
    }

    /// Checks all tenants with providers.
    /// - Returns: the number of deleted providers.
    /// - Throws: errors of identity or the store. A missing reply of identity deletes nothing.
    @discardableResult
    package func reconcile(at now: Moment) async throws -> Int {
        var removed = 0
        var last: Realm?
        repeat {
            let tenants = try await store.tenants(after: last, limit: Self.page)
            for tenant in tenants {
                removed += try await store.recordListing(of: tenant, isListed: isListed(tenant), at: now)
            }
            last = tenants.count == Self.page ? tenants.last : nil
        } while last != nil
        if removed > 0 { log.info("federation.providers-deleted", ["count": .public(removed)]) }
        return removed
    }

    private func isListed(_ tenant: Realm) async throws -> Bool {
        do {
            _ = try await peers.resolveConfiguration(
                .init(realm: tenant), CallOptions(trace: .random(), timeout: .seconds(5)))
            return true
        } catch let error as ServiceError where error.code == .tenantNotFound {
            return false
        } catch let error as ServiceError where error.code == .projectNotFound {
            // Projects are never deleted: an older backup of identity was restored. The providers stay.
            return true
        }
    }
}
