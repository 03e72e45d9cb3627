import Contracts
import Vocabulary
import WebAuthn

/// The verification of the response of a sign-in (security rules WA2 to WA9), without the counter.
struct AssertionVerification: Sendable {
    var ceremony: Ceremony
    var challenge: Challenge
    var relyingParty: EffectiveRelyingParty

    /// In a ceremony of one account, a credential that is not the account's is not in the allow list, whether the realm
    /// has it or not (security rule EN5).
    /// - Parameter credential: with the ID of the response, of the realm and the relying party of the ceremony; nil for
    ///   an unknown one.
    func verify(
        _ response: Passkey.AuthenticationResponse, _ credential: PasskeyCredential?
    ) throws(ServiceError) -> Assertion {
        switch ceremony.owner {
        case .anyAccount:
            guard let credential else { throw .unknownCredential }
            return try verify(response, credential, userHandle: nil)
        case .account(let id):
            guard let credential, credential.accountID == id else { throw .rejected(for: .unknownCredential) }
            return try verify(response, credential, userHandle: credential.userHandle)
        case .noAccount: throw .rejected(for: .unknownCredential)
        }
    }

    /// - Parameter userHandle: nil when the response says whose credential it is.
    private func verify(
        _ response: Passkey.AuthenticationResponse, _ credential: PasskeyCredential, userHandle: OctetString?
    ) throws(ServiceError) -> Assertion {
        let verification = AuthenticationCeremony(
            challenge: challenge.bytes, relyingParty: relyingParty.expectations,
            userVerification: ceremony.userVerification.requirement, allowedCredentialIDs: [credential.id.bytes],
            userHandle: userHandle?.bytes)
        do throws(WebAuthnError) {
            return try verification.verify(
                .init(
                    id: response.id.bytes, rawID: response.rawID?.bytes, type: response.type,
                    clientDataJSON: response.clientDataJSON.bytes,
                    authenticatorData: response.authenticatorData.bytes, signature: response.signature.bytes,
                    userHandle: response.userHandle?.bytes),
                credential: .init(
                    credentialID: credential.id.bytes, publicKey: credential.publicKey,
                    algorithm: credential.algorithm, signCount: credential.signCount,
                    isBackupEligible: credential.isBackupEligible, userHandle: credential.userHandle.bytes),
                // The transaction that records the use compares the counters.
                signCountPolicy: .report)
        } catch {
            throw .rejected(for: error)
        }
    }
}
