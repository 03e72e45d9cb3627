import Bus
import Contracts
import DatabaseService
import ServiceRuntime
import Vocabulary

extension Reconciliation<PasskeyCredentialKey> {
    /// Deletes credentials that identity does not list as passkeys.
    init(_ store: PasskeyStore, peers: any BusRequestSending, log: Log) {
        self.init(store.listing, event: .passkeyCredentialsDeleted, log: log) { keys, realm, options in
            Array(try await peers.listedCredentials(of: Set(keys.map(\.accountID)), in: realm, options))
        }
    }
}

extension BusRequestSending {
    /// The passkeys that identity lists for accounts. An unknown account has none.
    /// - Throws: errors of `findAccounts`, but not `tenantNotFound`: the accounts of the tenant are deleted with it.
    func listedCredentials(
        of accounts: Set<AccountID>, in realm: Realm, _ options: CallOptions
    ) async throws -> Set<PasskeyCredentialKey> {
        let found: [Account]
        do {
            found = try await send(
                Identity.FindAccounts(realm: realm, criteria: accounts.sorted().map { .accountID($0) }), options
            ).accounts
        } catch {
            guard error.code == .tenantNotFound else { throw error }
            found = []
        }
        let listed = found.flatMap { account in
            account.passkeys.map { PasskeyCredentialKey(id: $0.credentialID, realm: realm, accountID: account.id) }
        }
        return Set(listed)
    }
}
