import Bus
import Contracts
import DatabaseService
import ServiceRuntime
import Vocabulary

extension Reconciliation<ProviderTenant> {
    /// Deletes the providers of tenants that identity does not have.
    init(_ store: FederationStore, peers: any BusRequestSending, log: Log) {
        self.init(store.listing, event: .federationProvidersDeleted, log: log) { tenants, realm, options in
            _ = try await peers.send(Identity.ResolveConfiguration(realm: realm), options)
            return tenants
        }
    }
}
