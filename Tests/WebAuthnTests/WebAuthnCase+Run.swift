import Crypto
import TestSupport
import Testing
import Vocabulary
import WebAuthn

/// Runs the ceremony of a case. Errors of the decoding, which is the task of the gateway, count as rejections.
extension WebAuthnCase {
    func register() throws -> RegisteredCredential {
        let ceremony = RegistrationCeremony(
            challenge: try bytes(options.challenge), relyingParty: relyingParty,
            userVerification: options.requireUserVerification ? .required : .preferred,
            requiresUserPresence: options.requireUserPresence ?? true,
            algorithms: (try #require(options.algorithms)).compactMap(COSEAlgorithm.init(rawValue:)),
            attestation: try attestationPolicy,
            registeredCredentialIDs: Set(try (state?.registeredCredentialIds ?? []).map(bytes)))
        let response = RegistrationResponse(
            id: try bytes(credential.id), rawID: try credential.rawId.map(bytes), type: credential.type,
            clientDataJSON: try bytes(credential.response.clientDataJSON),
            attestationObject: try bytes(try #require(credential.response.attestationObject)),
            transports: credential.response.transports ?? [])
        return try ceremony.verify(response, at: Self.now)
    }

    func authenticate(_ signCountPolicy: SignCountPolicy) throws -> Assertion {
        let stored = try #require(stored)
        let userHandle = try credential.response.userHandle.map(bytes)
        // Some files have no user handle of the account.
        let owner = try stored.userHandle.map(bytes) ?? userHandle ?? []
        let ceremony = AuthenticationCeremony(
            challenge: try bytes(options.challenge), relyingParty: relyingParty,
            userVerification: options.requireUserVerification ? .required : .preferred,
            allowedCredentialIDs: try (options.allowCredentials ?? []).map(bytes),
            userHandle: options.userIdentified == true ? owner : nil)
        let response = AuthenticationResponse(
            id: try bytes(credential.id), rawID: try credential.rawId.map(bytes), type: credential.type,
            clientDataJSON: try bytes(credential.response.clientDataJSON),
            authenticatorData: try bytes(try #require(credential.response.authenticatorData)),
            signature: try bytes(try #require(credential.response.signature)), userHandle: userHandle)
        let publicKey = try CredentialPublicKey(try bytes(stored.publicKey))
        let record = StoredCredential(
            credentialID: try bytes(stored.credentialId), publicKey: publicKey.bytes, algorithm: publicKey.algorithm,
            signCount: stored.signCount, isBackupEligible: stored.backupEligible, userHandle: owner)
        return try ceremony.verify(response, credential: record, signCountPolicy: signCountPolicy)
    }

    /// 2025-06-15, in seconds since 1970.
    private static let now: Int64 = 1_750_000_000

    private var relyingParty: RelyingParty {
        RelyingParty(
            id: options.rpId, origins: options.origins,
            framing: options.allowCrossOrigin ? .allowed(topOrigins: options.topOrigins) : .notAllowed)
    }

    /// Trust is required if the case names an anchor, or is about an anchor that does not fit: then an unrelated one.
    private var attestationPolicy: AttestationPolicy {
        get throws {
            if let trustAnchorCertificate {
                return AttestationPolicy(
                    requiresTrust: true, trustAnchors: [try Certificate(der: trustAnchorCertificate)])
            }
            guard expect.reason == WebAuthnError.attestationTrust.rawValue else { return .any }
            return AttestationPolicy(
                requiresTrust: true, trustAnchors: [try CertificateAuthority(commonName: "unrelated").certificate])
        }
    }

    private func bytes(_ text: String) throws -> [UInt8] {
        guard let bytes = Base64URL.decode(text) else { throw WebAuthnError.malformedResponse }
        return bytes
    }
}
