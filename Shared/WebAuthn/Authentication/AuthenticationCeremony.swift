import Crypto
import Vocabulary

/// Authenticates with a credential (Web Authentication Level 3 §7.2). The caller redeems the challenge before, and
/// updates the credential record after.
package struct AuthenticationCeremony: Sendable {
    /// The issued bytes.
    package var challenge: [UInt8]
    package var relyingParty: RelyingParty
    package var userVerification: UserVerificationRequirement
    /// The credentials of the request; empty allows every credential.
    package var allowedCredentialIDs: [[UInt8]]
    /// The user who was identified before the ceremony; nil if the response identifies the user.
    package var userHandle: [UInt8]?

    package init(
        challenge: [UInt8], relyingParty: RelyingParty, userVerification: UserVerificationRequirement = .required,
        allowedCredentialIDs: [[UInt8]] = [], userHandle: [UInt8]? = nil
    ) {
        self.challenge = challenge
        self.relyingParty = relyingParty
        self.userVerification = userVerification
        self.allowedCredentialIDs = allowedCredentialIDs
        self.userHandle = userHandle
    }

    /// Verifies the response of the client.
    /// - Parameter credential: the stored credential with the ID of the response.
    package func verify(
        _ response: AuthenticationResponse, credential: StoredCredential, signCountPolicy: SignCountPolicy
    ) throws(WebAuthnError) -> Assertion {
        // Steps 1 to 4 take place in the client and in the decoding of its response.
        try CredentialID.check(response.id, rawID: response.rawID, type: response.type)
        // Step 5.
        guard allowedCredentialIDs.isEmpty || allowedCredentialIDs.contains(response.id) else {
            throw .unknownCredential
        }
        // Step 6.
        try verifyOwner(of: credential, response)
        // Steps 7 to 9.
        let clientData = try ClientData(json: response.clientDataJSON)
        // Steps 10 to 14.
        try clientData.verify(.authentication, challenge: challenge, relyingParty: relyingParty)
        // Steps 15 to 18.
        let data = try AuthenticatorData(response.authenticatorData)
        try data.verify(relyingParty, requiresUserPresence: true, userVerification: userVerification)
        // Step 19.
        if let isBackupEligible = credential.isBackupEligible {
            guard data.flags.contains(.backupEligible) == isBackupEligible else { throw .backupEligibilityChanged }
        }
        // Step 20: the hash is a part of the parsed client data. Step 21.
        let publicKey = try CredentialPublicKey(credential.publicKey)
        guard publicKey.algorithm == credential.algorithm else { throw .keyAlgorithm }
        guard publicKey.isValid(signature: response.signature, for: data.bytes + clientData.hash) else {
            throw .signature
        }
        // Step 22.
        switch signCountPolicy {
        case .reject:
            guard !Assertion.isSignCountRegression(from: credential.signCount, to: data.signCount) else {
                throw .signCountRegression
            }
        case .report: break
        }
        // Extension outputs (step 23) are tolerated and not used. Step 24 is the caller's.
        return Assertion(signCount: data.signCount, flags: data.flags)
    }

    private func verifyOwner(
        of credential: StoredCredential, _ response: AuthenticationResponse
    ) throws(WebAuthnError) {
        guard credential.credentialID == response.id else { throw .unknownCredential }
        if let userHandle {
            guard credential.userHandle == userHandle else { throw .unknownCredential }
            guard response.userHandle == nil || response.userHandle == userHandle else { throw .userHandle }
        } else {
            guard response.userHandle == credential.userHandle else { throw .userHandle }
        }
    }
}
