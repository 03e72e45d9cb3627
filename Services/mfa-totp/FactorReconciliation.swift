import Bus
import Contracts
import DatabaseService
import ServiceRuntime

extension Reconciliation<TOTPFactorKey> {
    /// Deletes secrets of factors that identity does not list.
    init(_ store: TOTPStore, peers: any BusRequestSending, log: Log) {
        self.init(store.listing, event: .totpSecretsDeleted, log: log) { keys, realm, options in
            let ids = Set(keys.map(\.owner.accountID)).sorted()
            let found = try await peers.send(
                Identity.FindAccounts(realm: realm, criteria: ids.map { .accountID($0) }), options)
            return found.accounts.flatMap { account in
                account.secondFactors.filter { $0.kind == .totp }.map { factor in
                    TOTPFactorKey(owner: TOTPAccountKey(realm: realm, accountID: account.id), id: factor.id)
                }
            }
        }
    }
}
