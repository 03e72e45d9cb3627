package import CBOR
package import Crypto

/// The input of a verification procedure (Web Authentication Level 3 §6.5.2).
package struct AttestationStatement: Sendable {
    /// `attStmt`
    package let map: CBORMap
    package let authenticatorData: AuthenticatorData
    /// The new credential in `authenticatorData`.
    package let credential: AttestedCredentialData
    package let publicKey: CredentialPublicKey
    /// SHA-256 of the client data.
    package let clientDataHash: [UInt8]

    /// The authenticator data, then the client data hash.
    package var signedBytes: [UInt8] { authenticatorData.bytes + clientDataHash }
}

/// The output of a verification procedure. The statement is valid; whether to trust it is a policy.
package struct VerifiedAttestation: Equatable, Sendable {
    package let format: AttestationFormat
    package let type: AttestationType
    /// The attestation certificate first. Empty without a certificate.
    package var trustPath: [Certificate] = []
}

/// The attestation types of Web Authentication Level 3 §6.5.4.
package enum AttestationType: String, CaseIterable, Codable, Sendable {
    /// No statement about the authenticator.
    case none
    /// Signed by the credential's own key.
    case `self`
    /// Signed by a certified key of the model (Basic or AttCA: a statement does not tell which).
    case basic
    /// Certified for one authenticator by a privacy CA.
    case attestationCA
    /// Certified for one credential.
    case anonymizationCA
}
