package import Bus
import Contracts

/// The requests of mfa-sms to other services.
package struct PeerClient: Sendable {
    var resolveConfiguration: PeerCall<Identity.ResolveConfiguration>
    // A phone number as first factor.
    var checkPhoneSignIn: PeerCall<Identity.CheckPhoneSignIn>
    var signInWithPhone: PeerCall<Identity.SignInWithPhone>
    // A phone number as second factor.
    var checkEnrollment: PeerCall<Identity.CheckEnrollment>
    var enrollFactor: PeerCall<Identity.EnrollFactor>
    var resolvePendingSignIn: PeerCall<Identity.ResolvePendingSignIn>
    var completeSignIn: PeerCall<Identity.CompleteSignIn>
    // For both.
    var recordRefusedSignIn: PeerCall<Identity.RecordRefusedSignIn>
    // Both return when the message is stored.
    var sendSMS: PeerCall<Notifier.SendSMS>
    var sendPush: PeerCall<Notifier.SendPush>
}

extension PeerClient {
    /// The requests over the bus.
    package init(_ client: BusClient) {
        self.init(
            resolveConfiguration: client.call(), checkPhoneSignIn: client.call(), signInWithPhone: client.call(),
            checkEnrollment: client.call(), enrollFactor: client.call(), resolvePendingSignIn: client.call(),
            completeSignIn: client.call(), recordRefusedSignIn: client.call(), sendSMS: client.call(),
            sendPush: client.call())
    }
}
