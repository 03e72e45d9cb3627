package import Bus
import Contracts

/// The requests of mfa-totp to identity.
package struct PeerClient: Sendable {
    var checkEnrollment: PeerCall<Identity.CheckEnrollment>
    var enrollFactor: PeerCall<Identity.EnrollFactor>
    var resolvePendingSignIn: PeerCall<Identity.ResolvePendingSignIn>
    var completeSignIn: PeerCall<Identity.CompleteSignIn>
    var recordRefusedSignIn: PeerCall<Identity.RecordRefusedSignIn>
    var findAccounts: PeerCall<Identity.FindAccounts>
}

extension PeerClient {
    /// The requests over the bus.
    package init(_ client: BusClient) {
        self.init(
            checkEnrollment: client.call(), enrollFactor: client.call(), resolvePendingSignIn: client.call(),
            completeSignIn: client.call(), recordRefusedSignIn: client.call(), findAccounts: client.call())
    }
}

extension SecondFactor.VerificationSettings {
    /// - Throws: `internal` if identity replied with the settings of another method.
    func totpWindowSteps() throws -> Int {
        guard case .totp(let windowSteps) = self else {
            throw ServiceError(.internal, "the reply breaks the contract")
        }
        return windowSteps
    }
}
