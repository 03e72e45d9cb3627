/// Why a registration or an authentication is rejected. The raw values are for logs and metrics.
package enum WebAuthnError: String, Error, CaseIterable, Sendable {
    /// `id` and `rawId` differ, the type is not `public-key`, or the transports exceed their limits.
    case malformedResponse = "response.malformed"
    /// Not UTF-8, not a JSON object with the required members, a duplicate name, or longer than 64 KiB.
    case malformedClientData = "clientData.malformed"
    case clientDataType = "clientData.type"
    case challenge = "clientData.challenge"
    case origin = "clientData.origin"
    /// Created in a frame, which the relying party does not allow.
    case crossOrigin = "clientData.crossOrigin"
    case topOrigin = "clientData.topOrigin"
    /// Not CBOR within limits, trailing bytes, or a missing member.
    case malformedAttestationObject = "attestationObject.malformed"
    /// A truncated field, a missing credential or extension, or trailing bytes.
    case malformedAuthenticatorData = "authData.malformed"
    case relyingPartyID = "authData.rpIdHash"
    case userNotPresent = "authData.up"
    case userNotVerified = "authData.uv"
    /// Backed up without being backup eligible.
    case backupFlags = "authData.backupFlags"
    /// The algorithm is missing, unknown or was not offered.
    case keyAlgorithm = "key.alg"
    /// Not a canonical COSE key of its algorithm, a point outside of the curve, or an RSA key outside the limits.
    case malformedKey = "key.malformed"
    /// An unknown or unacceptable attestation statement format.
    case attestationFormat = "attestation.format"
    /// The statement violates a rule of its format.
    case attestationStatement = "attestation.statement"
    case attestationSignature = "attestation.signature"
    /// The policy refuses the authenticator model, or requires a certificate path that the statement does not have.
    case attestationTrust = "attestation.trust"
    /// The credential ID has not 1 to 1023 bytes.
    case credentialIDLength = "credentialId.length"
    /// The credential ID in the authenticator data is not that of the response.
    case credentialIDMismatch = "credentialId.mismatch"
    case duplicateCredentialID = "credentialId.duplicate"
    /// The credential is not allowed in this ceremony, or belongs to another account.
    case unknownCredential = "credential.unknown"
    case userHandle = "user.handle"
    case signature = "signature.invalid"
    case signCountRegression = "signCount.regression"
    /// Backup eligibility is fixed at registration.
    case backupEligibilityChanged = "backupEligible.changed"
}
