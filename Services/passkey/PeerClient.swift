package import Bus
import Contracts

/// The requests of the passkey service to identity.
package struct PeerClient: Sendable {
    var resolveConfiguration: PeerCall<Identity.ResolveConfiguration>
    var verifyIDToken: PeerCall<Identity.VerifyIDToken>
    var findAccounts: PeerCall<Identity.FindAccounts>
    var checkPasskeyEnrollment: PeerCall<Identity.CheckPasskeyEnrollment>
    var enrollPasskey: PeerCall<Identity.EnrollPasskey>
    var signInWithPasskey: PeerCall<Identity.SignInWithPasskey>
    var recordRefusedSignIn: PeerCall<Identity.RecordRefusedSignIn>
}

extension PeerClient {
    /// The requests over the bus.
    package init(_ client: BusClient) {
        self.init(
            resolveConfiguration: client.call(), verifyIDToken: client.call(), findAccounts: client.call(),
            checkPasskeyEnrollment: client.call(), enrollPasskey: client.call(), signInWithPasskey: client.call(),
            recordRefusedSignIn: client.call())
    }
}
