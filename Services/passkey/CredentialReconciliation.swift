import Bus
import Contracts
package import ServiceRuntime
package import Vocabulary

/// Compares the credentials with the passkeys that identity lists, and deletes those that it has not listed for a day.
package struct CredentialReconciliation: Sendable {
    /// The number of accounts that identity finds at a time.
    static let page = Identity.FindAccounts.maximumCriteria

    private let store: PasskeyStore
    private let peers: PeerClient
    private let log: Log

    package init(_ store: PasskeyStore, peers: PeerClient, log: Log) {
        self.store = store
        self.peers = peers
        self.log = log
    }

    /// Compares all credentials, a page at a time.
    /// - Returns: the number of deleted credentials.
    /// - Throws: errors of identity or the store. A missing reply of identity deletes nothing.
    @discardableResult
    package func reconcile(at now: Moment) async throws -> Int {
        var removed = 0
        var last: PasskeyCredentialKey?
        repeat {
            let keys = try await store.credentials(after: last, limit: Self.page)
            for (realm, keys) in Dictionary(grouping: keys, by: \.realm) {
                let listed = try await listed(keys, in: realm)
                removed += try await store.recordListing(
                    listed: listed, unlisted: Set(keys).subtracting(listed), at: now)
            }
            last = keys.count == Self.page ? keys.last : nil
        } while last != nil
        if removed > 0 { log.info("passkey.credentials-deleted", ["count": .public(removed)]) }
        return removed
    }

    /// The credentials among `keys` that identity lists.
    private func listed(_ keys: [PasskeyCredentialKey], in realm: Realm) async throws -> Set<PasskeyCredentialKey> {
        do {
            let listed = try await peers.listedCredentials(
                of: Set(keys.map(\.accountID)), in: realm, CallOptions(trace: .random(), timeout: .seconds(5)))
            return listed.intersection(keys)
        } catch let error as ServiceError where error.code == .projectNotFound {
            // Projects are never deleted: an older backup of identity was restored. The credentials stay.
            return Set(keys)
        }
    }
}

extension PeerClient {
    /// The passkeys that identity lists for accounts. An unknown account has none.
    /// - Throws: errors of `findAccounts`, but not `tenantNotFound`: the accounts of the tenant are deleted with it.
    func listedCredentials(
        of accounts: Set<AccountID>, in realm: Realm, _ options: CallOptions
    ) async throws -> Set<PasskeyCredentialKey> {
        let found: [Account]
        do {
            found = try await findAccounts(
                .init(realm: realm, criteria: accounts.sorted().map { .accountID($0) }), options
            ).accounts
        } catch let error as ServiceError where error.code == .tenantNotFound {
            found = []
        }
        let listed = found.flatMap { account in
            account.passkeys.map { PasskeyCredentialKey(id: $0.credentialID, realm: realm, accountID: account.id) }
        }
        return Set(listed)
    }
}
