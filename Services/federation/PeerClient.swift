package import Bus
import Contracts

/// The requests of federation to identity.
package struct PeerClient: Sendable {
    var resolveConfiguration: PeerCall<Identity.ResolveConfiguration>
    var signInWithProvider: PeerCall<Identity.SignInWithProvider>
    var lookUpOwnAccount: PeerCall<Identity.LookUpOwnAccount>
    var findAccounts: PeerCall<Identity.FindAccounts>
    var updateAccount: PeerCall<Identity.UpdateAccount>
    var recordProviderChange: PeerCall<Identity.RecordProviderChange>
}

extension PeerClient {
    /// The requests over the bus.
    package init(_ client: BusClient) {
        self.init(
            resolveConfiguration: client.call(), signInWithProvider: client.call(), lookUpOwnAccount: client.call(),
            findAccounts: client.call(), updateAccount: client.call(), recordProviderChange: client.call())
    }
}
