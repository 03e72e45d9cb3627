package import Bus
import Contracts

/// The requests of mfa-totp to identity.
package struct PeerClient: Sendable {
    var checkEnrollment: PeerCall<Identity.CheckEnrollment>
    var enrollFactor: PeerCall<Identity.EnrollFactor>
    var resolvePendingSignIn: PeerCall<Identity.ResolvePendingSignIn>
    var completeSignIn: PeerCall<Identity.CompleteSignIn>
    var findAccounts: PeerCall<Identity.FindAccounts>
}

extension PeerClient {
    /// The requests over the bus.
    package init(_ client: BusClient) {
        self.init(
            checkEnrollment: client.call(), enrollFactor: client.call(), resolvePendingSignIn: client.call(),
            completeSignIn: client.call(), findAccounts: client.call())
    }
}
