import Crypto
import Vocabulary

/// Registers a credential (Web Authentication Level 3 §7.1). The caller redeems the challenge before, and stores the
/// credential under a unique index after.
package struct RegistrationCeremony: Sendable {
    /// The issued bytes.
    package var challenge: [UInt8]
    package var relyingParty: RelyingParty
    package var userVerification: UserVerificationRequirement
    /// False only for a request with conditional mediation.
    package var requiresUserPresence: Bool
    /// The offered algorithms.
    package var algorithms: [COSEAlgorithm]
    package var attestation: AttestationPolicy
    /// Credentials that must not be registered again.
    package var registeredCredentialIDs: Set<[UInt8]>

    package init(
        challenge: [UInt8], relyingParty: RelyingParty, userVerification: UserVerificationRequirement = .required,
        requiresUserPresence: Bool = true, algorithms: [COSEAlgorithm] = COSEAlgorithm.offeredByDefault,
        attestation: AttestationPolicy = .any, registeredCredentialIDs: Set<[UInt8]> = []
    ) {
        self.challenge = challenge
        self.relyingParty = relyingParty
        self.userVerification = userVerification
        self.requiresUserPresence = requiresUserPresence
        self.algorithms = algorithms
        self.attestation = attestation
        self.registeredCredentialIDs = registeredCredentialIDs
    }

    private static let maximumTransports = 16
    private static let maximumTransportBytes = 32

    /// Verifies the response of the client.
    /// - Parameter seconds: the time since 1970, for the validity of attestation certificates.
    package func verify(
        _ response: RegistrationResponse, at seconds: Int64
    ) throws(WebAuthnError) -> RegisteredCredential {
        // Steps 1 to 4 take place in the client and in the decoding of its response.
        try CredentialID.check(response.id, rawID: response.rawID, type: response.type)
        guard response.transports.count <= Self.maximumTransports,
            response.transports.allSatisfy({ $0.utf8.count <= Self.maximumTransportBytes })
        else { throw .malformedResponse }
        // Steps 5 and 6.
        let clientData = try ClientData(json: response.clientDataJSON)
        // Steps 7 to 11.
        try clientData.verify(.registration, challenge: challenge, relyingParty: relyingParty)
        // Step 12: the hash is a part of the parsed client data. Step 13.
        let object = try AttestationObject(response.attestationObject)
        // Steps 14 to 17.
        let data = object.authenticatorData
        try data.verify(
            relyingParty, requiresUserPresence: requiresUserPresence, userVerification: userVerification)
        // Steps 18 and 19: the caller applies its policy to the flags of the result.
        guard let credential = data.attestedCredentialData else { throw .malformedAuthenticatorData }
        // Step 20.
        let publicKey = try CredentialPublicKey(credential.publicKey)
        guard algorithms.contains(publicKey.algorithm) else { throw .keyAlgorithm }
        // Step 21. Raw values are lowercase ASCII, which no other Unicode text equals.
        guard let format = AttestationFormat(rawValue: object.formatIdentifier) else { throw .attestationFormat }
        // Step 22.
        let verified = try format.verify(
            AttestationStatement(
                map: object.statement, authenticatorData: data, credential: credential, publicKey: publicKey,
                clientDataHash: clientData.hash))
        // Steps 23 and 24.
        let isTrusted = try attestation.evaluate(verified, of: credential.aaguid, at: seconds)
        // Step 25.
        guard CredentialID.byteCounts.contains(credential.credentialID.count) else { throw .credentialIDLength }
        guard credential.credentialID == response.id else { throw .credentialIDMismatch }
        // Step 26.
        guard !registeredCredentialIDs.contains(credential.credentialID) else { throw .duplicateCredentialID }
        // Step 27. Extension outputs (step 28) are tolerated and not used.
        return RegisteredCredential(
            credentialID: credential.credentialID, publicKey: publicKey.bytes, algorithm: publicKey.algorithm,
            signCount: data.signCount, flags: data.flags, aaguid: credential.aaguid, attestation: verified,
            isAttestationTrusted: isTrusted, transports: response.transports)
    }
}
